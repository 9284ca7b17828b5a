'use strict';

// Callers who take ids that go round, each one after the other: a process or worker_thread that reports
// { ids }.
// Job: { url, name, cycle, count, callers }
//   count     how many each caller takes
//   callers   one for each: 'nextid', or 'post' for a program that shares the counter

const { open } = require('../..');
const { hangUp, job, report, startSignal } = require('./child');

const { url, name, cycle, count, callers } = job;
const closing = [];

const LIBRARIES = {
  nextid() {
    const store = open(url);
    closing.push(store);
    const sequence = store.sequence(name, { cycle });
    return () => sequence.nextId();
  },
  post() {
    const { MongoClient } = require('mongodb');
    const { postCounter } = require('./post-counter');
    const client = new MongoClient(url);
    closing.push(client);
    const counter = postCounter(client.db().collection('counters'));
    return () => counter.nextId(name);
  },
};

async function takeIds(nextId) {
  const ids = [];
  while (ids.length < count) ids.push(await nextId());
  return ids;
}

async function main() {
  const nextIdOf = {};
  for (const library of callers) nextIdOf[library] ??= LIBRARIES[library]();
  await startSignal();
  const ids = await Promise.all(callers.map((library) => takeIds(nextIdOf[library])));
  await report({ ids: ids.flat() });
  for (const connected of closing) await connected.close();
  hangUp();
}

main();
