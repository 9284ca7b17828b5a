'use strict';

const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');
const { atRandom } = require('../at-random');

const SCRIPT = path.join(__dirname, '..', '..', 'scripts', 'sql-servers.sh');

/** An SQL server is killed (kill -9), and recovers from its crash. */
module.exports = atRandom({
  name: 'SQL server killed (kill -9)',
  pause: [500, 4000],
  stores: ['postgres', 'mysql'],
  alone: true, // other faults write to the database themselves
  needs: () => (process.env.NEXTID_TEST_POSTGRES_PID_FILE && process.env.NEXTID_TEST_MYSQL_PID_FILE
    ? undefined : 'the servers of test/scripts/sql-servers.sh'),
  async bringAbout({ fixture }) {
    await promisify(execFile)('bash', [SCRIPT, 'restart', fixture.kind]);
    return true;
  },
});
