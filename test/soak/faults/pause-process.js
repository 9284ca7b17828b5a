'use strict';

const { atRandom, rest } = require('../at-random');

const LONG = 12_000; // ms: longer than every time-out

/** SIGSTOP, and SIGCONT after a moment, or after every time-out. */
module.exports = atRandom({
  name: 'process paused (SIGSTOP, SIGCONT)',
  pause: [100, 3000],
  bringAbout: ({ fleet, random, signal }) => fleet.withProcess(random, async (process) => {
    process.pause();
    await rest(random() < 0.1 ? LONG : random() * 1000, signal);
    process.resume();
  }),
});
