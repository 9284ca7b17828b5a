'use strict';

const { open } = require('..');
const { measure, perSecond } = require('./support/rounds');
const { withSqliteUrl } = require('./support/stores');

const CALLERS = 1000;
const LIMIT = 'Promise.resolve(i++)';

async function promises(batches) {
  let i = 0;
  for (let batch = 0; batch < batches; batch++) {
    const calls = [];
    for (let n = 0; n < CALLERS; n++) calls.push(Promise.resolve(i++));
    await Promise.all(calls);
  }
  return batches * CALLERS;
}

async function ids(sequence, batches) {
  for (let batch = 0; batch < batches; batch++) {
    const calls = [];
    for (let n = 0; n < CALLERS; n++) calls.push(sequence.nextId());
    await Promise.all(calls);
  }
  return batches * CALLERS;
}

module.exports = {
  question: `How close does \`Promise.all\` of ${CALLERS} nextId() come to that of Promise.resolve(i++)?`,
  run: ({ rounds, amount }) => withSqliteUrl(async (url) => {
    const batches = amount(2000);
    const store = open(url);
    const held = store.sequence('held', { step: 100 * batches * CALLERS });
    await held.ready();
    const figures = await measure({
      [LIMIT]: perSecond(() => promises(batches)),
      'nextId(), numbers in memory': perSecond(() => ids(held, batches)),
      'nextId(), default options, refills from SQLite':
        perSecond(() => ids(store.sequence('adaptive'), batches)),
    }, rounds);
    await store.close();
    return [{
      unit: `ids a second, ${CALLERS} callers`, better: 'more', baseline: LIMIT, figures,
      goals: [{ row: 'nextId(), numbers in memory', of: LIMIT, least: 0.9 }],
    }];
  }),
};
