'use strict';

const { outOfRange, show, wrongValue } = require('../errors');
const { idOf } = require('../formats/series');
const { LARGEST_BIGINT } = require('../limits');
const { optionsOf, toId } = require('../symbols');
const { integer } = require('../validators');
const { COUNT_FLAGS, SERIES_FLAG, countOptions, lastNumber } = require('./count-options');
const { CountedSequence } = require('./counted');

const LARGEST_CYCLE = 9_000_000_000_000_000; // ids and any number of rounds in one batch stay below 2^53

/** The `cycle` that it returns is how many ids a round has, and what the counter stores. */
function readOptions({ cycle: largest, ...others }) {
  const counts = countOptions(others);
  const { series, encrypt } = counts;
  integer("the option 'cycle'", largest, 1, encrypt === undefined ? LARGEST_CYCLE : 10 ** encrypt.digits - 1);
  const cycle = Number(lastNumber(counts, BigInt(largest)));
  if (cycle === 0) {
    throw wrongValue(`the option 'cycle' is ${show(largest)}, and the series has no id up to it`,
      `at least ${idOf(series, 1)}`);
  }
  return { cycle, ...counts };
}

function nativeOptions({ cycle }) {
  // No numbers are kept in memory: another instance could wrap around and give them too.
  return { cycle, exact: true, start: 1, stepMin: 1, stepMax: 1, stepTarget: 1, maxNumber: LARGEST_BIGINT };
}

/** Its numbers do not wrap around; [toId] makes ids from 1 to `cycle` of them. */
class CyclicSequence extends CountedSequence {
  #cycle = this[optionsOf].cycle;

  reserve(n, options) {
    if (n > this?.#cycle && Number.isInteger(n)) return Promise.reject(this.#tooLarge(n));
    return super.reserve(n, options);
  }

  [toId](number) {
    return super[toId](((number - 1) % this.#cycle) + 1);
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
