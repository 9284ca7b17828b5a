'use strict';

const { NextIdError, didYouMean, messageOf, show, wrongType, wrongValue } = require('../errors');

const MINUTE = 60_000; // ms
const WINDOW = 16 * 60 * MINUTE; // no zone is further from UTC than 14 hours
const DAY = 24 * 60 * MINUTE;

// A prefix has two digits for each of the year, month, day and hour that it names. None begins with a zero,
// so the number of digits tells the period.
const FIRST_YEAR = 2010;
const LAST_YEAR = 2099;
const PERIODS = {
  hour: { places: 4, example: 14062513 },
  day: { places: 3, example: 140625 },
  month: { places: 2, example: 1406 },
  year: { places: 1, example: 14 },
};

/**
 * Which period it is, as the clocks of one time zone show it. `period` is 'hour', 'day', 'month' or 'year';
 * `timeZone` is 'UTC', 'local' or a name such as 'Europe/Berlin'. 'local' is what the getters of Date show in
 * this process.
 */
class Calendar {
  #period;
  #timeZone;
  #places;
  #century; // what to add to a prefix for the year in full
  #read;

  constructor(period, timeZone) {
    this.#period = checkPeriod(period);
    this.#timeZone = checkTimeZone(timeZone);
    this.#places = PERIODS[period].places;
    this.#century = 20 * 100 ** this.#places;
    this.#read = clockOf(timeZone);
  }

  /**
   * The prefix of the period at `ms` (milliseconds since 1970, a fraction is ignored): 140625 for a day.
   * Exact in every zone. Throws ERR_NEXTID_CLOCK_INVALID outside of the years 2010 to 2099.
   */
  prefixAt(ms) {
    // Times far away are not even read: Intl would show the year 2020 BC as 2020.
    const isNear = ms > Date.UTC(FIRST_YEAR) - DAY && ms < Date.UTC(LAST_YEAR + 1) + DAY;
    const prefix = isNear ? this.#numberAt(ms) - this.#century : undefined;
    if (periodOf(prefix) !== this.#period) throw this.#wrongClock(ms); // as with 91231
    return prefix;
  }

  /**
   * When the period `prefix` is, in milliseconds since 1970: `from` is the first instant of it (or of a
   * later one), `to` the first instant of a later one. An hour that comes twice in a row is one of two hours.
   * A period that the zone skips (an hour in spring, 30 December 2011 on Samoa) is empty: `from` equals `to`.
   *
   * Where a clock returns to a period that it had left (from 03:45 to 02:45 each autumn on the Chatham
   * Islands, from 00:01 to 23:01 in St John's until 2011) the bounds may leave a part of it out: only
   * prefixAt() is exact.
   */
  boundsOf(prefix) {
    if (periodOf(prefix) !== this.#period) {
      throw wrongValue(`the prefix is ${show(prefix)}`, `the number of one ${this.#period} from ` +
        `${FIRST_YEAR} to ${LAST_YEAR}, such as ${PERIODS[this.#period].example}`);
    }
    const fields = fieldsOf(prefix);
    const next = [...fields];
    ++next[next.length - 1]; // a month 13 or a day 32 is understood by Date.UTC()
    const number = prefix + this.#century;
    return {
      from: this.#firstReading(number, utcTime(fields)),
      to: this.#firstReading(number + 1, utcTime(next)),
    };
  }

  // The first instant at which the clock shows `number` or more. In UTC that is `utc`. Since 2010 clocks were
  // changed at whole minutes only, so a binary search over minutes finds it.
  #firstReading(number, utc) {
    let before = utc - WINDOW;
    let found = utc + WINDOW;
    while (found - before > MINUTE) {
      const middle = before + Math.floor((found - before) / 2 / MINUTE) * MINUTE;
      if (this.#numberAt(middle) >= number) found = middle;
      else before = middle;
    }
    return found;
  }

  // As a prefix, with the year in full: 20140625.
  #numberAt(ms) {
    return this.#read(ms).slice(0, this.#places).reduce((number, field) => number * 100 + field);
  }

  #wrongClock(ms) {
    const date = new Date(ms);
    const shown = Number.isNaN(date.getTime()) ? `${ms} ms since 1970` : date.toISOString();
    const message = messageOf(`the clock shows ${shown}`,
      `a year from ${FIRST_YEAR} to ${LAST_YEAR} (time zone ${show(this.#timeZone)})`,
      'set the clock of this machine, then call again');
    return new NextIdError(message, { code: 'ERR_NEXTID_CLOCK_INVALID' });
  }
}

/** The option `period` of a dated sequence, checked. */
function checkPeriod(value) {
  const known = Object.keys(PERIODS);
  const expected = "'hour', 'day', 'month' or 'year'";
  if (typeof value !== 'string') throw wrongType("the option 'period'", expected, value);
  if (!known.includes(value)) {
    throw wrongValue(`the option 'period' is ${show(value)}`, expected, didYouMean(value, known));
  }
  return value;
}

/** The option `timeZone` of a dated sequence, checked: 'UTC', 'local', or a name that Intl knows. */
function checkTimeZone(value) {
  const expected = "'UTC', 'local' or the name of a time zone such as 'Europe/Berlin'";
  if (typeof value !== 'string') throw wrongType("the option 'timeZone'", expected, value);
  if (value === 'UTC' || value === 'local') return value;
  if (/^[+\-\u2212]/.test(value)) {
    throw wrongValue(`the option 'timeZone' is ${show(value)}`,
      `${expected}, not an offset, which older versions of Node.js do not know`);
  }
  try {
    clockOf(value);
  } catch {
    // Aliases such as 'US/Eastern' are not in this list, so it can only make suggestions.
    const listed = ['UTC', 'local', ...Intl.supportedValuesOf('timeZone')];
    throw wrongValue(`the option 'timeZone' is ${show(value)}`,
      `${expected} that this version of Node.js knows`, didYouMean(value, listed));
  }
  return value;
}

/** The period of which `prefix` is a number: 'day' of 140625. Undefined if there is none, as with 141332. */
function periodOf(prefix) {
  if (!Number.isInteger(prefix) || prefix < 0) return undefined;
  const { length } = String(prefix);
  const period = Object.keys(PERIODS).find((name) => 2 * PERIODS[name].places === length);
  if (period === undefined) return undefined;
  const fields = fieldsOf(prefix);
  const shown = utcClock(utcTime(fields));
  return fields.every((field, i) => field === shown[i]) ? period : undefined;
}

// Year, month, day and hour, or as many of them as `prefix` names.
function fieldsOf(prefix) {
  const [year, ...rest] = String(prefix).match(/../g).map(Number);
  return [2000 + year, ...rest];
}

function utcTime([year, month = 1, day = 1, hour = 0]) {
  return Date.UTC(year, month - 1, day, hour);
}

// A clock is a function of milliseconds since 1970 that gives [year, month, day, hour].
function clockOf(timeZone) {
  if (timeZone === 'UTC') return utcClock;
  if (timeZone === 'local') return localClock;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23',
    year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric',
  });
  return (ms) => {
    const shown = {};
    for (const { type, value } of format.formatToParts(ms)) shown[type] = Number(value);
    return [shown.year, shown.month, shown.day, shown.hour];
  };
}

function utcClock(ms) {
  const date = new Date(ms);
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate(), date.getUTCHours()];
}

function localClock(ms) {
  const date = new Date(ms);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate(), date.getHours()];
}

module.exports = { Calendar, PERIODS, checkPeriod, checkTimeZone, periodOf };
