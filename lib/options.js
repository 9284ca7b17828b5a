'use strict';

const { inspect, isDeepStrictEqual } = require('node:util');

const { didYouMean, outOfRange, show, wrongType, wrongValue } = require('./errors');

const LARGEST_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);
const LARGEST_BIGINT = 2n ** 63n - 2n; // 2^63-1 is the end of a range that holds it
const MOST_NAME_BYTES = 255;
const LONGEST_TIMEOUT = 2 ** 31 - 1; // ms; timers take no more
const LONGEST_TARGET = 3_600_000; // ms; an hour
const LARGEST_STEP = 1_000_000_000;
const LARGEST_CYCLE = 9_000_000_000_000_000; // ids and any number of rounds in one batch stay below 2^53
const LONGEST_AGE = 3_600_000; // ms; an hour
const LARGEST_SKEW = 86_400_000; // ms; a day
const MOST_WAITERS = 10_000_000;
const MOST_REFILLS = 64;
const DEFAULT_STEP = { min: 10, max: 1_000_000, target: 1000 };

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
    timeout: milliseconds("the option 'timeout'", timeout, 1, LONGEST_TIMEOUT),
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
  if (typeof bigint !== 'boolean') throw wrongType("the option 'bigint'", 'true or false', bigint);
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

/** The name of a sequence, checked: 1 to 255 bytes of UTF-8, no NUL. */
function sequenceName(name) {
  const what = 'the name of a sequence';
  if (typeof name !== 'string') throw wrongType(what, 'a string', name);
  if (name === '') throw wrongValue(`${what} is empty`, `1 to ${MOST_NAME_BYTES} bytes of UTF-8`);
  if (name.includes('\0')) throw wrongValue(`${what} is ${show(name)}`, 'no NUL character in it');
  if (!name.isWellFormed()) {
    throw wrongValue(`${what} has half of a surrogate pair`, 'well-formed Unicode');
  }
  const bytes = Buffer.byteLength(name);
  if (bytes > MOST_NAME_BYTES) {
    throw wrongValue(`${what} is ${show(name)}, of ${bytes} bytes`,
      `at most ${MOST_NAME_BYTES} bytes of UTF-8`);
  }
  return name;
}

/** How many numbers a call asks for: the argument `name`, an integer from 1 to `max`. */
function count(n, name, max) {
  return integer(`the argument '${name}'`, n, 1, max);
}

/** The AbortSignal among the options of a call, or undefined. */
function signalOption(options) {
  const { signal } = readOptions(options, ['signal'], 'a call');
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw wrongType("the option 'signal'", 'an AbortSignal', signal);
  }
  return signal;
}

/** Where advance() is to move a counter, as a BigInt. */
function nextNumber(next, least = 0n, most = LARGEST_BIGINT) {
  return wholeNumber("the argument 'next'", next, most, least);
}

function startNumber(start, bigint) {
  const larger = bigint ? '' : ` (with bigint: true up to ${LARGEST_BIGINT})`;
  return wholeNumber("the option 'start'", start, bigint ? LARGEST_BIGINT : LARGEST_NUMBER, 0n, larger);
}

function stepOption(step = {}) {
  return Object.freeze(typeof step === 'number' ? fixedStep(step) : adaptiveStep(step));
}

function fixedStep(step) {
  const fixed = integer("the option 'step'", step, 1, LARGEST_STEP);
  return { min: fixed, max: fixed, target: DEFAULT_STEP.target };
}

// A default gives way to the bound that was given: { max: 5 } and { min: 2000000 } are clear enough.
function adaptiveStep(step) {
  if (!isPlainObject(step)) {
    throw wrongType("the option 'step'", 'an integer or an object { min, max, target }', step);
  }
  const given = readOptions(step, ['min', 'max', 'target'], 'a step');
  const bound = (key) => integer(`the option 'step.${key}'`, given[key], 1, LARGEST_STEP);
  const max = given.max === undefined ? Infinity : bound('max');
  const min = given.min === undefined ? Math.min(DEFAULT_STEP.min, max) : bound('min');
  if (min > max) {
    throw wrongValue(`the options 'step.min' and 'step.max' are ${min} and ${max}`,
      "'step.min' to be at most 'step.max'");
  }
  const { target = DEFAULT_STEP.target } = given;
  return {
    min,
    max: max === Infinity ? Math.max(DEFAULT_STEP.max, min) : max,
    target: milliseconds("the option 'step.target'", target, 1, LONGEST_TARGET),
  };
}

// A copy of `options`, read once, with none but the `known` ones; undefined is as good as not given. `what`
// is where they were given.
function readOptions(options, known, whose, what = "the argument 'options'") {
  if (options === undefined) return {};
  if (!isPlainObject(options)) throw wrongType(what, `a plain object, the options of ${whose}`, options);
  const given = { ...options };
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    throw wrongValue(`unknown option ${show(key)}`, `an option of ${whose} (${known.join(', ')})`,
      didYouMean(key, known));
  }
  return given;
}

// Not a Map or a URL, say, whose own properties tell nothing. May come from another realm.
function isPlainObject(value) {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function integer(what, value, min, max, unit = '') {
  const expected = `an integer from ${min} to ${max}${unit}`;
  if (typeof value !== 'number') throw wrongType(what, expected, value);
  if (!Number.isInteger(value) || value < min || value > max) throw outOfRange(what, expected, value);
  return value;
}

function milliseconds(what, value, min, max) {
  return integer(what, value, min, max, ' (milliseconds)');
}

function wholeNumber(what, value, max, min = 0n, note = '') {
  const larger = max > LARGEST_NUMBER ? `, or a BigInt up to ${max}` : '';
  const expected = `an integer from ${min} to ${larger === '' ? max : LARGEST_NUMBER}${larger}${note}`;
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongType(what, expected, value);
  const fits = typeof value === 'bigint' ? value >= min && value <= max
    : Number.isSafeInteger(value) && value >= min && value <= max;
  if (!fits) throw outOfRange(what, expected, value);
  return BigInt(value);
}

module.exports = {
  callbackOptions,
  count, differingOptions, integer, isPlainObject, nextNumber, readOptions,
  refuseTimestampOptionsOutside, requiresKind, sequenceName, sequenceOptions, signalOption, storeOptions,
};
