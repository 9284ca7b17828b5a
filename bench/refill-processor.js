'use strict';

const { execFile } = require('node:child_process');
const { promisify } = require('node:util');

const { open } = require('..');
const { build } = require('./support/native');
const { measure } = require('./support/rounds');
const { withDatabase } = require('./support/stores');

const REFILLS = 1500;
const NEXTID = 'a refill of nextid, whole process';
const BARE = 'libmongoc in a C++ loop'; // a plain $inc; nextid adds conditions on what the counter holds

const run = promisify(execFile);

// Microseconds of processor time of all threads of this process, each.
async function refill(sequence, calls) {
  const [before, refillsBefore] = [process.cpuUsage(), sequence.stats().refills];
  for (let n = 0; n < calls; n++) await sequence.nextId(); // with step 1 each is a refill
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (sequence.stats().refills - refillsBefore);
}

async function bareLoop(program, url, database, calls) {
  const { stdout } = await run(program, [url, database, String(calls)]);
  return Number(stdout);
}

module.exports = {
  question: 'How much processor time does a refill take?',
  needs: 'mongodb',
  run: async ({ rounds, amount, mongodbUrl }) => {
    const program = await build('bare_mongoc');
    return withDatabase(mongodbUrl, async (url, database) => {
      await database.collection('ids').insertOne({ _id: 'bare', index: 1000 });
      const store = open(url);
      const sequence = store.sequence('orders', { step: 1 });
      await sequence.ready();
      const calls = amount(REFILLS);
      const figures = await measure({
        [NEXTID]: () => refill(sequence, calls),
        [BARE]: () => bareLoop(program, url, database.databaseName, calls),
      }, rounds);
      await store.close();
      return [{
        unit: 'µs each', better: 'less', baseline: BARE, figures, goals: [{ row: NEXTID, of: BARE, most: 2 }],
      }];
    });
  },
};
