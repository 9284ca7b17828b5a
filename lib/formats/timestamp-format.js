'use strict';

const { outOfRange, show, wrongType, wrongValue } = require('../errors');
const { LARGEST_BIGINT } = require('../limits');
const { PAIRS, quickWriter } = require('./quick-writer');
const { splitTemplate, templateReader } = require('./template');

const WHAT = "the option 'timestamp.format'";
const TOKENS = { dates: ['YYYY', 'MM', 'DD', 'hh', 'mm', 'ss', 'ffffff'], number: 'digits' };
const MOST_DIGITS = 4;
const SECOND = 1_000_000; // microseconds
const LATE_EPOCH = Date.UTC(2020) * 1000; // microseconds
const EXAMPLE = Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 678_901; // microseconds, for messages

/**
 * How the slots of a time-stamped sequence become ids and are read back from them. A slot is a BigInt: time ×
 * 10^digits + digit part. The time is in microseconds since 1970, or since 2020 where there are 4 digits.
 *
 * All ids of a format have the same text in the same places. Between it stands the time of the slot, every
 * token in fixed width and the largest unit first. So no two ids are equal, and they grow as the slots do.
 */
class TimestampFormat {
  #digits;
  #limit;
  #timeZone;
  #offset; // of the time zone from UTC, in ms
  #template;
  #read;
  #untilSecond; // the parts before the microseconds
  #between; // text between the microseconds and the digits
  #tail;
  #slotsPerSecond;
  #second; // the first slot of the second written last,
  #head; // and what ids of that second begin with

  /** A quick function that makes the id of `slot`, a BigInt from 0 up to slotLimit(). */
  write;

  /**
   * `digits` is 0 to 4, `timeZone` is 'UTC' or an offset such as '+08:00', `format` is a template with all
   * tokens of the time and (unless `digits` is 0) {digits}.
   */
  constructor({ digits = 2, timeZone = 'UTC', format = defaultTemplate(digits) } = {}) {
    this.#digits = checkDigits(digits);
    this.#limit = slotLimit(digits);
    this.#offset = offsetOf(timeZone);
    this.#timeZone = this.#offset === 0 ? 'UTC' : timeZone;
    this.#template = format;
    const parts = splitTemplate(WHAT, format, TOKENS);
    checkTokens(digits, format, parts);
    this.#read = templateReader(parts, ({ token, width }) => `{${token === 'digits' ? digits : width}}`);
    const microseconds = parts.findIndex(({ token }) => token === 'ffffff');
    const last = parts.findLastIndex(({ token }) => token !== undefined);
    this.#untilSecond = parts.slice(0, microseconds);
    this.#between = textOf(parts.slice(microseconds + 1, last));
    this.#tail = textOf(parts.slice(last + 1));
    this.#slotsPerSecond = SECOND * 10 ** digits;
    this.#turnTo(0n);
    const between = digits === 1 ? this.#between : '';
    const endings = PAIRS.map(([one, other]) => one + between + other + this.#tail);
    this.write = quickWriter((slot) => this.#write(slot), endings, 0n, this.#limit - this.#limit % 100n);
  }

  get template() {
    return this.#template;
  }

  /** 'UTC', or an offset such as '+08:00': one text for each offset. */
  get timeZone() {
    return this.#timeZone;
  }

  // Quick for slots of the same second as the one before.
  #write(slot) {
    if (slot < 0n || slot >= this.#limit) {
      throw outOfRange('the slot', `a BigInt from 0 to ${this.#limit - 1n}`, slot);
    }
    let within = Number(slot - this.#second);
    if (within < 0 || within >= this.#slotsPerSecond) {
      this.#turnTo(slot);
      within = Number(slot - this.#second);
    }
    const digits = String(within).padStart(6 + this.#digits, '0');
    return this.#head + digits.slice(0, 6) + this.#between + digits.slice(6) + this.#tail;
  }

  /**
   * What `id` was made of: `microseconds` since 1970, `digit` (the number in its digits, 0 if it has none)
   * and `time`, a Date of the whole milliseconds. Throws if it is not exactly an id of this format.
   */
  parse(id) {
    if (typeof id !== 'string') throw wrongType("the argument 'id'", 'a string', id);
    const read = this.#read(id);
    if (read === undefined) throw this.#noId(id);
    const { YYYY, MM, DD, hh, mm, ss, ffffff, digits: digit = '0' } = read;
    const second = Date.UTC(YYYY, MM - 1, DD, hh, mm, ss) - this.#offset; // in ms
    const microseconds = second * 1000 + Number(ffffff);
    const slot = slotOf(microseconds, this.#digits) + BigInt(digit);
    const isSlot = slot >= 0n && slot < this.#limit;
    // Date.UTC() understands 30 February as 1 or 2 March: that is written another way.
    if (!isSlot || this.#write(slot) !== id) throw this.#noId(id, this.#noSuchTime());
    return { time: new Date(Math.floor(microseconds / 1000)), microseconds, digit: Number(digit) };
  }

  #turnTo(slot) {
    const perSecond = BigInt(this.#slotsPerSecond);
    const second = slot - slot % perSecond;
    const ms = slotTime(second, this.#digits) / 1000;
    const [YYYY, MM, DD, hh, mm, ss] = new Date(ms + this.#offset).toISOString().match(/\d+/g);
    const digits = { YYYY, MM, DD, hh, mm, ss };
    const head = this.#untilSecond.map(({ token, text }) => text ?? digits[token]).join('');
    // From here on nothing can throw, not even because the stack is full: slots of one second with the head
    // of another would become the ids of other slots.
    this.#second = second;
    this.#head = head;
  }

  #noSuchTime() {
    const [first, last] = [0n, this.#limit - 1n].map((slot) => (
      new Date(slotTime(slot, this.#digits) / 1000).toISOString().slice(0, 10)
    ));
    return `its time is not from ${first} to ${last}`;
  }

  #noId(id, reason) {
    const example = this.write(slotOf(EXAMPLE, this.#digits));
    return wrongValue(`the argument 'id' is ${show(id)}`,
      `an id of the format ${show(this.#template)}, such as ${show(example)}`, reason);
  }
}

/**
 * The end (exclusive) of the slots that can be written: with 0 to 3 digits in the year 2255, where
 * microseconds pass 2^53; with 4 digits in 2049, where slots reach 2^63 - 1.
 */
function slotLimit(digits) {
  const end = slotOf(Number.MAX_SAFE_INTEGER, digits) + 10n ** BigInt(digits);
  return end <= LARGEST_BIGINT ? end : LARGEST_BIGINT + 1n;
}

/** The time of `slot` in microseconds since 1970, a number; exact below slotLimit(). */
function slotTime(slot, digits) {
  return Number(slot / 10n ** BigInt(digits)) + epochOf(digits);
}

// The first slot of a microsecond.
function slotOf(microseconds, digits) {
  return BigInt(microseconds - epochOf(digits)) * 10n ** BigInt(digits);
}

function epochOf(digits) {
  return digits === MOST_DIGITS ? LATE_EPOCH : 0;
}

function defaultTemplate(digits) {
  return digits === 0 ? '{YYYYMMDDhhmmssffffff}' : '{YYYYMMDDhhmmssffffff}{digits}';
}

function checkDigits(digits) {
  const expected = `an integer from 0 to ${MOST_DIGITS}`;
  if (typeof digits !== 'number') throw wrongType("the option 'timestamp.digits'", expected, digits);
  if (!Number.isInteger(digits) || digits < 0 || digits > MOST_DIGITS) {
    throw outOfRange("the option 'timestamp.digits'", expected, digits);
  }
  return digits;
}

// In ms. Named zones are refused: see the message.
function offsetOf(timeZone) {
  const what = "the option 'timestamp.timeZone'";
  const expected = "'UTC' or an offset such as '+08:00' (up to 14 hours)";
  if (typeof timeZone !== 'string') throw wrongType(what, expected, timeZone);
  if (timeZone === 'UTC') return 0;
  const match = /^([+-])(?:(0[0-9]|1[0-3]):([0-5][0-9])|(14):(00))$/.exec(timeZone);
  if (match === null) {
    throw wrongValue(`${what} is ${show(timeZone)}`,
      `${expected}, not a named zone, whose clock may show the same hour twice`);
  }
  const [, sign, hours = match[4], minutes = match[5]] = match;
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function checkTokens(digits, template, parts) {
  const refuse = (expected) => wrongValue(`${WHAT} is ${show(template)}`, expected);
  const held = parts.flatMap(({ token }) => token ?? []);
  const wanted = digits === 0 ? TOKENS.dates : [...TOKENS.dates, TOKENS.number];
  if (digits === 0 && held.includes('digits')) {
    throw refuse("no {digits} in it, because 'timestamp.digits' is 0");
  }
  const missing = wanted.find((token) => !held.includes(token));
  if (missing !== undefined) throw refuse(`{${missing}} in it, without which two ids could be equal`);
  if (held.join() !== wanted.join()) {
    const all = wanted.map((token) => `{${token}}`).join(' ');
    throw refuse(`${all} once each and in this order, so that ids increase`);
  }
}

function textOf(parts) {
  return parts.map(({ text }) => text).join('');
}

module.exports = { TimestampFormat, slotLimit, slotTime };
