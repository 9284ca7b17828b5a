'use strict';

const { open } = require('..');
const { measure, perSecond } = require('./support/rounds');
const { withSqliteUrl } = require('./support/stores');

const LIMIT = 'Promise.resolve(i++)';

async function promises(ids) {
  let i = 0;
  for (let n = 0; n < ids; n++) await Promise.resolve(i++);
  return i;
}

async function awaited(sequence, ids) {
  for (let n = 0; n < ids; n++) await sequence.nextId();
  return ids;
}

module.exports = {
  question: 'How close does `await seq.nextId()` come to `await Promise.resolve(i++)`, the limit?',
  run: ({ rounds, amount }) => withSqliteUrl(async (url) => {
    const ids = amount(1_000_000);
    const store = open(url);
    const held = store.sequence('held', { step: 100 * ids });
    await held.ready();
    const figures = await measure({
      [LIMIT]: perSecond(() => promises(ids)),
      'nextId(), numbers in memory': perSecond(() => awaited(held, ids)),
      'nextId(), default options, refills from SQLite':
        perSecond(() => awaited(store.sequence('adaptive'), ids)),
      "nextId(), period: 'day', refills from SQLite":
        perSecond(() => awaited(store.sequence('dated', { period: 'day' }), ids)),
    }, rounds);
    await store.close();
    return [{
      unit: 'ids a second, one caller', better: 'more', baseline: LIMIT, figures,
      goals: [{ row: 'nextId(), numbers in memory', of: LIMIT, least: 0.95 }],
    }];
  }),
};
