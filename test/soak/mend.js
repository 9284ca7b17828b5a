'use strict';

// For faults that set counters back. Processes that never saw a counter would begin anew where it was set
// back to, so only those run that know it; and before others are started it is moved past all ids.

const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { journalName, journalsIn, lastNumber } = require('./journal');
const { HOUR, SEQUENCES, SLOTS_PER_SECOND, flyingHour, slotAt } = require('./sequences');

const LEAST_LEFT = (HOUR / 2) * 1000; // ms: the hour must not end meanwhile

const POLL = 100; // ms

// The margin that docs/operations.md asks for after a restore: three steps for each instance. None is larger.
const MARGIN = 6 * 3 * 1_000_000;

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
 * What each of `processes`, all in their first instance, was given of `counter` at least: if it comes to
 * stand there or lower, all of them notice. One that was not given so much could not know.
 */
function givenToAll(folder, counter, processes) {
  const last = ({ number }) => lastNumber(path.join(folder, journalName({
    counter, process: number, instance: 1, ordered: true,
  })));
  return processes.map(last).reduce((a, b) => (a < b ? a : b));
}

/**
 * Resolves when each of `processes` was given more than there was in the counters before: with whether they
 * were, before the hour `prefix` and the soak are at their end.
 */
async function outgrown({ fixture, url, folder, began, signal }, processes, prefix) {
  const { [prefix]: count } = await fixture.readDated(url, 'invoices');
  const stood = [
    ['orders', BigInt(await fixture.read(url, 'orders'))], [`invoices-${prefix}`, BigInt(count)],
  ];
  while (!signal.aborted && flyingHour(began).left >= LEAST_LEFT / 2) {
    if (stood.every(([counter, next]) => givenToAll(folder, counter, processes) >= next)) return true;
    await sleep(POLL);
  }
  return false;
}

/**
 * Reads where the counters stand, but for cyclic ones. Resolves with a function that moves them, as
 * docs/operations.md says, past that and past all ids that were used, which are in the journals of `folder`.
 */
async function noteCounters({ fixture, url, folder }) {
  const noted = BigInt(await fixture.read(url, 'orders'));
  const counts = await fixture.readDated(url, 'invoices');
  return async () => {
    const used = largestOfEach(folder);
    await fixture.write(url, 'orders', largest([noted, used.get('orders') ?? 0n]) + BigInt(MARGIN));
    for (const [counter, number] of used) {
      const [name, prefix] = counter.split('-');
      if (name === 'invoices') counts[prefix] = Math.max(counts[prefix] ?? 0, Number(number));
    }
    await fixture.writeDated(url, 'invoices', Object.fromEntries(
      Object.entries(counts).map(([prefix, count]) => [prefix, count + MARGIN])));
    for (const { name, options } of SEQUENCES.filter(({ kind }) => kind === 'time-stamped')) {
      const { digits } = options.timestamp;
      const slot = largest([slotAt(Date.now()), used.get(name) ?? 0n]) + BigInt(SLOTS_PER_SECOND);
      await fixture.writeCounter(url, 'time-stamped', name, { slot, digits });
    }
  };
}

// A Map of counters to the largest number that ends a journal of theirs.
function largestOfEach(folder) {
  const numbers = new Map();
  for (const [counter, journals] of journalsIn(folder)) {
    numbers.set(counter, largest(journals.map(({ file }) => lastNumber(file))));
  }
  return numbers;
}

const largest = (numbers) => numbers.reduce((a, b) => (a > b ? a : b));

module.exports = { givenToAll, knownCounters, noteCounters, outgrown };
