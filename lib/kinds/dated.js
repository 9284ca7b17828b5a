'use strict';

const { clearTimeout, clock, setTimeout } = require('../clock');
const { show, wrongType, wrongValue } = require('../errors');
const { Calendar, periodOf } = require('../formats/calendar');
const { DatedFormat } = require('../formats/dated-format');
const { distanceOf, idOf } = require('../formats/series');
const { LARGEST_NUMBER } = require('../limits');
const { FormattedSequence } = require('../sequence');
const { givenBelow, native, optionsOf, originOf, pageAt, returnIfIdle, toId, turn } = require('../symbols');
const { stepOption } = require('../validators');
const { COUNT_FLAGS, SERIES_FLAG, lastNumber, seriesAndEncrypt } = require('./count-options');

const MINUTE = 60_000; // ms
// Node.js keeps a list per timer duration until the timers would have fired, even if they were cleared. Whole
// seconds, up to an hour, keep the number of lists small.
const SECOND = 1000; // ms
const LONGEST_WAIT = 3600 * SECOND;

// The counter of the next period is opened this long before the period begins, in ms.
const LEAD = 10_000;

const calendarOf = ({ period, timeZone }) => new Calendar(period, timeZone);

function formatOf({ period, format, series, encrypt }, name) {
  if (encrypt === undefined) return new DatedFormat(period, format);
  const { cipherOf } = require('../formats/encryption');
  return new DatedFormat(period, format, {
    digits: encrypt.digits, distance: distanceOf(series),
    cipherOf: (prefix) => cipherOf(encrypt, name, prefix),
  });
}

function readOptions({ period, timeZone = 'UTC', format, step, ...others }) {
  calendarOf({ period, timeZone }); // it checks them
  const { template } = formatOf({ period, format });
  return { period, timeZone, format: template, step: stepOption(step), ...seriesAndEncrypt(others) };
}

function nativeOptions({ step, ...counts }) {
  return {
    start: 1, stepMin: step.min, stepMax: step.max, stepTarget: step.target,
    maxNumber: lastNumber(counts, LARGEST_NUMBER),
  };
}

/**
 * Its numbers are the counts of the current period: a call that finds the clock in another period makes the
 * addon switch to the counter of that period.
 */
class DatedSequence extends FormattedSequence {
  #calendar = calendarOf(this[optionsOf]);
  #format = formatOf(this[optionsOf], this[originOf].sequence);
  #series = this[optionsOf].series;
  #prefix;
  #write; // makes ids with #prefix
  #from = 0; // #prefix is valid from here, in ms since 1970
  #until = 0; // to here, exclusive
  #timer;

  parse(id) {
    const { prefix, count } = this.#format.parse(id);
    const { from, to } = this.#calendar.boundsOf(prefix);
    return { prefix, count, from: new Date(from), to: new Date(to) };
  }

  stats() {
    return { ...super.stats(), prefix: this.#prefix };
  }

  close() {
    clearTimeout(this.#timer);
    return super.close();
  }

  [returnIfIdle]() {
    const returned = super[returnIfIdle]();
    if (returned !== undefined) {
      clearTimeout(this.#timer); // it would keep the sequence alive, and reserve numbers
      this.#timer = undefined;
      this.#until = 0; // so the next call sets it again
    }
    return returned;
  }

  [givenBelow]() {
    return this[native].givenInPeriods();
  }

  [turn]() {
    const now = clock.now();
    if (now >= this.#from && now < this.#until) return now;
    const prefix = this.#calendar.prefixAt(now);
    if (prefix !== this.#prefix) this.#switchTo(prefix, now);
    else if (this.#timer === undefined) this.#prepareNext(now);
    // No time zone changes its offset within a minute.
    this.#from = Math.floor(now / MINUTE) * MINUTE;
    this.#until = this.#from + MINUTE;
    return now;
  }

  [toId](number, prefix = this.#prefix) {
    const count = idOf(this.#series, number);
    return prefix === this.#prefix ? this.#write(count) : this.#format.for(prefix)(count);
  }

  [pageAt](number) {
    return this.#series === undefined ? this.#write.pageAt?.(number) : undefined;
  }

  #switchTo(prefix, now) {
    const write = this.#format.for(prefix);
    // The prefix of one period with counts of another would give ids twice. The switch may fail, or execution
    // may be terminated after it. So #prefix stays undefined until all is set, and the next call tries again.
    this.#until = 0;
    this.#prefix = undefined;
    this[native].switchTo(prefix);
    this.#write = write;
    this.#prefix = prefix;
    this.#prepareNext(now);
  }

  // Opens the next counter LEAD before its period begins, but not before `least` ms have passed. Only a call
  // starts this: an unused sequence opens the next counter and no further ones.
  #prepareNext(now, least = 0) {
    clearTimeout(this.#timer);
    const { to } = this.#calendar.boundsOf(this.#prefix);
    const wait = Math.ceil(Math.max(to - LEAD - now, least) / SECOND) * SECOND;
    this.#timer = setTimeout(() => this.#onTimer(), Math.min(wait, LONGEST_WAIT));
    this.#timer.unref();
  }

  #onTimer() {
    try {
      const now = clock.now();
      const [prefix, next] = [now, now + LEAD + 1].map((ms) => this.#calendar.prefixAt(ms));
      if (prefix !== this.#prefix) return; // the next call switches
      if (next > prefix) this[native].prepare(next);
      else this.#prepareNext(now, LEAD); // the clock was set back, or the wait is longer than LONGEST_WAIT
    } catch {
      // The clock shows a time without a prefix. The next call throws it.
    }
  }
}

function target({ period, timeZone, prefix }, open, now) {
  const counts = { least: 1n, most: LARGEST_NUMBER };
  if (prefix !== undefined) return { prefix, period: periodNamedBy(prefix), ...counts, isCertain: true };
  const options = readOptions({ period, timeZone: timeZone ?? open.timeZone });
  const current = calendarOf(options).prefixAt(now);
  return { prefix: current, period, timeZone: options.timeZone, ...counts, isCertain: false };
}

function periodNamedBy(prefix) {
  const what = "the option 'prefix'";
  if (typeof prefix !== 'number') throw wrongType(what, 'a number such as 140625', prefix);
  const period = periodOf(prefix);
  if (period !== undefined) return period;
  throw wrongValue(`${what} is ${show(prefix)}`,
    'the number of a year, month, day or hour, such as 14, 1406, 140625 or 14062513');
}

const PERIOD_HELP = 'hour, day, month or year. Without NAME: the counters that have no name';
const CURRENT_HELP = 'the counter of the current hour, day, month or year; N is the next count. ' +
  'Without NAME: the counter that has no name';
const PREFIX_HELP = 'the counter of the period D, such as 14062513, 140625, 1406 or 14; N is the next count';

/** Ids that restart with each calendar period: 140625-0042. */
module.exports = {
  canBeNameless: true,
  canBePruned: true,
  sequenceClass: () => DatedSequence,
  readOptions,
  nativeOptions,
  advance: {
    chosenBy: { period: ['timeZone'], prefix: [] },
    hasSeries: true,
    target,
    identity: ['period', 'timeZone'], // a counter does not know its time zone
    toOptions: ({ period, timeZone = 'UTC' }) => (timeZone === 'UTC' ? { period } : { period, timeZone }),
    ofListed: (counter) => ({ ...counter, period: periodOf(counter.prefix) }),
    remedy: ({ prefix }) => (
      `for a counter of another period, pass { prefix: ${prefix} } (--prefix ${prefix})`),
  },
  cli: {
    next: {
      flags: {
        period: { value: 'P', help: PERIOD_HELP },
        format: { value: 'T', help: 'what ids look like', example: "'{YYMMDD}-{count:4}'" },
        'time-zone': { value: 'Z', help: 'the time zone of the ids (default UTC)' },
        ...COUNT_FLAGS,
      },
      examples: ['orders --period day --count 3'],
      options: { step: 1 }, // a refill asks for what its waiters need, if that is more
    },
    list: { columns: [{ title: 'PERIOD', show: ({ prefix }) => String(prefix ?? '') }], json: ['prefix'] },
    advance: {
      flags: {
        period: { value: 'P', help: CURRENT_HELP },
        prefix: { value: 'D', type: 'number', help: PREFIX_HELP },
        'time-zone': { value: 'Z', help: 'the time zone of the sequence (default UTC)' },
        series: SERIES_FLAG,
      },
      examples: ['tickets 421 --period year'],
      json: ['prefix'],
      // Another time zone may be in another period.
      note: ({ period, prefix, timeZone }) => (
        timeZone === undefined ? undefined : `the ${period} is ${prefix} (time zone ${timeZone})`),
    },
  },
};
