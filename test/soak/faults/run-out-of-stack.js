'use strict';

const { atRandom } = require('../at-random');
const { WAYS_TO_RUN_OUT } = require('../end-of-stack');

/** A call that switches to another period runs out of stack, and other calls follow in the same turn. */
module.exports = atRandom({
  name: 'call out of stack',
  pause: [20, 400],
  ways: WAYS_TO_RUN_OUT,
  bringAbout: ({ fleet, random, way }) => fleet.withProcess(random, async (process) => {
    process.runOutOfStack(way);
  }),
});
