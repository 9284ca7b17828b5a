'use strict';

const { atRandom } = require('../at-random');
const { meddle } = require('../meddle');

const WAYS = [
  ['request', { delay: 1000 }], // others reserve meanwhile
  ['request', 'drop-connection'],
  ['reply', 'drop-connection'],
  ['reply', 'cut-within'],
  ['reply', { delay: 12_000 }], // past every time-out
  ['reply', 'swallow'],
];

/** A process closes its store, and what it gives back comes late or not at all, or the reply does. */
module.exports = atRandom({
  name: 'numbers given back: late, or reply lost',
  pause: [50, 500],
  stores: ['mongodb'],
  ways: WAYS,
  async bringAbout({ fleet, proxy, random, signal, way: [side, action] }) {
    const closed = new AbortController();
    let happened = false;
    await fleet.withProcess(random, async (process) => {
      const meddled = meddle(proxy, side, action, AbortSignal.any([signal, closed.signal]), 'update');
      await process.reopen();
      closed.abort(); // where nothing was left to give back
      happened = await meddled;
    });
    return happened;
  },
});
