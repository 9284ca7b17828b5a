'use strict';

const { atRandom, rest } = require('../at-random');

const WAYS = ['refuse', 'hang', 'swallowReplies', 'lock', 'latency'];

/** An SQL server refuses connections, is silent, has its table locked, or is slow, for up to 6 s. */
module.exports = atRandom({
  name: 'SQL server away, silent or locked',
  pause: [1000, 6000],
  stores: ['postgres', 'mysql'],
  ways: WAYS,
  async bringAbout({ proxy, fixture, url, random, signal, way }) {
    const duration = random() * 6000;
    if (way === 'lock') {
      const unlock = await fixture.lock(url);
      await rest(duration, signal);
      await unlock();
    } else if (way === 'latency') {
      proxy.latency = 50;
      await rest(duration, signal);
      proxy.latency = 0;
    } else {
      await proxy[way](true);
      await rest(duration, signal);
      await proxy[way](false);
    }
    return true;
  },
});
