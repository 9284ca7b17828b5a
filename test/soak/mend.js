'use strict';

// For faults that set counters back. Processes that never saw a counter would begin anew where it was set
// back to, so only those run that know it; and before others are started it is moved past all ids.

const { setTimeout: sleep } = require('node:timers/promises');
const { journalsIn, lastNumber } = require('./journal');
const { HOUR, SEQUENCES, flyingHour, slotAt } = require('./sequences');

const LEAST_LEFT = (HOUR / 2) * 1000; // ms: the hour must not end meanwhile

// What README asks to be left out after a restore: two steps for each instance, and none is larger than this.
const MARGIN = 6 * 2 * 100_000;

/**
 * Resolves when each of `processes` has ids of every counter in use, with the prefix of the present hour,
 * which goes on for a while.
 */
async function knownCounters(processes, began) {
  const { left } = flyingHour(began);
  if (left < LEAST_LEFT) await sleep(left + 100);
  const { prefix } = flyingHour(began);
  await Promise.all(processes.map((process) => process.servedAnew()));
  return prefix;
}

/**
 * Reads where the counters stand, but for cyclic ones. Resolves with a function that moves them, as README
 * says, past that and past all ids that were used, which are in the journals of `folder`.
 */
async function noteCounters({ fixture, url, folder }) {
  const noted = BigInt(await fixture.read(url, 'orders'));
  const counts = await fixture.readDated(url, 'invoices');
  return async () => {
    const used = largestOfEach(folder);
    const next = [noted, used.get('orders') ?? 0n].reduce((a, b) => (a > b ? a : b));
    await fixture.write(url, 'orders', next + BigInt(MARGIN));
    for (const [counter, largest] of used) {
      const [name, prefix] = counter.split('-');
      if (name === 'invoices') counts[prefix] = Math.max(counts[prefix] ?? 0, Number(largest));
    }
    await fixture.writeDated(url, 'invoices', Object.fromEntries(
      Object.entries(counts).map(([prefix, count]) => [prefix, count + MARGIN])));
    for (const { name, options } of SEQUENCES.filter(({ kind }) => kind === 'time-stamped')) {
      const { digits } = options.timestamp;
      await fixture.writeCounter(url, 'time-stamped', name, { slot: slotAt(Date.now() + 1000), digits });
    }
  };
}

// A Map of counters to the largest number that ends a journal of theirs.
function largestOfEach(folder) {
  const largest = new Map();
  for (const [counter, journals] of journalsIn(folder)) {
    const ends = journals.map(({ file }) => lastNumber(file));
    largest.set(counter, ends.reduce((a, b) => (a > b ? a : b)));
  }
  return largest;
}

module.exports = { knownCounters, noteCounters };
