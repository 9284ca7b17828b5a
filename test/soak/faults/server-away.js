'use strict';

const { atRandom, rest } = require('../at-random');
const { WAYS_TO_BE_AWAY, keepAway } = require('../keep-away');

/** The server refuses connections, or accepts them and says nothing, for up to 3 s. */
module.exports = atRandom({
  name: 'server away or silent',
  pause: [3000, 15_000],
  stores: ['mongodb'],
  ways: WAYS_TO_BE_AWAY,
  async bringAbout({ random, signal, way, ...context }) {
    const comeBack = await keepAway(context, way);
    await rest(random() * 3000, signal);
    await comeBack();
    return true;
  },
});
