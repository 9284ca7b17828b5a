'use strict';

// node threads.js STORE_URL: two worker_threads, each of which opens the same store.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads');
const { open } = require('nextid');
const { assertDistinct, assertGrowing, next } = require('./support');

const IDS = 20_000;

async function takeIds(url) {
  const store = open(url);
  const orders = store.sequence('orders');
  const ids = [];
  while (ids.length < IDS) ids.push(await orders.nextId());
  await store.close();
  parentPort.postMessage(ids);
}

async function main(url) {
  const workers = [0, 1].map(() => new Worker(__filename, { workerData: url }));
  const exits = workers.map((worker) => once(worker, 'exit'));
  const ofWorkers = await Promise.all(workers.map(async (worker) => (await once(worker, 'message'))[0]));
  assert.deepEqual(await Promise.all(exits), [[0], [0]], 'exit codes');

  for (const ids of ofWorkers) {
    assert.equal(ids.length, IDS);
    assertGrowing(ids);
  }
  const ids = ofWorkers.flat();
  assertDistinct(ids);
  assert((await next(url)) > ids.reduce((a, b) => Math.max(a, b)));
}

if (isMainThread) main(process.argv[2]);
else takeIds(workerData);
