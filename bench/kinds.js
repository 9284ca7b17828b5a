'use strict';

// One question: how many ids a second does each kind give to 100 callers at once, beside the algorithms that
// it replaces, over the official driver on the same server? Without $MONGODB_URL it shows SQLite only.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { open } = require('..');
const { measure, print } = require('./rounds');

const ROUNDS = 7;
const CALLERS = 100;
const MS = 1000; // that each peer has in a round

const KINDS = {
  plain: ['orders', {}],
  'dated, period: day': [{ period: 'day' }],
  'cyclic, cycle: 1000000': ['serial', { cycle: 1_000_000 }],
  'time-stamped': ['trace', { timestamp: true }],
  'time-stamped, maxAge: 100': ['kept', { timestamp: { maxAge: 100 } }],
};

// CALLERS loops of `next`, until the time is over.
function callers(next) {
  return async () => {
    const end = performance.now() + MS;
    const counts = await Promise.all(Array.from({ length: CALLERS }, async () => {
      let count = 0;
      for (; performance.now() < end; count++) await next();
      return count;
    }));
    return counts.reduce((sum, count) => sum + count);
  };
}

function ours(store, label) {
  return Object.fromEntries(Object.entries(KINDS).map(([name, parameters]) => {
    const sequence = store.sequence(...parameters);
    return [`nextId() over ${label}: ${name}`, callers(() => sequence.nextId())];
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

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-bench-'));
  const sqlite = open(`sqlite:${path.join(folder, 'ids.db')}`);
  const peers = ours(sqlite, 'SQLite');
  const server = process.env.MONGODB_URL ? await connect(peers) : undefined;

  console.log(`${CALLERS} callers at once, median of ${ROUNDS} interleaved rounds of ${MS} ms`);
  print(await measure(peers, ROUNDS), server ? 'upsert loop, one document a day' : Object.keys(peers)[0]);

  await server?.close();
  await sqlite.close();
  fs.rmSync(folder, { recursive: true, force: true });
}

// Adds the peers that need a server.
async function connect(peers) {
  const { MongoClient } = require('mongodb');
  const client = await MongoClient.connect(process.env.MONGODB_URL, { maxPoolSize: CALLERS });
  const database = client.db('nextid_bench');
  await database.dropDatabase();
  const url = new URL(process.env.MONGODB_URL);
  url.pathname = '/nextid_bench';
  const mongodb = open(String(url));
  Object.assign(peers, ours(mongodb, 'MongoDB'));
  await mongodb.sequence({ period: 'day' }).ready(); // makes the document and its index, for both
  await database.collection('counters').insertOne({ _id: 'post', val: 0, maxval: 1_000_000 });
  peers['upsert loop, one document a day'] = callers(upsertLoop(database.collection('ids')));
  peers['compare-and-set loop, cyclic'] = callers(compareAndSetLoop(database.collection('counters'), 'post'));
  return {
    close: async () => {
      await mongodb.close();
      await database.dropDatabase();
      await client.close();
    },
  };
}

main();
