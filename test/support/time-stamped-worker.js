'use strict';

// A process that takes time-stamped ids. Reports { calls, stats }. A call is [ids, before, after, waited]:
// what the clock showed before and after it, and whether it had to wait for a refill.
// Job: { url, name, timestamp, count, duration, batch, together }
//   count     how many ids, a multiple of batch * together; or instead
//   duration  how long it goes on, in ms, and then until a call did not have to wait
//   batch     so many are one nextIds(); 1 is nextId()
//   together  so many calls are made at once

const { open } = require('../..');
const { hangUp, job, report, startSignal } = require('./child');

const { url, name, timestamp, count, duration, batch, together } = job;

async function call(sequence) {
  const { waits } = sequence.stats();
  const before = Date.now();
  const taken = batch === 1 ? sequence.nextId() : sequence.nextIds(batch);
  const waited = sequence.stats().waits > waits;
  return [[await taken].flat(), before, Date.now(), waited];
}

async function main() {
  const store = open(url);
  const sequence = store.sequence(name, { timestamp });
  const calls = [];
  await startSignal();
  const end = Date.now() + duration;
  const isDone = () => (duration === undefined ? calls.length * batch >= count
    : Date.now() >= end && calls.some(([, , , waited]) => !waited));
  while (!isDone()) {
    calls.push(...(await Promise.all(Array.from({ length: together }, () => call(sequence)))));
  }
  const stats = sequence.stats();
  await store.close();
  await report({ calls, stats });
  hangUp();
}

main();
