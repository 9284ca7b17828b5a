'use strict';

const { atRandom, rest } = require('../at-random');
const { keepAway } = require('../keep-away');

/** The server refuses connections, or accepts them and says nothing, for up to 3 s. */
module.exports = atRandom({
  name: 'server away or silent',
  pause: [3000, 15_000],
  stores: ['mongodb'],
  async bringAbout({ random, signal, ...context }) {
    const comeBack = await keepAway(context, random);
    await rest(random() * 3000, signal);
    await comeBack();
    return true;
  },
});
