'use strict';

// A process that takes ids of all SEQUENCES at once, until it is told to end.
// Job: { url, folder, process, began, seed, timeout }; `folder` is for its journals.
// Told 'reopen', it closes the store, while calls are under way, and opens it again; told 'end', it closes it
// and ends. Says of itself: { instance, ids, longest, refusals, lost }, twice a second and after each close.
//   instance   how often it has opened the store
//   ids, longest, refusals   see Taker
//   lost       by sequence: numbers that instances closed by now had thrown away

const { once } = require('node:events');
const { open } = require('../..');
const { job } = require('../support/child');
const { randomNumbers } = require('../support/random');
const { AwakeClock } = require('./awake-clock');
const { KINDS, SEQUENCES, letHoursFly } = require('./sequences');
const { Taker } = require('./taker');

const BEAT = 500; // ms
const STEPS = [undefined, undefined, 10, 50_000, 50_000]; // drawn from, for each instance

const clock = new AwakeClock();
const random = randomNumbers(job.seed);
const lost = {};
const takers = [];
let instance = 0;

// { a: 1 } and { a: 2, b: 3 } become { a: 3, b: 3 }.
function sumOf(counts) {
  const sum = {};
  for (const [key, count] of counts.flatMap(Object.entries)) sum[key] = (sum[key] ?? 0) + count;
  return sum;
}

function tellTally() {
  const tallies = takers.map(({ tally }) => tally);
  process.send({
    instance, lost,
    refusals: sumOf(tallies.map(({ refusals }) => refusals)),
    ids: tallies.reduce((sum, { ids }) => sum + ids, 0),
    longest: Math.max(0, ...tallies.map(({ longest }) => longest)),
  });
}

// One instance, from open() to close(). Returns what the process was told.
async function takeUntilTold() {
  const store = open(job.url);
  const step = STEPS[Math.floor(random() * STEPS.length)];
  const sequences = SEQUENCES.map(({ name, kind, options }) => (
    store.sequence(name, { ...options, ...KINDS[kind].hasStep && { step }, timeout: job.timeout })));
  const present = sequences.map((sequence, i) => new Taker(sequence, SEQUENCES[i].kind, {
    random, clock, folder: job.folder, process: job.process, instance,
  }));
  takers.push(...present);
  const running = Promise.all(present.map((taker) => taker.run()));
  const [told] = await Promise.race([once(process, 'message'), running]);
  await Promise.all([store.close(), running]);
  for (const sequence of sequences) {
    lost[sequence.name] = (lost[sequence.name] ?? 0) + sequence.stats().lost;
  }
  return told;
}

async function main() {
  process.once('disconnect', () => process.exit());
  letHoursFly(job.began);
  const beat = setInterval(tellTally, BEAT);
  for (let told; told !== 'end';) {
    ++instance;
    told = await takeUntilTold();
    tellTally();
  }
  clearInterval(beat);
  clock.stop();
  process.removeAllListeners('disconnect');
  process.disconnect();
}

main();
