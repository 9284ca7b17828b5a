'use strict';

const { measure } = require('./support/rounds');
const { withDatabase } = require('./support/stores');
const { Takers } = require('./support/takers');

const MS = 500; // that each peer has in a round
const LARGEST_STEP = 1_000_000_000; // more than a process takes here
const MOST_PROCESSES = 4;

const BLOG = "the blog's next_id(idstatus, callback), step 10";

const nextId = (name, callers, options) => ({ way: 'nextId', name, callers, options });
const inMemory = (name, callers) => nextId(name, callers, { step: LARGEST_STEP });
const blog = (name, step) => ({ way: 'blog', name, step });

// The blog's is a range at a time, whoever calls: one caller gets as much as many. Where each id is one
// findOneAndUpdate, more than ten callers only wait for each other at the document.
const ONE_EACH = { way: 'findOneAndUpdate', name: 'mongoose', callers: 10 };
const PEERS = {
  'await nextId(), one caller': nextId('one', 1),
  'await nextId(), one caller, all numbers in memory': inMemory('one_in_memory', 1),
  'await nextId(), 1 000 callers': nextId('thousand', 1000),
  'await nextId(), 1 000 callers, all numbers in memory': inMemory('thousand_in_memory', 1000),
  'await nextIds(1000), every id used': { way: 'nextIds', name: 'bulk' },
  [BLOG]: blog('blog_10', 10),
  "the blog's, step 1 000": blog('blog_1000', 1000),
  "the blog's, step 100 000": blog('blog_100000', 100_000),
  'one findOneAndUpdate an id, as mongoose-sequence': ONE_EACH,
};

const GOALS = ['await nextId(), one caller', 'await nextId(), 1 000 callers'].flatMap((row) => [
  { row, of: BLOG, least: 500 },
  { row, of: `${row}, all numbers in memory`, least: 0.9 },
]);

// Those of the peers: their own ways of making one may fail where several processes come at once.
async function makeCounters(database) {
  const names = Object.values(PEERS).filter(({ way }) => way === 'blog').map(({ name }) => name);
  await database.collection('ids').insertMany(names.map((_id) => ({ _id, index: 1000 })));
  await database.collection('counters').insertOne({ _id: ONE_EACH.name, seq: 0 });
}

async function startAll(url) {
  const all = {};
  try {
    for (const [name, job] of Object.entries(PEERS)) {
      all[name] = await Takers.start({ ...job, url }, MOST_PROCESSES);
    }
    return all;
  } catch (error) {
    await stopAll(all);
    throw error;
  }
}

const stopAll = (all) => Promise.all(Object.values(all).map((takers) => takers.stop()));

module.exports = {
  question: 'How many ids a second does a service get over MongoDB, as long as it likes?',
  needs: 'mongodb',
  run: ({ rounds, amount, mongodbUrl }) => withDatabase(mongodbUrl, async (url, database) => {
    await makeCounters(database);
    const all = await startAll(url);
    try {
      const tables = [];
      for (const processes of [1, MOST_PROCESSES]) {
        const peers = Object.fromEntries(Object.entries(all).map(([name, takers]) => (
          [name, () => takers.idsASecond(processes, amount(MS))])));
        tables.push({
          title: processes === 1 ? 'one process' : `${processes} processes that share a counter, together`,
          unit: 'ids a second', better: 'more', baseline: BLOG,
          figures: await measure(peers, rounds), goals: GOALS,
        });
      }
      return tables;
    } finally {
      await stopAll(all);
    }
  }),
};
