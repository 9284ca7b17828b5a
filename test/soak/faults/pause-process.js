'use strict';

const { atRandom, rest } = require('../at-random');

const LONG = 12_000; // ms: longer than every time-out

/** SIGSTOP, and SIGCONT after a moment, or after every time-out. */
module.exports = atRandom({
  name: 'process paused (SIGSTOP, SIGCONT)',
  pause: [100, 3000],
  ways: [LONG, 1000, 500, 100],
  bringAbout: ({ fleet, random, signal, way }) => fleet.withProcess(random, async (process) => {
    process.pause();
    await rest(way, signal);
    process.resume();
  }),
});
