'use strict';

// What the ids of dated sequences, in the format that is the default, say.

const DIGITS = { hour: 8, day: 6, month: 4, year: 2 };

/** '140625-0042' as { prefix: 140625, count: 42 }. Anything else throws. */
function readId(id) {
  const [, prefix, count] = /^((?:\d\d){1,4})-(\d{4,})$/.exec(id);
  return { prefix: Number(prefix), count: Number(count) };
}

/** The counts of these ids by prefix, in their order: { 140625: [41, 42] }. */
function countsOf(ids) {
  const counts = {};
  for (const { prefix, count } of ids.map(readId)) (counts[prefix] ??= []).push(count);
  return counts;
}

/** All ids of a block that reserve() gave. */
function blockIds({ first, count: length }) {
  const { prefix, count } = readId(first);
  return Array.from({ length }, (_, i) => `${prefix}-${String(count + i).padStart(4, '0')}`);
}

/** The prefix of a period in UTC, by the text of the date. */
function utcPrefix(period, ms) {
  return Number(new Date(ms).toISOString().replace(/\D/g, '').slice(2, 2 + DIGITS[period]));
}

module.exports = { blockIds, countsOf, readId, utcPrefix };
