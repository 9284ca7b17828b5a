'use strict';

const { open } = require('..');
const { measure, perSecond } = require('./support/rounds');
const { withDatabase, withSqliteUrl } = require('./support/stores');

const CALLERS = 100;
const UNIT = `ids a second, ${CALLERS} callers`;
const UPSERT_LOOP = 'one upsert for each dated id';
const COMPARE_AND_SET_LOOP = 'one compare-and-set for each cyclic id';

const KINDS = {
  plain: ['orders', {}],
  "dated, period: 'day'": [{ period: 'day' }],
  'cyclic, cycle: 1000000': ['serial', { cycle: 1_000_000 }],
  'cyclic, step: 1000': ['places', { cycle: 1_000_000, step: 1000 }],
  'time-stamped': ['trace', { timestamp: true }],
  'time-stamped, maxAge: 100': ['kept', { timestamp: { maxAge: 100 } }],
};

// CALLERS loops of `next`, until `ms` are over.
function callers(ms, next) {
  return perSecond(async () => {
    const end = performance.now() + ms;
    const counts = await Promise.all(Array.from({ length: CALLERS }, async () => {
      let count = 0;
      for (; performance.now() < end; count++) await next();
      return count;
    }));
    return counts.reduce((sum, count) => sum + count);
  });
}

function ours(store, ms) {
  return Object.fromEntries(Object.entries(KINDS).map(([name, parameters]) => {
    const sequence = store.sequence(...parameters);
    return [name, callers(ms, () => sequence.nextId())];
  }));
}

// One document a day, counted up once for each id.
function upsertLoop(collection) {
  const today = Number(new Date().toISOString().slice(2, 10).replaceAll('-', ''));
  return async () => {
    for (;;) {
      try {
        const change = { $inc: { count: 1 } };
        const options = { upsert: true, returnDocument: 'after' };
        return (await collection.findOneAndUpdate({ prefix: today }, change, options)).count;
      } catch (error) {
        if (error.code !== 11000) throw error;
      }
    }
  };
}

// A cyclic counter, moved by compare-and-set.
function compareAndSetLoop(collection, _id) {
  return async () => {
    for (;;) {
      const { val, maxval } = await collection.findOne({ _id });
      if (val >= maxval) {
        await collection.updateOne({ _id, val }, { $set: { val: 0 } });
      } else {
        const { modifiedCount } = await collection.updateOne({ _id, val }, { $inc: { val: 1 } });
        if (modifiedCount === 1) return val + 1;
      }
    }
  };
}

async function overSqlite(url, ms, rounds) {
  const store = open(url);
  const figures = await measure(ours(store, ms), rounds);
  await store.close();
  return { title: 'SQLite', unit: UNIT, better: 'more', baseline: 'plain', figures };
}

async function overMongodb(url, database, ms, rounds) {
  const store = open(url);
  await store.sequence({ period: 'day' }).ready(); // makes the document and its index, for both
  await database.collection('counters').insertOne({ _id: 'post', val: 0, maxval: 1_000_000 });
  const figures = await measure({
    ...ours(store, ms),
    [UPSERT_LOOP]: callers(ms, upsertLoop(database.collection('ids'))),
    [COMPARE_AND_SET_LOOP]: callers(ms, compareAndSetLoop(database.collection('counters'), 'post')),
  }, rounds);
  await store.close();
  return { title: 'MongoDB', unit: UNIT, better: 'more', baseline: UPSERT_LOOP, figures };
}

module.exports = {
  question: `How many ids does each kind give ${CALLERS} callers, beside the algorithms that it replaces?`,
  run: async ({ rounds, amount, mongodbUrl }) => {
    const ms = amount(1000);
    const tables = [await withSqliteUrl((url) => overSqlite(url, ms, rounds))];
    if (mongodbUrl === undefined) return tables;
    const measureMongodb = (url, database) => overMongodb(url, database, ms, rounds);
    return [...tables, await withDatabase(mongodbUrl, measureMongodb, { maxPoolSize: CALLERS })];
  },
};
