'use strict';

// Does what its argument names, sends how many milliseconds it took, and ends. The store is in
// $START_UP_STORE.

const store = process.env.START_UP_STORE;

// What each task does before the time is taken, then what is measured, which may return how to close it.
const TASKS = {
  'require nextid': () => () => {
    require('../..');
  },
  'require better-sqlite3': () => () => {
    require('better-sqlite3');
  },
  'require mongodb': () => () => {
    require('mongodb');
  },
  'first id of nextid': () => {
    const { open } = require('../..');
    return async () => {
      const ids = open(store);
      await ids.sequence('orders').nextId();
      return () => ids.close();
    };
  },
  // As durable as nextid: better-sqlite3's own default would be synchronous = NORMAL.
  'first id of better-sqlite3': () => {
    const Database = require('better-sqlite3');
    return () => {
      const database = new Database(store);
      database.pragma('journal_mode = WAL');
      database.pragma('synchronous = FULL');
      database.exec('CREATE TABLE IF NOT EXISTS counters (name TEXT PRIMARY KEY, next INTEGER NOT NULL)');
      database.prepare(`INSERT INTO counters VALUES ('orders', 1)
        ON CONFLICT DO UPDATE SET next = next + 1 RETURNING next`).get();
      return () => database.close();
    };
  },
  // As durable as nextid.
  'first id of mongodb': () => {
    const { MongoClient } = require('mongodb');
    return async () => {
      const client = await MongoClient.connect(store, { writeConcern: { w: 'majority', journal: true } });
      const change = { $inc: { index: 1 } };
      const options = { upsert: true, returnDocument: 'after' };
      await client.db().collection('of_mongodb').findOneAndUpdate({ _id: 'orders' }, change, options);
      return () => client.close();
    };
  },
};

async function main() {
  const run = TASKS[process.argv[2]]();
  const start = performance.now();
  const close = await run();
  const ms = performance.now() - start;
  await close?.();
  process.send(ms, () => process.disconnect());
}

main();
