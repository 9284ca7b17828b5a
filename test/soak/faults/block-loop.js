'use strict';

const { atRandom } = require('../at-random');

const LONG = 20_000; // ms: longer than every time-out

/** The event loop of a process stands still, for a moment or for a long time. */
module.exports = atRandom({
  name: 'event loop blocked',
  pause: [100, 3000],
  ways: [LONG, 3000, 1000, 300],
  bringAbout: ({ fleet, random, way }) => fleet.withProcess(random, (process) => process.block(way)),
});
