'use strict';

const { wrongValue } = require('../errors');
const { integer, readOptions } = require('../validators');

const MOST = 1000;

// A series { of, index } has the ids that leave the remainder `index` when divided by `of`. The number n of
// the counter is its n-th id above 0: for { of: 3, index: 1 }, numbers 1, 2, 3 are ids 1, 4, 7. Without a
// series, ids are numbers. Numbers and ids are both BigInts or both numbers.

/** The option `series`, checked. */
function seriesOption(series) {
  if (series === undefined) return undefined;
  const { of, index } = readOptions(series, ['of', 'index'], 'a series', "the option 'series'");
  integer("the option 'series.of'", of, 2, MOST);
  if (index === of) {
    throw wrongValue(`the option 'series.index' is ${index}, as 'series.of'`,
      `an integer from 0 to ${of - 1}`, 'count the databases from 0');
  }
  return Object.freeze({ of, index: integer("the option 'series.index'", index, 0, of - 1) });
}

/** The distance from one id to the next. */
const distanceOf = (series) => series?.of ?? 1;

/** The id of `number`. */
function idOf(series, number) {
  if (series === undefined) return number;
  const { of, index } = series;
  const first = index || of; // multiplying (number - 1) keeps all values below 2^53
  return typeof number === 'bigint' ? (number - 1n) * BigInt(of) + BigInt(first) : (number - 1) * of + first;
}

/** The number of the first id that is at least `id`, a BigInt from 0. */
function numberFrom(series, id) {
  if (series === undefined) return id;
  const [of, first] = [series.of, series.index || series.of].map(BigInt);
  return (id - first + 2n * of - 1n) / of;
}

/** The number of the last id that is at most `id`, a BigInt from 0; 0 if there is none. */
function numberUpTo(series, id) {
  if (series === undefined) return id;
  const [of, first] = [series.of, series.index || series.of].map(BigInt);
  return (id - first + of) / of;
}

module.exports = { distanceOf, idOf, numberFrom, numberUpTo, seriesOption };
