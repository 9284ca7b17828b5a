'use strict';

const { open } = require('..');
const { memory } = require('./support/new-process');
const { withSqliteUrl } = require('./support/stores');

const COUNTS = [1e3, 1e6, 1e9];
const BLOCK = 1e6; // ids that are timed together

const row = (count) => `after 10^${Math.log10(count)} ids`;

// Takes `ids` as a service would, always by await, and returns nanoseconds an id.
async function take(sequence, ids) {
  const start = performance.now();
  for (let n = 0; n < ids; n++) await sequence.nextId();
  return ((performance.now() - start) * 1e6) / ids;
}

module.exports = {
  question: 'Does one sequence, with default options over SQLite, get slower or larger with time?',
  // One process, one sequence, one run; the rounds of a count are the blocks of ids that follow it.
  run: ({ rounds, amount }) => withSqliteUrl(async (url) => {
    const store = open(url);
    const sequence = store.sequence('orders');
    const block = amount(BLOCK);
    const times = {};
    const sizes = {};
    let taken = 0;
    for (const count of COUNTS) {
      const until = amount(count);
      await take(sequence, Math.max(0, until - taken));
      taken = Math.max(taken, until);
      sizes[row(count)] = [memory() / 2 ** 20];
      times[row(count)] = [];
      for (let round = 0; round < rounds; round++, taken += block) {
        times[row(count)].push(await take(sequence, block));
      }
    }
    await store.close();
    const [, early, late] = COUNTS.map(row);
    const goals = [{ row: late, of: early, most: 1.1 }];
    return [
      { unit: 'ns an id', better: 'less', baseline: early, figures: times, goals },
      { unit: 'MiB, memory of the process', better: 'less', baseline: early, figures: sizes, goals },
    ];
  }),
};
