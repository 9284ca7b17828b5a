'use strict';

const { execFile } = require('node:child_process');
const { promisify } = require('node:util');
const { atRandom, rest } = require('../at-random');

const run = promisify(execFile);
const server = (...args) => run(process.env.NEXTID_TEST_MONGODB_SERVER, args);

/** The gateway that the processes use, or the database behind it, is killed (kill -9) and started again. */
module.exports = atRandom({
  name: 'server killed (kill -9)',
  pause: [500, 4000],
  stores: ['mongodb'],
  alone: true, // other faults write to the database themselves
  needs: () => (process.env.NEXTID_TEST_MONGODB_SERVER_URL === process.env.MONGODB_URL
    ? undefined
    : 'the server of test/scripts/mongo-server.sh'),
  ways: ['gateway-auth', 'gateway-auth', 'postgres', 'postgres'],
  async bringAbout({ random, signal, way }) {
    await server('kill', way);
    await rest(random() * 2000, signal);
    await server('start');
    return true;
  },
});
