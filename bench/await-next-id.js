'use strict';

// One question: how close does `await seq.nextId()`, numbers in memory, come to `await Promise.resolve(i++)`?

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { open } = require('..');

const ROUNDS = 9;
const IDS = 1_000_000;

async function promises() {
  let i = 0;
  for (let n = 0; n < IDS; n++) await Promise.resolve(i++);
  return i;
}

async function ids(sequence) {
  let last;
  for (let n = 0; n < IDS; n++) last = await sequence.nextId();
  return last;
}

async function perSecond(run) {
  const start = process.hrtime.bigint();
  await run();
  return IDS / (Number(process.hrtime.bigint() - start) / 1e9);
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

async function main() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-bench-'));
  const store = open(`sqlite:${path.join(folder, 'ids.db')}`);
  const held = store.sequence('held', { step: 100 * IDS });
  const adaptive = store.sequence('adaptive');
  await held.ready();
  const runs = {
    'Promise.resolve(i++)': promises,
    'nextId(), one large range': () => ids(held),
    'nextId(), default options': () => ids(adaptive),
  };
  const rows = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(runs)) {
      const figure = await perSecond(run);
      if (round >= 0) rows[name].push(figure); // the first round warms up
    }
  }
  const [limit] = Object.values(rows);
  console.log(`await, ${IDS} ids a round, median of ${ROUNDS} interleaved rounds`);
  for (const [name, row] of Object.entries(rows)) {
    const ratios = row.map((value, i) => value / limit[i]);
    const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((value) => value.toFixed(2));
    console.log(
      `${name.padEnd(28)} ${(median(row) / 1e6).toFixed(2).padStart(6)} million/s   ` +
        `ratio ${median(ratios).toFixed(2)} (${low}–${high})`,
    );
  }
  await store.close();
  fs.rmSync(folder, { recursive: true, force: true });
}

main();
