'use strict';

// Terminates worker_threads that take ids, WARM_UP of them and then COUNT. Prints, as JSON, the footprints of
// this process after both, and how many of the COUNT had a refill under way at their end.
//
// Usage: node ...LEAK_CHECK_FLAGS terminated-threads.js URL WARM_UP COUNT

const { once } = require('node:events');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { open } = require('../..');
const { footprint } = require('./footprint');

const SEQUENCES = 5;
const AT_ONCE = 5;

// In the thread. Each id needs a refill of its own; waiting[i] is 1 while sequence i waits for one.
function takeIds({ url, waiting }) {
  const ids = open(url);
  const takeAll = async (sequence, i) => {
    for (;;) {
      waiting[i] = 1;
      await sequence.nextId();
      waiting[i] = 0;
      parentPort.postMessage('an id');
    }
  };
  for (let i = 0; i < SEQUENCES; i++) takeAll(ids.sequence(`sequence ${i}`, { step: 1 }), i);
}

// Returns whether a refill was under way.
async function terminateOne(url, delay) {
  const waiting = new Int32Array(new SharedArrayBuffer(4 * SEQUENCES));
  const worker = new Worker(__filename, { workerData: { url, waiting } });
  await once(worker, 'message');
  await sleep(delay);
  const terminated = worker.terminate();
  const wasRefilling = waiting.some((value) => value === 1);
  await terminated;
  return wasRefilling;
}

// At different moments, up to 10 ms after the first id.
async function terminate(url, count) {
  let refilling = 0;
  for (let i = 0; i < count; i += AT_ONCE) {
    const some = Array.from({ length: AT_ONCE }, (_, k) => terminateOne(url, (i + k) % 11));
    refilling += (await Promise.all(some)).filter(Boolean).length;
  }
  return { refilling, ...await footprint() };
}

async function main([url, warmUp, count]) {
  const before = await terminate(url, Number(warmUp));
  const { refilling, ...after } = await terminate(url, Number(count));
  console.log(JSON.stringify({ before, after, refilling }));
}

if (isMainThread) main(process.argv.slice(2));
else takeIds(workerData);
