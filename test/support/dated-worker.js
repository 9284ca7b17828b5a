'use strict';

// A process with a clock of its own that takes ids of a dated sequence. Reports { batches, stats }.
// Job: { url, name, options, together, legs }
//   name      '' for the sequence that has none
//   together  so many calls at once are a batch, the last of them nextIds(3)
//   legs      [{ from, to, ids }]: the clock is set to `from` and runs until `to` (by default, not at all),
//             and at least `ids` ids are taken (by default, one batch)
// A batch: { before, after, ids, refused }, the clock when the turn of its calls began and after them, the
// ids in the order of the calls, and how many calls were refused because the period was pruned.

const { open } = require('../..');
const { clock } = require('../../lib/clock');
const { hangUp, job, report, startSignal } = require('./child');
const { startClock } = require('./set-clock');

const { url, name, options, together, legs } = job;

let turnBegan;

// Ids of a burst may show the time at which their turn of the event loop began.
function beginningOfTurn() {
  if (turnBegan === undefined) {
    turnBegan = clock.now();
    setImmediate(() => {
      turnBegan = undefined;
    });
  }
  return turnBegan;
}

async function takeBatch(sequence) {
  const before = beginningOfTurn();
  const calls = Array.from({ length: together - 1 }, () => sequence.nextId());
  const results = await Promise.allSettled([...calls, sequence.nextIds(3)]);
  const after = clock.now();
  const refused = results.filter(({ reason }) => reason?.code === 'ERR_NEXTID_PERIOD_PRUNED').length;
  const failed = results.find(({ reason }) => reason && reason.code !== 'ERR_NEXTID_PERIOD_PRUNED');
  if (failed) throw failed.reason;
  const ids = results.flatMap(({ value }) => value ?? []);
  return { before, after, ids, refused };
}

async function main() {
  const store = open(url);
  const sequence = name === '' ? store.sequence(options) : store.sequence(name, options);
  const batches = [];
  await startSignal();
  for (const { from, to = from, ids = 1 } of legs) {
    startClock(from);
    turnBegan = undefined;
    for (let taken = 0, before = from; taken < ids || before < to; taken += together + 2) {
      batches.push(await takeBatch(sequence));
      ({ before } = batches.at(-1)); // a batch begins at `to`, however long the one before took
    }
  }
  await store.close();
  await report({ batches, stats: sequence.stats() });
  hangUp();
}

main();
