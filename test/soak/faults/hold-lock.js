'use strict';

const { lockFile } = require('../../support/outages');
const { atRandom, rest } = require('../at-random');

const LONG = 12_000; // ms: longer than the store waits for a lock, and than every time-out

/** Another program holds the lock of the file, for a moment or longer than anybody waits for it. */
module.exports = atRandom({
  name: 'file locked by another program',
  pause: [500, 5000],
  stores: ['sqlite'],
  ways: [LONG, 2000, 1000, 100],
  async bringAbout({ url, signal, way }) {
    const unlock = await lockFile(url);
    await rest(way, signal);
    await unlock();
    return true;
  },
});
