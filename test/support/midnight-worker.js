'use strict';

// A process that takes an id now and then until its clock has crossed midnight. The clock begins 2 s before
// the next counter is to be opened, which is `lead` ms before midnight, and jumps to a second before midnight
// when it is open. Job: { url, lead, clockFile }, the file being that of clockOffAsIn(). Reports
//   midnight  that it crossed
//   opened    { at, prefixes }: when it saw two counters in the store, and of which days
//   taken     [{ before, after, id }], the clock before and after each call
//   waits     how many calls had to wait

const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('../..');
const { hangUp, job, report, startSignal } = require('./child');

let offset = 0; // ms

function setClock(time) {
  offset += time - Date.now();
  const seconds = offset / 1000;
  fs.writeFileSync(`${job.clockFile}.new`, seconds < 0 ? `${seconds}` : `+${seconds}`);
  fs.renameSync(`${job.clockFile}.new`, job.clockFile);
}

async function main() {
  const midnight = Date.parse('2025-01-01T00:00Z');
  await startSignal();
  setClock(midnight - job.lead - 2000);
  const store = open(job.url);
  const orders = store.sequence('orders', { period: 'day', step: 10_000 });
  const taken = [];
  let opened;
  while (Date.now() < midnight || taken.length < 5 || taken.at(-4).before < midnight) {
    const before = Date.now();
    const id = await orders.nextId();
    taken.push({ before, after: Date.now(), id });
    await sleep(20);
    if (opened !== undefined) continue;
    const counters = await store.list();
    if (counters.length < 2) continue;
    opened = { at: Date.now(), prefixes: counters.map(({ prefix }) => prefix) };
    setClock(Math.max(Date.now(), midnight - 1000));
  }
  const { waits } = orders.stats();
  await store.close();
  await report({ midnight, opened, taken, waits });
  hangUp();
}

main();
