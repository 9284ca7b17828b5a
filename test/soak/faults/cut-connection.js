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
  ways: WAYS,
  bringAbout: ({ proxy, signal, way: [side, action] }) => meddle(proxy, side, action, signal),
});
