'use strict';

const { atRandom, rest } = require('../at-random');
const { WAYS_TO_BE_AWAY, keepAway } = require('../keep-away');

const CALLS = 100_000;

/** The store does not answer, 100 000 calls wait in a sequence, and it comes back. */
module.exports = atRandom({
  name: '100 000 calls wait',
  pause: [1000, 4000],
  refusals: ['ERR_NEXTID_TOO_MANY_WAITERS'], // of the sequences with a smaller maxWaiters
  ways: WAYS_TO_BE_AWAY,
  bringAbout: ({ fleet, random, signal, way, ...context }) => fleet.withProcess(random, async (process) => {
    const comeBack = await keepAway(context, way);
    process.crowd(CALLS);
    await rest(random() * 4000, signal);
    await comeBack();
  }),
});
