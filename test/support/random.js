'use strict';

/** A function that gives numbers from 0 to 1 (exclusive), the same in each run. */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

module.exports = { randomNumbers };
