'use strict';

const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('..');
const { measure } = require('./support/rounds');
const { withDatabase, withSqliteUrl } = require('./support/stores');

const MS = 300; // that each store has in a round
const LARGEST_STEP = 1_000_000_000; // more than is taken here
const BATCH = 1000; // ids between two looks at the clock
const REFILLS = 300;
const PAUSE = 2; // ms before each, so that what nobody waits for is done when the next begins
const PAUSE_ALONE = 'the pause alone';
const DRIVER = 'findAndModify by the driver alone';
const REFILL = 'a refill through the driver that a call waits for';
const LEAST = 0.9; // of all numbers in memory

async function idsASecond(sequence, ms) {
  const start = performance.now();
  let ids = 0;
  do {
    for (let i = 0; i < BATCH; i++) await sequence.nextId();
    ids += BATCH;
  } while (performance.now() - start < ms);
  return ids / (performance.now() - start) * 1000;
}

async function sustained(stores, { rounds, amount }) {
  const peers = {};
  for (const [name, store] of Object.entries(stores)) {
    const [sequence, inMemory] = [store.sequence('a'), store.sequence('b', { step: LARGEST_STEP })];
    await Promise.all([sequence.ready(), inMemory.ready()]);
    peers[name] = () => idsASecond(sequence, amount(MS));
    peers[`${name}, all in memory`] = () => idsASecond(inMemory, amount(MS));
  }
  return {
    title: 'await nextId() as long as you like, default options',
    unit: 'ids a second', better: 'more', baseline: 'memory:, all in memory',
    figures: await measure(peers, rounds),
    goals: Object.keys(stores).map((row) => ({ row, of: `${row}, all in memory`, least: LEAST })),
  };
}

// The µs for which the event loop was busy with each of what `work` does.
const busy = (calls, work) => async () => {
  const before = performance.eventLoopUtilization().active;
  for (let n = 0; n < calls; n++) {
    await sleep(PAUSE);
    await work();
  }
  return (performance.eventLoopUtilization().active - before) * 1000 / calls;
};

async function refills(store, database, { rounds, amount }) {
  const calls = Math.max(20, amount(REFILLS));
  const sequence = store.sequence('waited', { step: 10 });
  await sequence.ready();
  await database.collection('ids').insertOne({ _id: 'alone', index: 1 });
  const command = {
    findAndModify: 'ids', query: { _id: 'alone' }, update: { $inc: { index: 10n } }, new: true,
    writeConcern: { w: 'majority', j: true },
  };
  const { [PAUSE_ALONE]: pause, ...others } = await measure({
    [PAUSE_ALONE]: busy(calls, () => {}),
    [REFILL]: busy(calls, () => sequence.reserve(11)), // more than is in memory
    [DRIVER]: busy(calls, () => database.command(command)),
  }, rounds);
  const figures = Object.fromEntries(Object.entries(others).map(
    ([name, all]) => [name, all.map((figure, round) => figure - pause[round])]));
  return {
    title: 'event loop busy for a refill', unit: 'µs each', better: 'less', baseline: DRIVER, figures,
    goals: [{ row: REFILL, of: DRIVER, most: 1.5 }],
  };
}

function ownStore() {
  const values = new Map();
  return {
    read: async (key) => values.get(key),
    async compareAndSet(key, expected, next) {
      if (values.get(key) !== expected) return false;
      values.set(key, next);
      return true;
    },
    list: async () => values,
  };
}

module.exports = {
  question: 'What does each store cost, and one in JavaScript?',
  needs: 'mongodb',
  run: ({ mongodbUrl, ...how }) => withDatabase(mongodbUrl, (url, database) => withSqliteUrl(async (file) => {
    const stores = {
      'memory:': open('memory:'), 'own store': open(ownStore()), SQLite: open(file),
      'MongoDB, native': open(url), 'MongoDB, a connection of the service': open(database),
    };
    const tables = [await sustained(stores, how)];
    tables.push(await refills(stores['MongoDB, a connection of the service'], database, how));
    for (const store of Object.values(stores)) await store.close();
    return tables;
  })),
};
