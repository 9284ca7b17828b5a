'use strict';

const { atRandom } = require('../at-random');

const MOST = 100_000; // numbers at a time
const COUNTERS = [['plain', 'orders'], ['dated', 'invoices']];

/** Another program moves a counter up, as one that reserves numbers does. */
module.exports = atRandom({
  name: 'counter moved up by another program',
  pause: [20, 500],
  ways: COUNTERS,
  bringAbout({ fleet, fixture, url, random, way: [kind, name] }) {
    return fleet.moveUp(() => fixture.moveUp(url, kind, name, 1 + Math.floor(random() * MOST)));
  },
});
