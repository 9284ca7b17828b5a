'use strict';

/**
 * `few` in `npm test`, `many` in `npm run test:long`: how often a test repeats what shows rare faults only
 * when it is done very often.
 */
const scaled = (few, many) => (process.env.NEXTID_TEST_LONG === '1' ? many : few);

module.exports = { scaled };
