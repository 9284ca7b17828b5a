'use strict';

const { atRandom } = require('../at-random');

/** A process moves a counter up by advance(), while sequences of that name are closed: see importing.js. */
module.exports = atRandom({
  name: 'advance() beside closes',
  pause: [20, 300],
  async bringAbout({ fleet, random }) {
    let happened = false;
    await fleet.withProcess(random, async (process) => {
      happened = await process.importIds();
    });
    return happened;
  },
});
