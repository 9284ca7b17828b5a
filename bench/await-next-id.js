'use strict';

// One question: how close does `await seq.nextId()`, numbers in memory, come to `await Promise.resolve(i++)`?

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { open } = require('..');
const { measure, print } = require('./rounds');

const ROUNDS = 9;
const IDS = 1_000_000;

async function promises() {
  let i = 0;
  for (let n = 0; n < IDS; n++) await Promise.resolve(i++);
  return i;
}

async function ids(sequence) {
  for (let n = 0; n < IDS; n++) await sequence.nextId();
  return IDS;
}

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-bench-'));
  const store = open(`sqlite:${path.join(folder, 'ids.db')}`);
  const held = store.sequence('held', { step: 100 * IDS });
  const adaptive = store.sequence('adaptive');
  const dated = store.sequence('dated', { period: 'day' });
  await held.ready();
  console.log(`await, ${IDS} ids a round, median of ${ROUNDS} interleaved rounds`);
  const figures = await measure({
    'Promise.resolve(i++)': promises,
    'nextId(), one large range': () => ids(held),
    'nextId(), default options': () => ids(adaptive),
    'nextId(), period: day': () => ids(dated),
  }, ROUNDS);
  print(figures, 'Promise.resolve(i++)');
  await store.close();
  fs.rmSync(folder, { recursive: true, force: true });
}

main();
