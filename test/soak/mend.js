'use strict';

// For faults that set counters back. Processes that never saw a counter would begin anew where it was set
// back to, so only those run that know it; and before others are started it is moved past all ids.

const { setTimeout: sleep } = require('node:timers/promises');
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
 * Reads where the counters stand, but for cyclic ones, to move them past that later as README says. Resolves
 * with a function that does so.
 */
async function noteCounters(fixture, url) {
  const next = BigInt(await fixture.read(url, 'orders'));
  const counts = Object.entries(await fixture.readDated(url, 'invoices'));
  const timeStamped = SEQUENCES.filter(({ kind }) => kind === 'time-stamped');
  return async () => {
    await fixture.write(url, 'orders', next + BigInt(MARGIN));
    await fixture.writeDated(url, 'invoices', Object.fromEntries(
      counts.map(([prefix, count]) => [prefix, count + MARGIN])));
    for (const { name, options } of timeStamped) {
      const { digits } = options.timestamp;
      await fixture.writeCounter(url, 'time-stamped', name, { slot: slotAt(Date.now() + 1000), digits });
    }
  };
}

module.exports = { knownCounters, noteCounters };
