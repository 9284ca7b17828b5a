'use strict';

const { inspect, isDeepStrictEqual } = require('node:util');

const { wrongType, wrongValue } = require('./errors');
const { LARGEST_BIGINT, LARGEST_NUMBER, LONGEST_TIMER } = require('./limits');
const {
  integer, isPlainObject, milliseconds, readOptions, stepOption, trueOrFalse, wholeNumber,
} = require('./validators');

const LARGEST_CYCLE = 9_000_000_000_000_000; // ids and any number of rounds in one batch stay below 2^53
const LONGEST_AGE = 3_600_000; // ms; an hour
const LARGEST_SKEW = 86_400_000; // ms; a day
const MOST_WAITERS = 10_000_000;
const MOST_REFILLS = 64;

/** The options of open(), with defaults. */
function storeOptions(options) {
  const { maxConcurrentRefills = 2 } = readOptions(options, ['maxConcurrentRefills'], 'a store');
  return Object.freeze({
    maxConcurrentRefills: integer("the option 'maxConcurrentRefills'", maxConcurrentRefills, 1, MOST_REFILLS),
  });
}

// What each kind of sequence knows. The first option of all but the plain one is what chooses the kind.
const COMMON_OPTIONS = ['timeout', 'maxWaiters'];
const KINDS = {
  plain: { options: ['start', 'step', 'bigint'], read: plainOptions },
  dated: { chosenBy: 'period', options: ['period', 'timeZone', 'format', 'step'], read: datedOptions },
  cyclic: { chosenBy: 'cycle', options: ['cycle'], read: cyclicOptions },
  'time-stamped': { chosenBy: 'timestamp', options: ['timestamp'], read: timestampOptions },
};
const TIMESTAMP_OPTIONS = ['digits', 'timeZone', 'format', 'maxAge', 'maxSkew'];
const KIND_OPTIONS = new Set(Object.values(KINDS).flatMap(({ options }) => options));
const SEQUENCE_OPTIONS = [...KIND_OPTIONS, ...COMMON_OPTIONS];

/**
 * The options of a sequence, with defaults and in one form: `kind`, those of the kind, times in ms, `step`
 * {min, max, target} (a fixed step has min === max), `start` a BigInt.
 */
function sequenceOptions(options) {
  refuseTimestampOptionsOutside(options);
  const given = readOptions(options, SEQUENCE_OPTIONS, 'a sequence');
  const kind = kindOf(given);
  const { timeout = 10_000, maxWaiters = 100_000 } = given;
  return Object.freeze({
    kind,
    ...KINDS[kind].read(given),
    timeout: milliseconds("the option 'timeout'", timeout, 1, LONGEST_TIMER),
    maxWaiters: integer("the option 'maxWaiters'", maxWaiters, 1, MOST_WAITERS),
  });
}

// The kind that the options choose. All that were given must belong to it.
function kindOf(given) {
  const names = Object.keys(given).filter((name) => given[name] !== undefined);
  const chosen = Object.keys(KINDS).filter((name) => names.includes(KINDS[name].chosenBy));
  if (chosen.length > 1) {
    const [one, other] = chosen.map((name) => KINDS[name].chosenBy);
    throw wrongValue(`the options '${one}' and '${other}' choose different kinds of sequence`,
      'one of them', 'leave the other out');
  }
  const [kind = 'plain'] = chosen;
  const { chosenBy, options } = KINDS[kind];
  const stranger = names.find((name) => !options.includes(name) && !COMMON_OPTIONS.includes(name));
  if (stranger === undefined) return kind;
  if (chosenBy !== undefined) {
    throw wrongValue(`a ${kind} sequence (option '${chosenBy}') has no option '${stranger}'`,
      `one of ${[...options, ...COMMON_OPTIONS].join(', ')}`);
  }
  throw requiresKind(stranger);
}

/** For `format` and `timeZone`, which two kinds have, and one of them inside `timestamp`. */
function requiresKind(name) {
  return wrongValue(`the option '${name}' requires the option 'period' or 'timestamp'`,
    `{ period: …, ${name}: … } or { timestamp: { ${name}: … } }`);
}

// Likely slips: { timestamp: true, digits: 3 } and { digits: 3 }.
function refuseTimestampOptionsOutside(options) {
  if (!isPlainObject(options)) return;
  const given = { ...options };
  const slipped = TIMESTAMP_OPTIONS.find((name) => (
    given[name] !== undefined && (given.timestamp !== undefined || !KIND_OPTIONS.has(name))));
  if (slipped === undefined) return;
  throw wrongValue(`the option '${slipped}' belongs inside 'timestamp'`, `{ timestamp: { ${slipped}: … } }`);
}

function plainOptions({ start = 1, step, bigint = false }) {
  trueOrFalse("the option 'bigint'", bigint);
  return { start: startNumber(start, bigint), step: stepOption(step), bigint };
}

function datedOptions({ period, timeZone = 'UTC', format, step }) {
  const { Calendar } = require('./formats/calendar'); // on first use: see store.js
  const { DatedFormat } = require('./formats/dated-format');
  new Calendar(period, timeZone); // they check
  const { template } = new DatedFormat(period, format);
  return { period, timeZone, format: template, step: stepOption(step) };
}

function cyclicOptions({ cycle }) {
  return { cycle: integer("the option 'cycle'", cycle, 1, LARGEST_CYCLE) };
}

function timestampOptions({ timestamp }) {
  if (timestamp !== true && !isPlainObject(timestamp)) {
    const expected = `true or an object { ${TIMESTAMP_OPTIONS.join(', ')} }`;
    throw wrongType("the option 'timestamp'", expected, timestamp);
  }
  const { digits = 2, maxAge, maxSkew = 10_000, ...look } =
    readOptions(timestamp === true ? {} : timestamp, TIMESTAMP_OPTIONS, "'timestamp'");
  const { TimestampFormat } = require('./formats/timestamp-format');
  const { template, timeZone } = new TimestampFormat({ digits, ...look });
  if (maxAge !== undefined) milliseconds("the option 'timestamp.maxAge'", maxAge, 1, LONGEST_AGE);
  milliseconds("the option 'timestamp.maxSkew'", maxSkew, 0, LARGEST_SKEW);
  return { digits, timeZone, format: template, maxAge, maxSkew };
}

/**
 * The options of the callback interface, with its defaults, as { store, sequence }. Checked here, so that a
 * wrong one is refused before the first init_id().
 */
function callbackOptions(options) {
  const known = ['start', 'step', 'timeout', 'maxWaiters', 'maxConcurrentRefills'];
  const { maxConcurrentRefills, start = 1000, step = 10, timeout, maxWaiters } =
    readOptions(options, known, 'the callback interface');
  const store = { maxConcurrentRefills };
  const sequence = { start, step, timeout, maxWaiters };
  storeOptions(store);
  sequenceOptions(sequence);
  return { store, sequence };
}

/** In what `b` differs from `a`, two results of sequenceOptions(), in words: `cycle: 99 instead of 100`. */
function differingOptions(a, b) {
  if (a.kind !== b.kind) return [`a ${a.kind} sequence instead of a ${b.kind} one`];
  return Object.keys(a).filter((name) => !isDeepStrictEqual(a[name], b[name]))
    .map((name) => `${name}: ${asGiven(a[name])} instead of ${asGiven(b[name])}`);
}

// `start` is kept as a BigInt, whatever it was.
const asGiven = (value) => (typeof value === 'bigint' ? String(value) : inspect(value));

function startNumber(start, bigint) {
  const larger = bigint ? '' : ` (with bigint: true up to ${LARGEST_BIGINT})`;
  return wholeNumber("the option 'start'", start, 0n, bigint ? LARGEST_BIGINT : LARGEST_NUMBER, larger);
}

module.exports = {
  callbackOptions, differingOptions, refuseTimestampOptionsOutside, requiresKind, sequenceOptions,
  storeOptions,
};
