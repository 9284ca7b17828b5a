'use strict';

const { atRandom } = require('../at-random');

/** A transaction of another program waits for statements that wait for it. */
module.exports = atRandom({
  name: 'deadlock',
  pause: [1000, 5000],
  stores: ['postgres'], // in MySQL, one statement for one row has nothing that another could wait for
  async bringAbout({ fixture, url }) {
    await fixture.deadlock(url);
    return true;
  },
});
