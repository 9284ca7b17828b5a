'use strict';

// A process that takes ids and reports { ids, stats }, the ids in the order of its calls.
// Job: { url, name, options, count, together, end }
//   together   so many nextId() are called at once
//   end        'close': close() gives unused numbers back
//              'exit': the process ends with its numbers in memory, which nobody gets

const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('../..');
const { job, startSignal, report } = require('./child');

async function takeIds(sequence, { count, together }) {
  const ids = [];
  while (ids.length < count) {
    const calls = Math.min(together, count - ids.length);
    ids.push(...(await Promise.all(Array.from({ length: calls }, () => sequence.nextId()))));
  }
  return ids;
}

// What a refill reserves that is under way at the end is in no stats.
async function lastRefill(sequence) {
  for (;;) {
    const { refilling, lastError } = sequence.stats();
    if (!refilling && lastError === undefined) return;
    await sleep(1);
  }
}

async function main() {
  const store = open(job.url);
  const sequence = store.sequence(job.name, job.options);
  await startSignal();
  const ids = await takeIds(sequence, job);
  if (job.end === 'close') {
    await store.close();
  } else {
    await lastRefill(sequence);
  }
  await report({ ids, stats: sequence.stats() });
  if (job.end === 'exit') process.exit();
  process.disconnect();
}

main();
