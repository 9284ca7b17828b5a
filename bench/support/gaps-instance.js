'use strict';

// An instance of gaps.js. It takes ids at an even rate until SIGTERM, then closes its store. The file `given`
// has the number of ids, however the process ends. It sends a message when it has the first one.

const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');

const { open } = require('../..');

const { url, options, given, rate } = JSON.parse(process.argv[2]);

async function main() {
  const store = open(url);
  const sequence = store.sequence('orders', options);
  const file = fs.openSync(given, 'w');
  const ids = new Float64Array(1);
  const take = () => sequence.nextId().then(() => {
    ids[0]++;
    fs.writeSync(file, ids, 0, ids.byteLength, 0);
  });
  await take();
  process.send('taking');
  let isOpen = true;
  process.once('SIGTERM', () => (isOpen = false));
  const start = performance.now();
  const calls = [];
  for (let asked = 0; isOpen; await sleep(1)) {
    for (; asked < ((performance.now() - start) * rate) / 1000; asked++) calls.push(take());
  }
  await Promise.all(calls);
  await store.close();
  process.disconnect();
}

process.on('disconnect', () => process.exit());
main();
