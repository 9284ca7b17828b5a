'use strict';

// A process that takes ids of SEQUENCES, all at once, until it is told to end.
// Job: { url, folder, process, began, seed, timeout, leftOut }: `folder` for journals, `leftOut` are kinds.
// Told what is in ORDERS, or 'reopen': it closes the store, while calls are under way, and opens it again;
// or 'end': it closes it and ends. Says of itself: { instance, ids, longest, refusals, lost, served, asked,
// tries, imports }, twice a second, after each close, when told 'count', and after each import.
//   instance   how often it has opened the store
//   served     how many calls each of its sequences has answered with ids, reserve() aside
//   ids, longest, refusals   see Taker
//   lost       by sequence: numbers that instances closed by now had thrown away
//   asked      what came last with 'count', else 0
//   tries, imports   how many imports are over, and how many of them were refused nothing

const { EventEmitter, on } = require('node:events');
const { open } = require('../..');
const { job } = require('../support/child');
const { randomNumbers } = require('../support/random');
const { AwakeClock } = require('./awake-clock');
const { NextIdError } = require('../../lib/errors');
const { importIds } = require('./importing');
const { ownPool } = require('./own-pool');
const { ownStore } = require('./own-store');
const { secretsOf, shows } = require('./secrets');
const { KINDS, SEQUENCES, letHoursFly } = require('./sequences');
const { Taker } = require('./taker');

const BEAT = 500; // ms
const STEPS = [undefined, undefined, 10, 50_000, 50_000]; // drawn from, for each instance,
const MAX_WAITERS = [undefined, undefined, 1000]; // and these too,
const IDLE = [undefined, 20, 200]; // and these, in ms, for each store

const ORDERS = {
  /** Stops the event loop for so many ms. */
  block: (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
  /** Asks one sequence for so many ids at once, one by one. */
  crowd: (count) => oneOf(present).crowd(count),
  /** Says how it stands, with this number. */
  count: (number) => {
    asked = number;
    tellTally();
  },
  /** Has a call run out of stack in this way: see end-of-stack.js. */
  runOutOfStack: (way) => {
    ranOutOfStack = true;
    present.find(({ crosses }) => crosses)?.runOutOfStack(way);
  },
  /** Imports ids, by a store of its own: see importing.js. */
  importIds: async () => {
    const { store, end } = openStore();
    try {
      await importIds(store, random, { folder: job.folder, process: job.process, instance: tries + 1 });
      imports++;
    } catch (error) {
      if (!(error instanceof NextIdError)) throw error;
      keepSecrets(error);
      importRefusals[error.code] = (importRefusals[error.code] ?? 0) + 1;
    }
    await store.close();
    await end();
    tries++;
    tellTally();
  },
};

const clock = new AwakeClock();
const random = randomNumbers(job.seed);
const secrets = secretsOf(job.url);
const lost = {};
const takers = [];
let present = []; // those of this instance
const chosen = SEQUENCES.filter(({ kind }) => !KINDS[kind].isImported && !job.leftOut.includes(kind));
let instance = 0;
let asked = 0;
let tries = 0;
let imports = 0;
let ranOutOfStack = false;
const importRefusals = {};

const told = new EventEmitter();
const orders = on(told, 'close'); // keeps those that come while the last one is carried out
process.on('message', ([order, ...args]) => {
  if (order in ORDERS) ORDERS[order](...args);
  else told.emit('close', order);
});

const oneOf = (values) => values[Math.floor(random() * values.length)];

// { a: 1 } and { a: 2, b: 3 } become { a: 3, b: 3 }.
function sumOf(counts) {
  const sum = {};
  for (const [key, count] of counts.flatMap(Object.entries)) sum[key] = (sum[key] ?? 0) + count;
  return sum;
}

function tellTally() {
  if (!process.connected) return; // the end of an import, in a process that was told to end
  const tallies = takers.map(({ tally }) => tally);
  process.send({
    instance, lost, asked, tries, imports,
    served: present.map(({ tally }) => tally.served),
    refusals: sumOf([importRefusals, ...tallies.map(({ refusals }) => refusals)]),
    ids: tallies.reduce((sum, { ids }) => sum + ids, 0),
    longest: Math.max(0, ...tallies.map(({ longest }) => longest)),
  });
}

function keepSecrets(value) {
  if (shows(secrets, value)) throw new Error('a password is shown'); // not where: this would show it, too
}

// { store, end }: end() is to be called when the store is closed.
function openStore() {
  const end = () => {};
  const [, port] = /^own:(\d+)$/.exec(job.url) ?? [];
  if (port !== undefined) return { store: open(ownStore(Number(port)), { idle: oneOf(IDLE) }), end };
  if (/^(?:postgres|mysql):/.test(job.url) && random() < 0.4) {
    const own = ownPool(job.url, random);
    return { store: open(own.pool, { idle: oneOf(IDLE), ...own.place }), end: own.end };
  }
  if (random() < 0.8) return { store: open(job.url, { idle: oneOf(IDLE) }), end };
  process.env.NEXTID_STORE = job.url;
  return { store: open(), end };
}

// One instance, from open() to close(). Returns what the process was told.
async function takeUntilTold() {
  const { store, end } = openStore();
  const [step, maxWaiters] = [oneOf(STEPS), oneOf(MAX_WAITERS)];
  const sequences = chosen.map(({ name, kind, options: given }) => {
    const { hasStep, open: openKind } = KINDS[kind];
    const options = { ...given, ...hasStep && { step }, maxWaiters, timeout: job.timeout };
    return openKind?.(store, name, options, random) ?? store.sequence(name, options);
  });
  present = sequences.map((sequence, i) => new Taker(sequence, chosen[i].kind, {
    random, clock, keepSecrets, folder: job.folder, process: job.process, instance,
  }));
  takers.push(...present);
  const running = Promise.all(present.map((taker) => taker.run()));
  const { value: [order] } = await Promise.race([orders.next(), running]);
  await Promise.all([store.close(), running]);
  for (const sequence of sequences) {
    const stats = sequence.stats();
    keepSecrets([store, sequence, stats]);
    lost[sequence.name] = (lost[sequence.name] ?? 0) + stats.lost;
  }
  await end();
  return order;
}

async function main() {
  process.once('disconnect', () => process.exit());
  letHoursFly(job.began);
  const beat = setInterval(tellTally, BEAT);
  for (let order; order !== 'end';) {
    ++instance;
    order = await takeUntilTold();
    tellTally();
  }
  clearInterval(beat);
  clock.stop();
  // Of a setTimeout() that ran out of stack a timer may stay that nobody knows, and keep the process alive.
  if (!ranOutOfStack) process.removeAllListeners('disconnect');
  process.disconnect();
}

main();
