'use strict';

// An instance of a service: it takes ids until SIGTERM, closes its store while calls are under way, as a
// service does that is told to end, and reports { ids, stats }, the ids in the order of the calls.
// Job: { url, name, options, time, together }
//   name      '' for the dated sequence that has none
//   time      what the clock of dated sequences shows
//   together  so many calls at once, a hundred times a second at the most

const { once } = require('node:events');
const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('../..');
const { hangUp, job, report, startSignal } = require('./child');
const { setClock } = require('./set-clock');

async function main() {
  setClock(job.time);
  const store = open(job.url);
  const sequence = job.name === '' ? store.sequence(job.options) : store.sequence(job.name, job.options);
  const ids = [];
  const told = once(process, 'SIGTERM').then(() => store.close());
  await startSignal();
  for (let isOpen = true; isOpen;) {
    const calls = Array.from({ length: job.together }, () => sequence.nextId());
    for (const { value, reason } of await Promise.allSettled(calls)) {
      if (value !== undefined) ids.push(value);
      else if (reason.code === 'ERR_NEXTID_CLOSED') isOpen = false;
      else throw reason;
    }
    await sleep(10);
  }
  await told;
  await report({ ids, stats: sequence.stats() });
  hangUp();
}

main();
