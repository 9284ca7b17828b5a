'use strict';

// nextid only in worker_threads, which end while refills run.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { Worker, isMainThread, parentPort } = require('node:worker_threads');

const ROUNDS = 10;

async function work() {
  const { open } = require('nextid');
  const orders = open('sqlite:threads.db').sequence('orders', { step: 1 });
  for (;;) parentPort.postMessage(await orders.nextId());
}

async function main() {
  const given = [];
  for (let i = 0; i < ROUNDS; ++i) {
    const workers = [new Worker(__filename), new Worker(__filename)];
    for (const worker of workers) worker.on('message', (id) => given.push(id));
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  assert.equal(new Set(given).size, given.length);
  console.log(`${given.length} ids of ${2 * ROUNDS} threads, none twice`);
}

if (isMainThread) main();
else work();
