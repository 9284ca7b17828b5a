'use strict';

const { idOf, numberFrom } = require('../formats/series');
const { LARGEST_BIGINT, LARGEST_NUMBER } = require('../limits');
const { Sequence } = require('../sequence');
const { stepOption, trueOrFalse, wholeNumber } = require('../validators');
const { COUNT_FLAGS, SERIES_FLAG, countOptions, lastNumber } = require('./count-options');

function readOptions({ start = 1, step, bigint = false, ...others }) {
  trueOrFalse("the option 'bigint'", bigint);
  const counts = countOptions(others);
  const largest = idOf(counts.series, lastNumber(counts, bigint ? LARGEST_BIGINT : LARGEST_NUMBER));
  const note = bigint || counts.encrypt !== undefined ? '' : ` (with bigint: true up to ${LARGEST_BIGINT})`;
  return {
    start: wholeNumber("the option 'start'", start, 0n, largest, note), step: stepOption(step), bigint,
    ...counts,
  };
}

function nativeOptions({ start, step, bigint, ...counts }) {
  return {
    start: numberFrom(counts.series, start), stepMin: step.min, stepMax: step.max, stepTarget: step.target,
    bigint, maxNumber: lastNumber(counts, bigint ? LARGEST_BIGINT : LARGEST_NUMBER),
  };
}

const areNumbers = (options) => (
  [options.format, options.series, options.encrypt].every((option) => option === undefined));

/** Ids are the numbers themselves: 1, 2, 3, … With `format`, `series` or `encrypt`, they are made of them. */
module.exports = {
  sequenceClass: (options) => (areNumbers(options) ? Sequence : require('./counted').CountedSequence),
  readOptions,
  nativeOptions,
  advance: {
    chosenBy: {},
    hasSeries: true,
    target: () => ({ isCertain: false }),
    identity: [],
    toOptions: () => ({}),
  },
  cli: {
    next: {
      flags: {
        start: { value: 'N', type: 'bigint', help: 'the first number of a new sequence (default 1)' },
        format: { value: 'T', help: 'what ids look like', example: "'INV-{count:6}'" },
        ...COUNT_FLAGS,
      },
      // A refill asks for what its waiters need if that is more than the step: so for exactly that.
      options: { step: 1, bigint: true },
    },
    advance: { flags: { series: SERIES_FLAG }, examples: ['orders 48211'] },
  },
};
