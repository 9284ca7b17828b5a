'use strict';

const { atRandom } = require('../at-random');

/** A process closes its store and ends, and another is started; or the same one opens it again. */
module.exports = atRandom({
  name: 'process closed and restarted',
  pause: [100, 2000],
  losesNumbers: false,
  bringAbout: ({ fleet, random }) => (
    fleet.withProcess(random, (process) => (random() < 0.5 ? process.end() : process.reopen()))),
});
