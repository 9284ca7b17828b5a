'use strict';

// A process with the loop of the readable-ids blog, over the official driver: one document a day. Reports
// { counts }. Job: { url, prefix, count }

const { MongoClient } = require('mongodb');
const { hangUp, job, report, startSignal } = require('./child');

const DUPLICATE_KEY = 11000;

async function nextCount(days, prefix) {
  for (;;) {
    try {
      const increment = { $inc: { count: 1 } };
      const options = { upsert: true, returnDocument: 'after' };
      return (await days.findOneAndUpdate({ prefix }, increment, options)).count;
    } catch (error) {
      if (error.code !== DUPLICATE_KEY) throw error;
    }
  }
}

async function main() {
  const { url, prefix, count } = job;
  const client = new MongoClient(url);
  const days = client.db().collection('ids');
  await client.connect();
  await startSignal();
  const counts = [];
  while (counts.length < count) counts.push(await nextCount(days, prefix));
  await report({ counts });
  await client.close();
  hangUp();
}

main();
