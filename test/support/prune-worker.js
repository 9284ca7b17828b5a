'use strict';

// A process that prunes dated counters, again and again. Reports { removed }, all that it did.
// Job: { url, name, now, befores }
//   now      what its clock shows
//   befores  the option `before` of each time

const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('../..');
const { hangUp, job, report, startSignal } = require('./child');
const { setClock } = require('./set-clock');

async function main() {
  setClock(job.now);
  const store = open(job.url);
  await startSignal();
  const removed = [];
  for (const before of job.befores) {
    removed.push(...await store.prune(job.name, { before }));
    await sleep(20); // others shall have a go
  }
  await store.close();
  await report({ removed });
  hangUp();
}

main();
