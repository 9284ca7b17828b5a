'use strict';

const { SERIES_FLAG, idOf, numberFrom, numberUpTo, seriesOption } = require('../formats/series');
const { LARGEST_BIGINT, LARGEST_NUMBER } = require('../limits');
const { Sequence } = require('../sequence');
const { stepOption, trueOrFalse, wholeNumber } = require('../validators');

function readOptions({ start = 1, step, bigint = false, format, series: givenSeries }) {
  trueOrFalse("the option 'bigint'", bigint);
  const series = seriesOption(givenSeries);
  const largest = idOf(series, lastNumber({ series, bigint }));
  const note = bigint ? '' : ` (with bigint: true up to ${LARGEST_BIGINT})`;
  return {
    start: wholeNumber("the option 'start'", start, 0n, largest, note), step: stepOption(step), bigint,
    series,
    // Loaded only if needed: the package loads this file at once.
    format: format === undefined ? undefined : require('./counted').formatOption(format),
  };
}

function lastNumber({ series, bigint }) {
  return numberUpTo(series, bigint ? LARGEST_BIGINT : LARGEST_NUMBER);
}

function nativeOptions({ start, step, bigint, series }) {
  return {
    start: numberFrom(series, start), stepMin: step.min, stepMax: step.max, stepTarget: step.target,
    bigint, maxNumber: lastNumber({ series, bigint }),
  };
}

const isNumbers = ({ format, series }) => format === undefined && series === undefined;

/** Ids are the numbers themselves: 1, 2, 3, … With `format` or `series`, they are made of the numbers. */
module.exports = {
  sequenceClass: (options) => (isNumbers(options) ? Sequence : require('./counted').CountedSequence),
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
        series: SERIES_FLAG,
      },
      // A refill asks for what its waiters need if that is more than the step: so for exactly that.
      options: { step: 1, bigint: true },
    },
    advance: { flags: { series: SERIES_FLAG }, examples: ['orders 48211'] },
  },
};
