'use strict';

// Opens, uses and closes a store WARM_UP times and then ROUNDS times, with sequences of each kind in turn.
// Prints the footprints of this process after both, as JSON.
//
// Usage: node ...LEAK_CHECK_FLAGS open-close-rounds.js URL WARM_UP ROUNDS

const { open } = require('../..');
const { collectGarbage, footprint } = require('./footprint');

const KINDS = [{}, { period: 'day' }, { cycle: 1000 }, { timestamp: true }];

async function round(url, i) {
  const kind = i % KINDS.length;
  const ids = open(url);
  await ids.sequence(`sequence ${kind}`, KINDS[kind]).nextIds(3);
  await ids.close();
}

async function rounds(url, count) {
  for (let i = 0; i < count; i++) {
    await round(url, i);
    if (i % 500 === 0) await collectGarbage();
  }
  return footprint();
}

async function main([url, warmUp, count]) {
  // With SQLite, the last who closes a file also folds it up, which takes longer than all the rest.
  const other = open(url);
  await other.list();
  const before = await rounds(url, Number(warmUp));
  const after = await rounds(url, Number(count));
  await other.close();
  console.log(JSON.stringify({ before, after }));
}

main(process.argv.slice(2));
