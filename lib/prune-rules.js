'use strict';

const { isDate } = require('node:util').types;

const { Calendar, checkTimeZone, periodOf } = require('./formats/calendar');
const { outOfRange, wrongType, wrongValue } = require('./errors');
const { onProgress } = require('./symbols');
const { integer, readOptions, trueOrFalse } = require('./validators');

const PERIODS = ['year', 'month', 'day', 'hour']; // their prefixes have 2, 4, 6 and 8 digits
const NUMBERS_OF = { month: 'a month (YYMM)', day: 'a day (YYMMDD)', hour: 'an hour (YYMMDDHH)' };
const KEEP_RULES = ['hourly', 'daily', 'weekly', 'monthly', 'yearly'];
const MOST_KEPT = 100_000;
const MS_OF_DAY = 86_400_000;
const ANYWHERE = ['Etc/GMT+12', 'Etc/GMT-14']; // where days begin last and first: UTC-12 and UTC+14

/**
 * The options of Store.prune(), with defaults and in one form. `before`, if given, has a limit for some of
 * year, month, day and hour: counters with a smaller prefix may be removed. `openZone` is the time zone of
 * the sequence, if it is known. Without one, a Date is read in UTC.
 */
function pruneOptions(options, openZone) {
  const known = ['before', 'keep', 'dryRun', 'timeZone'];
  const { before, keep, dryRun = false, timeZone = openZone, [onProgress]: report = () => {} } =
    readOptions(options, known, 'prune()');
  trueOrFalse("the option 'dryRun'", dryRun);
  if (before === undefined && keep === undefined) {
    throw wrongValue('prune() was given no rule', "the option 'before' or 'keep', or both");
  }
  if (timeZone !== undefined) checkTimeZone(timeZone);
  return Object.freeze({
    before: before === undefined ? undefined : Object.freeze(limits(before, timeZone ?? 'UTC')),
    keep: keep === undefined ? undefined : Object.freeze(keepRules(keep)),
    dryRun,
    timeZone,
    [onProgress]: report,
  });
}

/** The prefixes of the year, month, day and hour at `ms` (since 1970) in `timeZone`. */
function prefixesAt(ms, timeZone) {
  return Object.fromEntries(PERIODS.map((period) => [period, new Calendar(period, timeZone).prefixAt(ms)]));
}

/**
 * The periods that are current at `ms` in `timeZone`, as { earliest, latest }, each as prefixesAt() returns
 * them. Without `timeZone`: the periods that are current anywhere.
 */
function currentPeriods(ms, timeZone) {
  const [west, east] = timeZone === undefined ? ANYWHERE : [timeZone, timeZone];
  return { earliest: prefixesAt(ms, west), latest: prefixesAt(ms, east) };
}

/**
 * The prefixes of the counters to remove, in ascending order: those below `before` that `keep` does not keep.
 * Current and later periods stay. Years, months, days and hours are handled separately. Numbers that are not
 * the prefix of a period stay.
 *
 * `keep` is the "grandfather-father-son" rotation of backup programs: the newest N counters, and the last
 * counter of each of the newest N days, weeks (from Monday), months and years that have any.
 *
 * @param {number[]} prefixes those that exist
 * @param {{before?: object, keep?: object}} rules as pruneOptions() gives them
 * @param {object} current as currentPeriods() gives them
 * @returns {number[]}
 */
function prefixesToRemove(prefixes, { before, keep = {} }, { earliest, latest }) {
  return PERIODS.flatMap((period) => {
    const limit = before === undefined ? earliest[period] : Math.min(earliest[period], before[period] ?? 0);
    const newestFirst = prefixes
      .filter((prefix) => periodOf(prefix) === period && prefix <= latest[period])
      .sort((a, b) => b - a);
    const kept = new Set(Object.entries(keep).flatMap(([rule, most]) => keptBy(rule, most, newestFirst)));
    return newestFirst.filter((prefix) => prefix < limit && !kept.has(prefix)).reverse();
  });
}

function keptBy(rule, most, newestFirst) {
  const isLast = (prefix, i) => i === 0 || stretch(rule, prefix) !== stretch(rule, newestFirst[i - 1]);
  return newestFirst.filter(isLast).slice(0, most);
}

// The stretch of time that `prefix` belongs to: `rule` keeps the last counter of each. A period longer than
// that of the rule is a stretch of its own.
function stretch(rule, prefix) {
  switch (rule) {
    case 'yearly': return leadingDigits(prefix, 2);
    case 'monthly': return leadingDigits(prefix, 4);
    case 'weekly': return prefix < 100_000 ? prefix : weekOf(leadingDigits(prefix, 6));
    case 'daily': return leadingDigits(prefix, 6);
    default: return prefix;
  }
}

function leadingDigits(prefix, digits) {
  return prefix < 10 ** digits ? prefix : leadingDigits(Math.floor(prefix / 100), digits);
}

// The number of the week since the one that began on Monday, 1970-01-05.
function weekOf(day) {
  const year = 2000 + Math.floor(day / 10_000);
  const month = Math.floor(day / 100) % 100;
  return Math.floor((Date.UTC(year, month - 1, day % 100) / MS_OF_DAY - 4) / 7);
}

function limits(before, timeZone) {
  const what = "the option 'before'";
  const expected = 'a prefix such as 150101, or a Date';
  if (isDate(before)) {
    if (Number.isNaN(before.getTime())) throw wrongValue(`${what} is an invalid Date`, expected);
    return limitsAt(before.getTime(), timeZone);
  }
  if (typeof before !== 'number') throw wrongType(what, expected, before);
  if (!Number.isSafeInteger(before) || before < 0) throw outOfRange(what, expected, before);
  const period = PERIODS[String(before).length / 2 - 1];
  if (period === undefined) {
    throw wrongValue(`${what} is ${before}`,
      'a prefix of 2 digits (years), 4 (months), 6 (days) or 8 (hours)');
  }
  const [, month = 1, day = 1, hour = 0] = String(before).match(/../g).map(Number);
  // Zeros and nines are fine: 150000 is below every day of 2015, 999999 above all.
  const isFine = (number, most) => number <= most || number === 99;
  if (isFine(month, 12) && isFine(day, 31) && isFine(hour, 23)) return { [period]: before };
  throw wrongValue(`${what} is ${before}, which is not ${NUMBERS_OF[period]}`,
    'a year of two digits in front, as in 15, 1501, 150131 or 15013123');
}

// The prefixes of the periods that have not ended by `ms`. Years are 2010 to 2099.
function limitsAt(ms, timeZone) {
  const years = new Calendar('year', timeZone);
  if (ms < years.boundsOf(10).from) return {};
  if (ms >= years.boundsOf(99).to) return Object.fromEntries(PERIODS.map((period) => [period, Infinity]));
  return prefixesAt(ms, timeZone);
}

function keepRules(keep) {
  const given = readOptions(keep, KEEP_RULES, "'keep'", "the option 'keep'");
  const rules = KEEP_RULES.filter((rule) => given[rule] !== undefined);
  if (rules.length === 0) {
    throw wrongValue("the option 'keep' has no rule", `at least one of ${KEEP_RULES.join(', ')}`);
  }
  return Object.fromEntries(rules.map((rule) => (
    [rule, integer(`the option 'keep.${rule}'`, given[rule], 0, MOST_KEPT)])));
}

module.exports = { currentPeriods, prefixesAt, prefixesToRemove, pruneOptions };
