'use strict';

const { atRandom } = require('../at-random');

/** kill -9; the fleet starts another process. */
module.exports = atRandom({
  name: 'process killed (kill -9)',
  pause: [50, 1500],
  bringAbout: ({ fleet, random }) => fleet.withProcess(random, (process) => process.kill()),
});
