'use strict';

// A process of wasted.js, which is killed. It takes ids at an even rate, as calls of a service come: at each
// moment so many as are due, whether those before have theirs or not. `settledMs` after its start it says so.
//
// What it was given stands in the file `given`, however it ends: ids, refills since it settled, and for how
// many ms that was. An id counts once it stands there; of those at the moment of the kill, a millisecond's at
// most, it is thought that nobody saw them.

const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');

const { open } = require('../..');

const { url, options, given, rate, skip, settledMs } = JSON.parse(process.argv[2]);

async function main() {
  const sequence = open(url).sequence('orders', options);
  const file = fs.openSync(given, 'w');
  const record = new Float64Array(3);
  const [IDS, REFILLS, MS] = [0, 1, 2];
  await sequence.ready();
  const start = performance.now();
  let asked = 0;
  let settled = { refills: 0, ms: 0 };

  async function takeIds(untilMs) {
    for (;;) {
      const ms = performance.now() - start;
      if (ms >= untilMs) return;
      for (; asked < (ms * rate) / 1000; asked++) sequence.nextId().then(() => record[IDS]++);
      record[REFILLS] = sequence.stats().refills - settled.refills;
      record[MS] = ms - settled.ms;
      await null; // the ids that were in memory are given now
      fs.writeSync(file, record, 0, record.byteLength, 0);
      await sleep(1);
    }
  }

  await takeIds(settledMs / 2);
  if (skip > 0) record[IDS] += (await sequence.nextIds(skip)).length;
  await takeIds(settledMs);
  settled = { refills: sequence.stats().refills, ms: performance.now() - start };
  process.send('settled');
  await takeIds(Infinity);
}

process.on('disconnect', () => process.exit());
main();
