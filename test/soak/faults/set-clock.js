'use strict';

const { atRandom, rest } = require('../at-random');

// On the clock of dated sequences, where an hour takes 20 s, these are 180 times as much.
const OFFSETS = ['-1d', '+1d', '-1h', '+1h', '-20s', '+20s', '-3s', '+3s'];

/** The clock of a process is set back or forward, and right again after a while. */
module.exports = atRandom({
  name: 'clock set back or forward',
  pause: [100, 1500],
  setsClocks: true,
  refusals: ['ERR_NEXTID_CLOCK_AHEAD'],
  ways: OFFSETS,
  bringAbout: ({ fleet, random, signal, way }) => fleet.withProcess(random, async (process) => {
    process.setClock(way);
    await rest(1000 + random() * 3000, signal);
    process.setClock('+0');
  }),
});
