'use strict';

const { atRandom, rest } = require('../at-random');

const LOOK = 5; // ms
const LOOKS = 100;

/** An administrator of an SQL server ends a statement while it runs, or the connection under it. */
module.exports = atRandom({
  name: 'SQL statement ended by an administrator',
  pause: [100, 1000],
  stores: ['postgres', 'mysql'],
  ways: ['statement', 'connection'],
  async bringAbout({ fixture, url, signal, way }) {
    for (let i = 0; i < LOOKS && !signal.aborted; i++) {
      if (await fixture.interrupt(url, way)) return true;
      await rest(LOOK, signal);
    }
    return false;
  },
});
