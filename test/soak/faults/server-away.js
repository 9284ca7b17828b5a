'use strict';

const { atRandom, rest } = require('../at-random');

/** The server refuses connections, or accepts them and says nothing, for up to 3 s. */
module.exports = atRandom({
  name: 'server away or silent',
  pause: [3000, 15_000],
  stores: ['mongodb'],
  async bringAbout({ proxy, random, signal }) {
    const isAway = random() < 0.5;
    if (isAway) await proxy.refuse();
    else proxy.blackhole();
    await rest(random() * 3000, signal);
    if (isAway) await proxy.accept();
    else proxy.restore();
    return true;
  },
});
