'use strict';

const { LARGEST_BIGINT, LARGEST_NUMBER } = require('../limits');
const { Sequence } = require('../sequence');
const { stepOption, trueOrFalse, wholeNumber } = require('../validators');

function readOptions({ start = 1, step, bigint = false, format }) {
  trueOrFalse("the option 'bigint'", bigint);
  const largest = bigint ? LARGEST_BIGINT : LARGEST_NUMBER;
  const note = bigint ? '' : ` (with bigint: true up to ${LARGEST_BIGINT})`;
  return {
    start: wholeNumber("the option 'start'", start, 0n, largest, note), step: stepOption(step), bigint,
    // Loaded only if needed: the package loads this file at once.
    format: format === undefined ? undefined : require('./counted').formatOption(format),
  };
}

function nativeOptions({ start, step, bigint }) {
  return {
    start, stepMin: step.min, stepMax: step.max, stepTarget: step.target,
    bigint, maxNumber: bigint ? LARGEST_BIGINT : LARGEST_NUMBER,
  };
}

/** Ids are the numbers themselves: 1, 2, 3, … With `format`, texts of them. */
module.exports = {
  sequenceClass: ({ format }) => (format === undefined ? Sequence : require('./counted').CountedSequence),
  readOptions,
  nativeOptions,
  advance: {
    chosenBy: {},
    target: () => ({ isCertain: false }),
    identity: [],
    toOptions: () => ({}),
  },
  cli: {
    next: {
      flags: {
        start: { value: 'N', type: 'bigint', help: 'the first number of a new sequence (default 1)' },
        format: { value: 'T', help: 'what ids look like', example: "'INV-{count:6}'" },
      },
      // A refill asks for what its waiters need if that is more than the step: so for exactly that.
      options: { step: 1, bigint: true },
    },
    advance: { examples: ['orders 48211'] },
  },
};
