'use strict';

const { atRandom } = require('../at-random');

/** A process moves a counter up by advance(), while sequences of that name are closed: see importing.js. */
module.exports = atRandom({
  name: 'advance() beside closes',
  pause: [10, 100],
  bringAbout: ({ fleet, random }) => fleet.steadyProcess(random)?.importIds(),
});
