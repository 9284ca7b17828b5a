'use strict';

const { outOfRange, show, wrongValue } = require('../errors');
const { idOf } = require('../formats/series');
const { LARGEST_BIGINT } = require('../limits');
const { optionsOf, pageAt, toId } = require('../symbols');
const { integer, stepOption } = require('../validators');
const { COUNT_FLAGS, SERIES_FLAG, countOptions, lastNumber } = require('./count-options');
const { CountedSequence } = require('./counted');

const LARGEST_CYCLE = 9_000_000_000_000_000; // ids and any number of rounds in one batch stay below 2^53

// Instances that keep numbers must use or drop them before the others reach the same ids again. An instance
// keeps up to three steps. So with this share, 100 instances keep less than a third of a round.
const LEAST_STEPS = 1000; // in a round
const MAX_AGE = 10_000; // ms

/** The `cycle` that it returns is how many ids a round has, and what the counter stores. */
function readOptions({ cycle: largest, step, ...others }) {
  const counts = countOptions(others);
  const { series, encrypt } = counts;
  integer("the option 'cycle'", largest, 1, encrypt === undefined ? LARGEST_CYCLE : 10 ** encrypt.digits - 1);
  const cycle = Number(lastNumber(counts, BigInt(largest)));
  if (cycle === 0) {
    throw wrongValue(`the option 'cycle' is ${show(largest)}, and the series has no id up to it`,
      `at least ${idOf(series, 1)}`);
  }
  return { cycle, step: stepOf(cycle, step), ...counts };
}

// The option `step`, or undefined without it.
function stepOf(cycle, given) {
  if (given === undefined) return undefined;
  const step = stepOption(given);
  const most = Math.floor(cycle / LEAST_STEPS);
  if (step.max <= most) return step;
  const name = typeof given === 'number' ? 'step' : 'step.max';
  throw wrongValue(`the option '${name}' is ${step.max}, and a round has ${cycle} ids`,
    most === 0 ? `no step with fewer than ${LEAST_STEPS} ids` : `at most ${most}, a thousandth of them`,
    "leave 'step' out to keep no ids in memory");
}

function nativeOptions({ cycle, step }) {
  const common = { cycle, start: 1, maxNumber: LARGEST_BIGINT };
  if (step === undefined) return { ...common, exact: true, stepMin: 1, stepMax: 1, stepTarget: 1 };
  return { ...common, maxAge: MAX_AGE, stepMin: step.min, stepMax: step.max, stepTarget: step.target };
}

/** Its numbers do not wrap around; [toId] makes ids from 1 to `cycle` of them. */
class CyclicSequence extends CountedSequence {
  #cycle = this[optionsOf].cycle;

  reserve(n, options) {
    if (n > this?.#cycle && Number.isInteger(n)) return Promise.reject(this.#tooLarge(n));
    return super.reserve(n, options);
  }

  [toId](number) {
    return super[toId](number <= this.#cycle ? number : (number - 1) % this.#cycle + 1);
  }

  // A page could go past the end of the cycle.
  [pageAt]() {
    return undefined;
  }

  #tooLarge(n) {
    const most = `at most ${this.#cycle}, the ids of a round, because a block must not wrap around`;
    return outOfRange("the argument 'n'", most, n);
  }
}

/** Ids from 1 to `cycle`, then from 1 again. */
module.exports = {
  sequenceClass: () => CyclicSequence,
  readOptions,
  nativeOptions,
  advance: {
    chosenBy: { cycle: [] },
    hasSeries: true,
    target(given) {
      const { cycle, series } = readOptions(given);
      return { cycle, least: 1n, most: BigInt(idOf(series, cycle)), isCertain: true };
    },
    identity: ['cycle'],
    toOptions: ({ cycle }) => ({ cycle }),
  },
  cli: {
    next: {
      flags: {
        cycle: { value: 'M', type: 'number', help: '1 to M, then 1 again' },
        format: { value: 'T', help: 'what ids look like', example: "'T{count:3}'" },
        ...COUNT_FLAGS,
      },
      examples: ['serial --cycle 99'],
    },
    list: { json: ['cycle'], showNext: ({ next, cycle }) => `${next} of ${cycle}` },
    advance: {
      flags: {
        cycle: { value: 'M', type: 'number', help: 'N is the next id, 1 to M' },
        series: SERIES_FLAG,
      },
      alreadyAt: (next) => `past ${next} in its round`,
    },
  },
};
