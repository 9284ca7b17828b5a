'use strict';

const { atRandom } = require('../at-random');

const LONG = 20_000; // ms: longer than every time-out
let isFirst = true;

/** The event loop of a process stands still, at first for a long time. */
module.exports = atRandom({
  name: 'event loop blocked',
  pause: [100, 3000],
  bringAbout: ({ fleet, random }) => fleet.withProcess(random, async (process) => {
    const ms = isFirst || random() < 0.1 ? LONG : random() * 3000;
    isFirst = false;
    await process.block(ms);
  }),
});
