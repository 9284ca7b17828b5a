'use strict';

const { atRandom, rest } = require('../at-random');
const { keepAway } = require('../keep-away');

const LONG = 12_000; // ms: longer than the store waits for a lock, and than every time-out

/** Another program holds the lock of the file, sometimes longer than anybody waits for it. */
module.exports = atRandom({
  name: 'file locked by another program',
  pause: [500, 5000],
  stores: ['sqlite'],
  async bringAbout({ random, signal, ...context }) {
    const unlock = await keepAway(context, random);
    await rest(random() < 0.3 ? LONG : random() * 2000, signal);
    await unlock();
    return true;
  },
});
