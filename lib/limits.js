'use strict';

module.exports = {
  /** The largest number that JavaScript holds exactly, as a BigInt: 2^53-1. */
  LARGEST_NUMBER: BigInt(Number.MAX_SAFE_INTEGER),

  /** The largest number of a counter: 2^63-2. 2^63-1 is the end of a range that holds it. */
  LARGEST_BIGINT: 2n ** 63n - 2n,

  /** The longest time that a timer of Node.js takes, in ms. */
  LONGEST_TIMER: 2 ** 31 - 1,
};
