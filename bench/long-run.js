'use strict';

const { open } = require('..');
const { memory } = require('./support/new-process');
const { measure } = require('./support/rounds');
const { withSqliteUrl } = require('./support/stores');

const COUNTS = [1e3, 1e6, 1e9];
const BLOCK = 1e6; // ids that are timed together

const LIMIT = 'await Promise.resolve(i++), beside it';

const row = (count) => `after 10^${Math.log10(count)} ids`;

// Both take nanoseconds each.

async function take(sequence, ids) {
  const start = performance.now();
  for (let n = 0; n < ids; n++) await sequence.nextId();
  return ((performance.now() - start) * 1e6) / ids;
}

async function promises(count) {
  let i = 0;
  const start = performance.now();
  for (let n = 0; n < count; n++) await Promise.resolve(i++);
  return ((performance.now() - start) * 1e6) / i;
}

module.exports = {
  question: 'Does one sequence, with default options over SQLite, get slower or larger with time?',
  // One process, one sequence, one run; the rounds of a count are the blocks of ids that follow it. The
  // counts are a minute apart, in which a machine changes: so each block is taken beside as many promises.
  run: ({ rounds, amount }) => withSqliteUrl(async (url) => {
    const store = open(url);
    const sequence = store.sequence('orders');
    const block = amount(BLOCK);
    const times = {};
    const ratios = {};
    const sizes = {};
    let taken = 0;
    for (const count of COUNTS) {
      const until = amount(count);
      await take(sequence, Math.max(0, until - taken));
      taken = Math.max(taken, until);
      const figures = await measure({
        [LIMIT]: () => promises(block),
        ids: () => take(sequence, block),
        size: () => memory() / 2 ** 20,
      }, rounds);
      taken += (rounds + 1) * block;
      times[row(count)] = figures.ids;
      ratios[row(count)] = figures.ids.map((ns, round) => ns / figures[LIMIT][round]);
      sizes[row(count)] = figures.size;
    }
    await store.close();
    const [, early, late] = COUNTS.map(row);
    const goals = [{ row: late, of: early, most: 1.1 }];
    return [
      { unit: 'ns an id', better: 'less', baseline: early, figures: times },
      { unit: `times ${LIMIT}`, better: 'less', baseline: early, figures: ratios, goals },
      { unit: 'MiB, memory of the process', better: 'less', baseline: early, figures: sizes, goals },
    ];
  }),
};
