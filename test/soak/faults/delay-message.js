'use strict';

const { atRandom } = require('../at-random');
const { meddle } = require('../meddle');

const WAYS = [
  ['request', { bytes: 1 }],
  ['reply', { bytes: 1 }],
  ['request', { delay: 300 }],
  ['reply', { delay: 300 }],
  ['request', { delay: 12_000 }], // past every time-out
  ['reply', { delay: 12_000 }],
  ['request', 'swallow'],
  ['reply', 'swallow'],
];

/** The next message comes late, in pieces, after every time-out, or never. */
module.exports = atRandom({
  name: 'message delayed or lost',
  pause: [100, 2000],
  stores: ['mongodb'],
  ways: WAYS,
  bringAbout: ({ proxy, signal, way: [side, action] }) => meddle(proxy, side, action, signal),
});
