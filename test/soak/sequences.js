'use strict';

// The sequences that are soaked, and how what they give becomes numbers of a counter. Of each kind:
//   first(now)        the first number of a new counter; `now` in ms since 1970
//   place(name, id, sequence)   { counter, number }: what the id says, read without the code under test
//   counters(…)       Promise of [[counter, { end, returned }]]: where the counters stand, and their returned
//                     ranges, read round nextid
//   hasStep           whether its option `step` is to be drawn
//   isDense           whether a number that nobody was given is lost
//   crosses           whether its calls go to another period and back within one turn
//   isImported        whether only importing.js takes its ids
// and some have
//   most              how many ids are taken at a time; to read them takes long
//   isOrdered         false: ids of an instance do not grow
//   open(…)           makes what looks like the sequence

const assert = require('node:assert');
const { clock } = require('../../lib/clock');
const { scoped } = require('./scopes');

const DIGITS = 2;
const HOUR = 20; // seconds: on the clock of the processes, hours pass quickly
const SLOTS_PER_SECOND = 1_000_000 * 10 ** DIGITS;

const plain = {
  first: () => 1000n,
  place: (name, id) => ({ counter: name, number: id }),
  async counters(fixture, url, name) {
    const next = await fixture.read(url, name);
    if (next === undefined) return [];
    return [[name, { end: BigInt(next), returned: await fixture.readReturned(url, name) }]];
  },
  hasStep: true,
  isDense: true,
};

const dated = {
  first: () => 1n,
  place(name, id) {
    const [prefix, count] = id.split('-');
    return { counter: `${name}-${prefix}`, number: Number(count) };
  },
  async counters(fixture, url, name) {
    const counts = Object.entries(await fixture.readDated(url, name));
    const returned = await fixture.readDatedReturned(url, name);
    return counts.map(([prefix, last]) => (
      [`${name}-${prefix}`, { end: BigInt(last) + 1n, returned: returned[prefix] }]));
  },
  hasStep: true,
  isDense: true,
};

// parse() must agree. As the number is read from the text, no text comes twice if no number does.
function placed(sequence, id, counter, count, series = { of: 1, index: 1 }) {
  assert.equal(sequence.parse(id).count, count);
  return { counter, number: (count - series.index) / series.of + 1 };
}

const SERIES = { of: 3, index: 1 };
const encrypt = { key: Buffer.alloc(32, 7), digits: 12 };

const KINDS = {
  plain,
  dated,
  'plain, formatted': {
    ...plain,
    first: () => 1n,
    place: (name, id, sequence) => placed(sequence, id, name, Number(/^R-(\d{6,})$/.exec(id)[1]), SERIES),
  },
  'dated, formatted': {
    ...dated,
    place(name, id, sequence) {
      const [, prefix, count] = /^B(\d{8})\/(\d{4,})$/.exec(id);
      return placed(sequence, id, `${name}-${prefix}`, Number(count));
    },
  },
  'plain, encrypted': {
    ...plain,
    first: () => 1n,
    place: (name, id, sequence) => ({ counter: name, number: sequence.parse(id).count }),
    most: 40,
  },
  'plain, scoped': scoped,
  // They return so many ranges to periods that they were in before that the lists overflow.
  'dated, across periods': { ...dated, hasStep: false, crosses: true, isDense: false },
  'plain, imported': { ...plain, isDense: false, isImported: true },
  cyclic: {
    first: () => 1n,
    place: (name, id) => ({ counter: name, number: id }),
    async counters(fixture, url, name) {
      const counter = await fixture.readCounter(url, 'cyclic', name);
      return counter === undefined ? [] : [[name, { end: BigInt(counter.val) + 1n }]];
    },
    hasStep: false,
    isDense: true,
  },
  'time-stamped': {
    first: slotAt,
    place: (name, id) => ({ counter: name, number: slotOf(id) }),
    async counters(fixture, url, name) {
      const counter = await fixture.readCounter(url, 'time-stamped', name);
      return counter === undefined ? [] : [[name, { end: BigInt(counter.slot) + 1n }]];
    },
    hasStep: false,
    isDense: false, // nobody misses the time between two ids
  },
};

const SEQUENCES = [
  { name: 'orders', kind: 'plain', options: { start: 1000 } },
  { name: 'invoices', kind: 'dated', options: { period: 'hour' } },
  { name: 'tickets', kind: 'dated, across periods', options: { period: 'hour', step: 5000 } },
  { name: 'serial', kind: 'cyclic', options: { cycle: 10 ** 12 } }, // which does not end
  { name: 'serial_kept', kind: 'cyclic', options: { cycle: 10 ** 12, step: 1000 } },
  { name: 'trace', kind: 'time-stamped', options: { timestamp: { digits: DIGITS } } },
  { name: 'trace_kept', kind: 'time-stamped', options: { timestamp: { digits: DIGITS, maxAge: 2000 } } },
  { name: 'receipts', kind: 'plain, formatted', options: { format: 'R-{count:6}', series: SERIES } },
  { name: 'bills', kind: 'dated, formatted', options: { period: 'hour', format: 'B{YYMMDD}{HH}/{count:4}' } },
  { name: 'codes', kind: 'plain, encrypted', options: { encrypt } },
  { name: 'tenants', kind: 'plain, scoped' },
  { name: 'imports', kind: 'plain, imported', options: { start: 1000, step: 1000 } },
];

let ahead = 0; // ms on the clock of the processes, see hoursAhead()

let second = ''; // the text of the second read last,
let firstSlot; // and its first slot

// Of '2014062513450112345607': its seconds since 1970 and, behind them, the last eight digits.
function slotOf(id) {
  const text = id.slice(0, 14);
  if (text !== second) {
    const [year, month, day, hour, minute, s] = /^(\d{4})(..)(..)(..)(..)(..)$/.exec(text).slice(1);
    firstSlot = BigInt(Date.UTC(year, month - 1, day, hour, minute, s) / 1000) * BigInt(SLOTS_PER_SECOND);
    second = text;
  }
  return firstSlot + BigInt(id.slice(14));
}

/** The slot that begins `ms` after 1970. */
function slotAt(ms) {
  return BigInt(ms) * BigInt(SLOTS_PER_SECOND / 1000);
}

/** From here on an hour on the clock of dated sequences takes 20 s; it showed the true time at `began`. */
function letHoursFly(began) {
  clock.now = () => flyingClock(began) + ahead;
}

/** Makes calls while that clock is so many hours ahead (or behind). Returns what `call` does. */
function hoursAhead(hours, call) {
  ahead = hours * 3_600_000;
  try {
    return call();
  } finally {
    ahead = 0;
  }
}

function flyingClock(began) {
  return began + (Date.now() - began) * (3600 / HOUR);
}

/** The present hour on that clock: { prefix, left }, in ms. */
function flyingHour(began) {
  const now = flyingClock(began);
  const prefix = new Date(now).toISOString().slice(2, 13).replace(/\D/g, '');
  return { prefix, left: (3_600_000 - now % 3_600_000) / (3600 / HOUR) };
}

module.exports = { HOUR, KINDS, SEQUENCES, SLOTS_PER_SECOND, flyingHour, hoursAhead, letHoursFly, slotAt };
