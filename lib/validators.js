'use strict';

const { didYouMean, outOfRange, show, wrongType, wrongValue } = require('./errors');
const { LARGEST_BIGINT, LARGEST_NUMBER } = require('./limits');

// Checks of arguments and option values. `what` names the value in messages: "the option 'step'".

const MOST_IDENTIFIER_BYTES = 63; // PostgreSQL cuts off the rest
const MOST_NAME_BYTES = 255;
const LONGEST_TARGET = 3_600_000; // ms; an hour
const LARGEST_STEP = 1_000_000_000;
const DEFAULT_STEP = { min: 10, max: 1_000_000, target: 1000 };

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

/** The name of a collection of MongoDB. */
function collectionName(what, name) {
  const expected = "a name without $ and NUL that does not begin with a dot or 'system.'";
  if (typeof name !== 'string') throw wrongType(what, expected, name);
  if (name === '' || /[$\0]/.test(name) || name.startsWith('.') || name.startsWith('system.')) {
    throw wrongValue(`${what} is ${show(name)}`, expected);
  }
  return name;
}

/** The name of a table or schema in an SQL database. */
function identifier(what, name) {
  const expected = `1 to ${MOST_IDENTIFIER_BYTES} bytes of UTF-8 without NUL`;
  if (typeof name !== 'string') throw wrongType(what, expected, name);
  if (name === '' || name.includes('\0') || !name.isWellFormed() ||
    Buffer.byteLength(name) > MOST_IDENTIFIER_BYTES) {
    throw wrongValue(`${what} is ${show(name)}`, expected);
  }
  return name;
}

/** The AbortSignal among the options of a call, or undefined. */
function signalOption(options) {
  const { signal } = readOptions(options, ['signal'], 'a call');
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw wrongType("the option 'signal'", 'an AbortSignal', signal);
  }
  return signal;
}

/** Where advance() moves a counter, as a BigInt. */
function nextNumber(next, least = 0n, most = LARGEST_BIGINT) {
  return wholeNumber("the argument 'next'", next, least, most);
}

/** The option `step` as { min, max, target }. A fixed step has min === max. */
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

/**
 * A copy of `options`, read once. Throws if there is an option that is not `known`; an option that is
 * undefined counts as not given. `what` is the argument or option that holds them.
 */
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

/** Not for a Map or a URL, say, whose own properties hold nothing. The object may be of another realm. */
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

/** A number or a BigInt from `min` to `max`, as a BigInt. */
function wholeNumber(what, value, min, max, note = '') {
  const larger = max > LARGEST_NUMBER ? `, or a BigInt up to ${max}` : '';
  const expected = `an integer from ${min} to ${larger === '' ? max : LARGEST_NUMBER}${larger}${note}`;
  if (typeof value !== 'number' && typeof value !== 'bigint') throw wrongType(what, expected, value);
  const fits = typeof value === 'bigint' ? value >= min && value <= max
    : Number.isSafeInteger(value) && value >= min && value <= max;
  if (!fits) throw outOfRange(what, expected, value);
  return BigInt(value);
}

function trueOrFalse(what, value) {
  if (typeof value !== 'boolean') throw wrongType(what, 'true or false', value);
  return value;
}

module.exports = {
  collectionName,
  identifier,
  count, integer, isPlainObject, milliseconds, nextNumber, readOptions, sequenceName, signalOption,
  stepOption, trueOrFalse, wholeNumber,
};
