'use strict';

const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('..');
const { measure } = require('./support/rounds');
const { withDatabase, withSqliteUrl } = require('./support/stores');

const REFILLS = 500;
const STEP = 100;
const PAUSE = 2; // ms before each, so that what nobody waits for is done when the next begins
const PAUSE_ALONE = 'the pause alone';
const PREFETCH = 'a prefetch of nextid, MongoDB';
const NEXTID = 'a refill that a call waits for, MongoDB';
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

// Takes a step of ids from memory again and again. Returns how many refills that brought about.
async function prefetch(sequence, calls) {
  const before = sequence.stats().refills;
  for (let n = 0; n < calls; n++) {
    await sleep(PAUSE);
    for (let i = 0; i < STEP; i++) sequence.tryNextId();
  }
  return sequence.stats().refills - before;
}

// Calls of nextId(), each of which waits for a refill. Returns how many refills it was.
async function refill(sequence, calls) {
  const before = sequence.stats().refills;
  for (let n = 0; n < calls; n++) {
    await sleep(PAUSE);
    await sequence.reserve(STEP + 1); // more than is in memory
  }
  return sequence.stats().refills - before;
}

async function findOneAndUpdate(collection, calls) {
  const options = { returnDocument: 'after' };
  const change = { $inc: { index: 1 } };
  for (let n = 0; n < calls; n++) {
    await sleep(PAUSE);
    await collection.findOneAndUpdate({ _id: 'driver' }, change, options);
  }
  return calls;
}

async function pauses(calls) {
  for (let n = 0; n < calls; n++) await sleep(PAUSE);
  return calls;
}

// What the pause before each costs is no part of it: what was measured of it in the same round is taken off.
function withoutPauses({ [PAUSE_ALONE]: pause, ...others }) {
  return Object.fromEntries(Object.entries(others).map(
    ([name, figures]) => [name, figures.map((figure, round) => figure - pause[round])]));
}

// How much of `clock` each of what `work` does costs.
const each = (clock, work) => async () => {
  const before = clock();
  const count = await work();
  return (clock() - before) / count;
};

async function measured({ rounds, amount, mongodb, sqlite, database }) {
  const calls = Math.max(20, amount(REFILLS)); // each round needs some
  const collection = database.collection('ids');
  await collection.insertOne({ _id: 'driver', index: 1000 });
  const stepped = (store) => ['fetched', 'waited-for'].map((name) => store.sequence(name, { step: STEP }));
  const [fetched, waitedFor] = stepped(mongodb);
  const [fetchedHere, waitedForHere] = stepped(sqlite);
  await Promise.all([fetched, waitedFor, fetchedHere, waitedForHere].map((sequence) => sequence.ready()));
  const tables = [];
  for (const [title, clock] of Object.entries(CLOCKS)) {
    const figures = withoutPauses(await measure({
      [PAUSE_ALONE]: each(clock, () => pauses(calls)),
      [PREFETCH]: each(clock, () => prefetch(fetched, calls)),
      [NEXTID]: each(clock, () => refill(waitedFor, calls)),
      [DRIVER]: each(clock, () => findOneAndUpdate(collection, calls)),
      'a prefetch of nextid, SQLite': each(clock, () => prefetch(fetchedHere, calls)),
      'a refill that a call waits for, SQLite': each(clock, () => refill(waitedForHere, calls)),
    }, rounds));
    tables.push({
      title, unit: 'µs each', better: 'less', baseline: DRIVER, figures,
      goals: [PREFETCH, NEXTID].map((row) => ({ row, of: DRIVER, most: 0.2 })),
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
