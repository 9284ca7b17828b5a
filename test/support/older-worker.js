'use strict';

// Instances of an older version, one after the other: each reserves a range, uses a part of it, and gives the
// rest back. Until SIGTERM; then it reports { numbers }. Job: { url, name, prefix, step }

const { once } = require('node:events');
const { setTimeout: sleep } = require('node:timers/promises');
const { hangUp, job, report, startSignal } = require('./child');
const { olderCounter } = require('./older-version');

const { url, name, prefix, step } = job;

async function main() {
  const counter = olderCounter(url, name, prefix);
  const numbers = [];
  let isTold = false;
  once(process, 'SIGTERM').then(() => (isTold = true));
  await startSignal();
  for (let used = 1; !isTold; used = used % step + 1) {
    const first = await counter.reserve(step);
    for (let i = 0; i < used; i++) numbers.push(first + i);
    await sleep(5);
    if (used < step) await counter.release(first + used, first + step);
  }
  await counter.close();
  await report({ numbers });
  hangUp();
}

main();
