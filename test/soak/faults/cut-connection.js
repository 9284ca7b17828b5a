'use strict';

const { atRandom } = require('../at-random');
const { meddle } = require('../meddle');

// Before the server has the request, within it; when it has carried it out, and within its reply.
const WAYS = [
  ['request', 'drop-connection'],
  ['request', 'cut-within'],
  ['reply', 'drop-connection'],
  ['reply', 'cut-within'],
];

/** A connection is cut at the next message. */
module.exports = atRandom({
  name: 'connection cut',
  pause: [20, 400],
  stores: ['mongodb'],
  bringAbout({ proxy, random, signal }) {
    const [side, action] = WAYS[Math.floor(random() * WAYS.length)];
    return meddle(proxy, side, action, signal);
  },
});
