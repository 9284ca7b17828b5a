'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { open } = require('..');
const { answer } = require('./support/answer');
const { withFolder } = require('./support/stores');

const RATES = [20_000, 200]; // ids a second
const KILLS = 4; // of each peer in a round, all at the same time
const SETTLED_MS = 4000; // the adaptive step has found its size then
const SPREAD_MS = 3000; // a process is killed at any moment of these

const ADAPTIVE = 'adaptive step, the default';
const STEPS = {
  [ADAPTIVE]: undefined, 'fixed step 10': 10, 'fixed step 1 000': 1000, 'fixed step 100 000': 100_000,
};

// Kills a process that takes ids. Returns the seconds of use wasted, and its refills in so many seconds.
async function kill({ folder, rate, step, settledMs, spreadMs }) {
  const own = fs.mkdtempSync(path.join(folder, 'store-')); // stores in one folder would wait for each other
  const url = `sqlite:${path.join(own, 'ids.db')}`;
  const given = path.join(own, 'given');
  // A large step may last for minutes: this one is somewhere between one refill and the next.
  const skip = step === undefined ? 0 : Math.ceil(Math.random() * step);
  const job = { url, options: { step }, given, rate, skip, settledMs };
  const child = fork(path.join(__dirname, 'support/wasting.js'), [JSON.stringify(job)]);
  await answer(child);
  await sleep(Math.random() * spreadMs);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;

  const store = open(url);
  const [{ next }] = await store.list();
  await store.close();
  const [ids, refills, ms] = new Float64Array(new Uint8Array(fs.readFileSync(given)).buffer);
  return { wasted: (next - 1 - ids) / rate, refills, seconds: ms / 1000 };
}

const sum = (kills, figure) => kills.reduce((total, one) => total + one[figure], 0);

// The figures of one rate, as { wasted, refills }.
async function measure({ rate, rounds, amount }) {
  const empty = () => Object.fromEntries(Object.keys(STEPS).map((name) => [name, []]));
  const figures = { wasted: empty(), refills: empty() };
  for (let round = 0; round < rounds; round++) {
    await withFolder((folder) => Promise.all(Object.entries(STEPS).map(async ([name, step]) => {
      const timing = { settledMs: amount(SETTLED_MS), spreadMs: amount(SPREAD_MS) };
      const kills = await Promise.all(Array.from({ length: KILLS }, () => (
        kill({ folder, rate, step, ...timing }))));
      figures.wasted[name].push(sum(kills, 'wasted') / KILLS);
      figures.refills[name].push(sum(kills, 'refills') / sum(kills, 'seconds'));
    })));
  }
  return figures;
}

module.exports = {
  question: 'How many numbers are wasted when a process is killed, and what do small steps cost?',
  run: async ({ rounds, amount }) => {
    const tables = [];
    for (const rate of RATES) {
      const { wasted, refills } = await measure({ rate, rounds, amount });
      const title = `${rate.toLocaleString('en')} ids a second`;
      tables.push({
        title: `${title}, wasted by a kill, mean of ${KILLS}`, unit: 'seconds of use', better: 'less',
        figures: wasted, goals: [{ row: ADAPTIVE, most: 1 }],
      });
      tables.push({ title, unit: 'refills a second', better: 'less', figures: refills });
    }
    return tables;
  },
};
