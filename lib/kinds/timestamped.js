'use strict';

const { clock } = require('../clock');
const { wrongType } = require('../errors');
const { TimestampFormat, slotLimit, slotTime } = require('../formats/timestamp-format');
const { FormattedSequence } = require('../sequence');
const { native, optionsOf, pageAt, toId } = require('../symbols');
const { isPlainObject, milliseconds, readOptions: readOnly } = require('../validators');
const { KINDS } = require('./index');

const { innerOptions: INNER_OPTIONS } = KINDS.find(({ chosenBy }) => chosenBy === 'timestamp');
const LONGEST_AGE = 3_600_000; // ms; an hour
const LARGEST_SKEW = 86_400_000; // ms; a day

function readOptions({ timestamp }) {
  const { digits = 2, maxAge, maxSkew = 10_000, ...look } =
    readOnly(asObject(timestamp), INNER_OPTIONS, "'timestamp'");
  const { template, timeZone } = new TimestampFormat({ digits, ...look });
  if (maxAge !== undefined) milliseconds("the option 'timestamp.maxAge'", maxAge, 1, LONGEST_AGE);
  milliseconds("the option 'timestamp.maxSkew'", maxSkew, 0, LARGEST_SKEW);
  return { digits, timeZone, format: template, maxAge, maxSkew };
}

function asObject(timestamp) {
  if (timestamp === true) return {};
  if (isPlainObject(timestamp)) return timestamp;
  throw wrongType("the option 'timestamp'", `true or an object { ${INNER_OPTIONS.join(', ')} }`, timestamp);
}

function nativeOptions({ digits, timeZone, maxAge, maxSkew }) {
  return {
    digits, timeZone, maxSkew, maxAge,
    // Without maxAge, no numbers are kept in memory, because their time would be in the past. With maxAge, a
    // range lasts about half of it.
    exact: maxAge === undefined,
    // A range moves the counter ahead of the clock. Without digits, 100000 numbers move it by 0.1 s.
    start: 1, stepMin: 10, stepMax: 100_000, stepTarget: Math.max((maxAge ?? 2) / 2, 1),
    bigint: true, maxNumber: slotLimit(digits) - 1n,
  };
}

/** Its numbers are slots, BigInts: see TimestampFormat. */
class TimestampedSequence extends FormattedSequence {
  #digits = this[optionsOf].digits;
  #format = new TimestampFormat(this[optionsOf]);

  parse(id) {
    return this.#format.parse(id);
  }

  stats() {
    const { givenBelow: below } = this[native].stats();
    if (below === undefined) return { ...super.stats(), ahead: 0 };
    const last = Math.floor(slotTime(below - 1n, this.#digits) / 1000); // in whole ms, as the clock
    return { ...super.stats(), ahead: Math.max(0, last - clock.now()) };
  }

  [toId](slot) {
    return this.#format.write(slot);
  }

  [pageAt](slot) {
    return this.#format.write.pageAt(slot);
  }
}

function target({ timestamp }, open) {
  readOptions({ timestamp });
  const { digits = open.digits, timeZone = open.timeZone } =
    readOnly(asObject(timestamp), ['digits', 'timeZone'], "'timestamp' of advance()");
  const counter = readOptions({ timestamp: { digits, timeZone } });
  const most = slotLimit(counter.digits) - 1n;
  return { digits: counter.digits, timeZone: counter.timeZone, least: 1n, most, isCertain: true };
}

// '2026-11-21T11:36:30.250123Z 07': the time to the microsecond, and the digit part if there is one.
function showNext({ next, digits }) {
  const slot = BigInt(next);
  if (slot >= slotLimit(digits)) return String(slot);
  const microseconds = slotTime(slot, digits);
  const time = new Date(microseconds / 1000).toISOString().slice(0, -1);
  const rest = String(microseconds % 1000).padStart(3, '0');
  const digitPart = String(slot % 10n ** BigInt(digits)).padStart(digits, '0');
  return `${time}${rest}Z${digits === 0 ? '' : ` ${digitPart}`}`;
}

const DIGITS = { value: 'N', type: 'number', requires: 'timestamp' };

/** Ids that begin with the time: 20140625134501123456 and 07. */
module.exports = {
  sequenceClass: () => TimestampedSequence,
  readOptions,
  nativeOptions,
  advance: {
    chosenBy: { timestamp: [] },
    target,
    identity: ['digits', 'timeZone'],
    toOptions: ({ digits, timeZone = 'UTC' }) => (
      { timestamp: timeZone === 'UTC' ? { digits } : { digits, timeZone } }),
  },
  cli: {
    next: {
      flags: {
        timestamp: { help: 'the time to the microsecond, followed by digits' },
        digits: { ...DIGITS, help: 'how many digits, 0 to 4 (default 2)' },
        format: { value: 'T', help: 'what ids look like', example: "'{YYYYMMDDhhmmssffffff}{digits}'" },
        'time-zone': { value: 'Z', help: 'the time zone of the ids (default UTC)' },
      },
      examples: ['trace --timestamp --digits 3'],
    },
    list: { json: ['digits', 'timeZone'], showNext },
    advance: {
      flags: {
        timestamp: { help: ', with --digits and --time-zone as for next; N is the next slot' },
        digits: DIGITS,
        'time-zone': { value: 'Z', help: 'the time zone of the sequence (default UTC)' },
      },
    },
  },
};
