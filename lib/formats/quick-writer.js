'use strict';

const { outOfRange } = require('../errors');

const MOST_AT_ONCE = 256; // ids; encrypting them takes a fraction of a millisecond
const PAIRS = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'));

/**
 * Makes texts of numbers as `write` does, but quickly for numbers that follow each other: what comes before
 * the last two digits is kept, and the rest is looked up.
 *
 * @param {function(number | bigint): string} write makes texts that end with one of `endings`, the one at the
 *   number modulo 100. What comes before is the same for all numbers of one hundred
 * @param {string[]} endings 100 strings of one length
 * @param {number | bigint} least the first number of which this is true, divisible by 100
 * @param {number | bigint} end the first number of which it is not, divisible by 100
 */
function quickWriter(write, endings, least, end = Infinity) {
  const hundred = typeof least === 'bigint' ? 100n : 100;
  const nowhere = least - hundred - hundred; // no number is less than 100 above
  const { length } = endings[0];
  let from = nowhere; // `beginning` is for the hundred numbers from here
  let beginning = '';

  function turnTo(number) {
    const text = write(number);
    if (number < least || number >= end) return text;
    const next = text.slice(0, text.length - length);
    // Execution may be terminated in between. The beginning of one hundred with the endings of another would
    // be the id of another number, so `from` is set last.
    from = nowhere;
    beginning = next;
    from = number - number % hundred;
    return text;
  }

  function writeQuickly(number) {
    const i = Number(number - from);
    return i >= 0 && i < 100 ? beginning + endings[i] : turnTo(number);
  }

  // The texts around `number`, for those who do not even want to call a function for each: its own is
  // beginning + endings[index], and its neighbours' are beside it. Undefined if it is not within the limits.
  writeQuickly.pageAt = (number) => {
    writeQuickly(number);
    const index = Number(number - from);
    return index >= 0 && index < 100 ? { beginning, endings, index } : undefined;
  };

  return writeQuickly;
}

/**
 * A quick function that makes ids of counts: `head`, at least `width` digits, `tail`.
 *
 * @param {Ff1} [cipher] encrypts the counts, whose distance is `distance`. `width` does not matter then
 */
function countWriter(head, width, tail, { bigint = false, cipher, distance }) {
  if (cipher !== undefined) return encryptedWriter(head, tail, cipher, distance);
  const write = (count) => head + String(count).padStart(width, '0') + tail;
  const hundreds = width < 2 ? 1 : 0; // a count below 100 may have a single digit then
  return quickWriter(write, endingsWith(tail), bigint ? 100n * BigInt(hundreds) : 100 * hundreds);
}

// For counts that follow each other it encrypts twice as many each time.
function encryptedWriter(head, tail, cipher, distance) {
  const limit = 10 ** cipher.digits;
  let from = 0; // the count of ids[0]
  let ids = [];

  function fill(count) {
    // Beyond the limits, the cipher would wrap around and give the text of another count.
    if (!(count >= 0 && count < limit)) throw outOfRange('the count', `0 to ${limit - 1}`, count);
    const isNext = count === from + ids.length * distance;
    const wanted = isNext ? Math.min(2 * ids.length, MOST_AT_ONCE) : 1;
    const size = Math.max(Math.min(wanted, Math.ceil((limit - count) / distance)), 1);
    const next = cipher.encrypt(count, distance, size).map((digits) => head + digits + tail);
    ids = []; // as above: execution may be terminated in between
    from = count;
    ids = next;
    return next[0];
  }

  return (count) => ids[(Number(count) - from) / distance] ?? fill(Number(count));
}

let lastTail = '';
let lastEndings = PAIRS;

// Thousands of sequences usually have one tail, so they share the table.
function endingsWith(tail) {
  if (tail !== lastTail) [lastTail, lastEndings] = [tail, PAIRS.map((pair) => pair + tail)];
  return lastEndings;
}

module.exports = { PAIRS, countWriter, quickWriter };
