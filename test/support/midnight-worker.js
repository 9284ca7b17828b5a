'use strict';

// A process that takes an id now and then until its clock has crossed midnight. Job: { url }. Reports
//   began    what its clock showed then
//   opened   { at, prefixes }: when it saw two counters in the store, and of which days
//   taken    [{ before, after, id }], the clock before and after each call
//   waits    how many calls had to wait

const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('../..');
const { hangUp, job, report, startSignal } = require('./child');

async function main() {
  const store = open(job.url);
  const orders = store.sequence('orders', { period: 'day', step: 10_000 });
  await startSignal();
  const began = Date.now();
  const midnight = Math.ceil(began / 86_400_000) * 86_400_000;
  const taken = [];
  let opened;
  while (Date.now() < midnight || taken.length < 5 || taken.at(-4).before < midnight) {
    const before = Date.now();
    const id = await orders.nextId();
    taken.push({ before, after: Date.now(), id });
    await sleep(20);
    if (opened !== undefined) continue;
    const counters = await store.list();
    if (counters.length === 2) opened = { at: Date.now(), prefixes: counters.map(({ prefix }) => prefix) };
  }
  const { waits } = orders.stats();
  await store.close();
  await report({ began, opened, taken, waits });
  hangUp();
}

main();
