'use strict';

const { open } = require('..');
const { measure } = require('./support/rounds');
const { withDatabase, withSqliteUrl } = require('./support/stores');

const REFILLS = 1500;
const NEXTID = 'a refill of nextid, MongoDB';
const DRIVER = 'findOneAndUpdate of the official driver';

// The microseconds for which the event loop was not waiting for anything, and those for which a processor
// ran its thread. The first has in it the time when others had the processor.
const CLOCKS = {
  'event loop busy': () => performance.eventLoopUtilization().active * 1000,
  'processor time of its thread': () => {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  },
};

// Calls of nextId() one after the other, each of which is a refill. Returns how many refills it was.
async function refill(sequence, calls) {
  const before = sequence.stats().refills;
  for (let n = 0; n < calls; n++) await sequence.nextId();
  return sequence.stats().refills - before;
}

async function findOneAndUpdate(collection, calls) {
  const options = { returnDocument: 'after' };
  const change = { $inc: { index: 1 } };
  for (let n = 0; n < calls; n++) await collection.findOneAndUpdate({ _id: 'driver' }, change, options);
  return calls;
}

// How much of `clock` each of what `work` does costs.
const each = (clock, work) => async () => {
  const before = clock();
  const count = await work();
  return (clock() - before) / count;
};

async function measured({ rounds, amount, mongodb, sqlite, database }) {
  const calls = amount(REFILLS);
  const collection = database.collection('ids');
  await collection.insertOne({ _id: 'driver', index: 1000 });
  const [overMongodb, overSqlite] = [mongodb, sqlite].map((store) => store.sequence('orders', { step: 1 }));
  await Promise.all([overMongodb.ready(), overSqlite.ready()]);
  const tables = [];
  for (const [title, clock] of Object.entries(CLOCKS)) {
    const figures = await measure({
      [NEXTID]: each(clock, () => refill(overMongodb, calls)),
      [DRIVER]: each(clock, () => findOneAndUpdate(collection, calls)),
      'a refill of nextid, SQLite': each(clock, () => refill(overSqlite, calls)),
    }, rounds);
    tables.push({
      title, unit: 'µs each', better: 'less', baseline: DRIVER, figures,
      goals: [{ row: NEXTID, of: DRIVER, most: 0.2 }],
    });
  }
  return tables;
}

module.exports = {
  question: 'How long is the event loop kept from other work by a refill?',
  needs: 'mongodb',
  run: ({ mongodbUrl, ...how }) => withDatabase(mongodbUrl, (url, database) => withSqliteUrl(async (file) => {
    const mongodb = open(url);
    const sqlite = open(file);
    const tables = await measured({ ...how, mongodb, sqlite, database });
    await mongodb.close();
    await sqlite.close();
    return tables;
  })),
};
