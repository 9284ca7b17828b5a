'use strict';

const { atRandom, rest } = require('../at-random');

/** An SQL server is read-only for a while, or confirms commits that a crash would lose. */
module.exports = atRandom({
  name: 'SQL server read-only or without a sync',
  pause: [500, 3000],
  stores: ['postgres', 'mysql'],
  alone: true, // other faults write to the database themselves
  ways: ['read-only', 'commits without a sync'],
  refusals: ['ERR_NEXTID_STORE_INVALID'],
  async bringAbout({ fixture, random, signal, way }) {
    const undo = await fixture.configure(way);
    await rest(random() * 3000, signal);
    await undo();
    return true;
  },
});
