'use strict';

const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('..');
const { measure } = require('./support/rounds');
const { withDatabase, withSqlPool, withSqliteUrl } = require('./support/stores');

const MS = 300; // that each store has in a round
const LARGEST_STEP = 1_000_000_000; // more than is taken here
const BATCH = 1000; // ids between two looks at the clock
const STEP = 100;
const REFILLS = 300;
const PAUSE = 2; // ms before each, so that what nobody waits for is done when the next begins
const PAUSE_ALONE = 'the pause alone';
const [MONGODB, POSTGRESQL, MYSQL] = ['MongoDB, a connection of the service', 'PostgreSQL', 'MySQL'];
const LEAST = 0.9; // of all numbers in memory
const LEAST_OF_INSERTS = 500;
const MOST_OF_DRIVER = 1.5;

async function idsASecond(sequence, ms) {
  const start = performance.now();
  let ids = 0;
  do {
    for (let i = 0; i < BATCH; i++) await sequence.nextId();
    ids += BATCH;
  } while (performance.now() - start < ms);
  return ids / (performance.now() - start) * 1000;
}

// `inserts`: by the name of a store, what makes ids there without nextid.
async function sustained(stores, inserts, { rounds, amount }) {
  const peers = {};
  const goals = [];
  for (const [name, store] of Object.entries(stores)) {
    const [sequence, inMemory] = [store.sequence('a'), store.sequence('b', { step: LARGEST_STEP })];
    await Promise.all([sequence.ready(), inMemory.ready()]);
    peers[name] = () => idsASecond(sequence, amount(MS));
    peers[`${name}, all in memory`] = () => idsASecond(inMemory, amount(MS));
    goals.push({ row: name, of: `${name}, all in memory`, least: LEAST });
  }
  for (const [name, insert] of Object.entries(inserts)) {
    const row = `${name}, one INSERT for each id`;
    peers[row] = () => insertsASecond(insert, amount(MS));
    goals.push({ row: name, of: row, least: LEAST_OF_INSERTS });
  }
  return {
    title: 'await nextId() as long as you like, default options',
    unit: 'ids a second', better: 'more', baseline: 'memory:, all in memory',
    figures: await measure(peers, rounds), goals,
  };
}

async function insertsASecond(insert, ms) {
  const start = performance.now();
  let ids = 0;
  for (; performance.now() - start < ms; ids++) await insert();
  return ids / (performance.now() - start) * 1000;
}

// The µs for which the event loop was busy while `work` was done so many times, and how often that was: what
// countOf() has risen by, or `calls`.
const busy = (calls, work, countOf) => async () => {
  const counted = countOf?.();
  const before = performance.eventLoopUtilization().active;
  for (let n = 0; n < calls; n++) {
    await sleep(PAUSE);
    await work();
  }
  const active = (performance.eventLoopUtilization().active - before) * 1000;
  return { active, count: countOf === undefined ? calls : countOf() - counted };
};

// Takes a step of ids from memory.
function takeStep(sequence) {
  for (let i = 0; i < STEP; i++) sequence.tryNextId();
}

// `statements`: by the name of a store, the statement of a refill, by the driver alone.
async function refills(stores, statements, { rounds, amount }) {
  const calls = Math.max(20, amount(REFILLS));
  const peers = { [PAUSE_ALONE]: busy(calls, () => {}) };
  const goals = [];
  for (const [name, statement] of Object.entries(statements)) {
    const [fetched, waitedFor] = ['fetched', 'waited-for'].map(
      (sequence) => stores[name].sequence(sequence, { step: STEP }));
    await Promise.all([fetched.ready(), waitedFor.ready()]);
    const refillsOf = (sequence) => () => sequence.stats().refills;
    const rows = [`${name}: a prefetch`, `${name}: a refill that a call waits for`];
    const alone = `${name}: its statement by the driver alone`;
    peers[rows[0]] = busy(calls, () => takeStep(fetched), refillsOf(fetched));
    // More than is in memory.
    peers[rows[1]] = busy(calls, () => waitedFor.reserve(STEP + 1), refillsOf(waitedFor));
    peers[alone] = busy(calls, statement);
    goals.push(...rows.map((row) => ({ row, of: alone, most: MOST_OF_DRIVER })));
  }
  const { [PAUSE_ALONE]: pauses, ...others } = await measure(peers, rounds);
  const figures = Object.fromEntries(Object.entries(others).map(([name, all]) => (
    [name, all.map(({ active, count }, round) => (active - pauses[round].active) / count)])));
  return { title: 'event loop busy for a refill', unit: 'µs each', better: 'less', figures, goals };
}

async function mongodbStatement(database) {
  await database.collection('ids').insertOne({ _id: 'alone', index: 1 });
  const command = {
    findAndModify: 'ids', query: { _id: 'alone' }, update: { $inc: { index: 10n } }, new: true,
    writeConcern: { w: 'majority', j: true },
  };
  return () => database.command(command);
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

// Of a counter that no sequence uses meanwhile.
async function sqlStatement(store, pool, value, end = '') {
  await store.sequence('alone').ready();
  const where = "WHERE kind = 'plain' AND name = 'alone' AND prefix = 0";
  const sql = `UPDATE nextid_counters SET value = ${value} ${where}${end}`;
  return () => pool.query(sql);
}

function run({ mongodbUrl, postgresUrl, mysqlUrl, ...how }) {
  const within = (use) => withDatabase(mongodbUrl, (url, database) => withSqliteUrl((file) => (
    withSqlPool(postgresUrl, (pg) => withSqlPool(mysqlUrl, (mysql) => (
      use({ url, database, file, pg, mysql })))))));
  return within(async ({ url, database, file, pg, mysql }) => {
    const stores = {
      'memory:': open('memory:'), 'own store': open(ownStore()), SQLite: open(file),
      'MongoDB, native': open(url), [MONGODB]: open(database),
      ...pg && { [POSTGRESQL]: open(pg) }, ...mysql && { [MYSQL]: open(mysql) },
    };
    const inserts = {
      ...pg && { [POSTGRESQL]: () => pg.query("INSERT INTO bench (note) VALUES ('a') RETURNING id") },
      ...mysql && { [MYSQL]: () => mysql.query("INSERT INTO bench (note) VALUES ('a')") },
    };
    const tables = [await sustained(stores, inserts, how)];
    const statements = {
      [MONGODB]: await mongodbStatement(database),
      ...pg && { [POSTGRESQL]: await sqlStatement(stores[POSTGRESQL], pg, 'value + 10', ' RETURNING value') },
      ...mysql && { [MYSQL]: await sqlStatement(stores[MYSQL], mysql, 'LAST_INSERT_ID(value + 10)') },
    };
    tables.push(await refills(stores, statements, how));
    for (const store of Object.values(stores)) await store.close();
    return tables;
  });
}

module.exports = { question: 'What does each store cost, and one in JavaScript?', needs: 'mongodb', run };
