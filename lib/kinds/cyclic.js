'use strict';

const { outOfRange } = require('../errors');
const { LARGEST_BIGINT } = require('../limits');
const { FormattedSequence } = require('../sequence');
const { toId } = require('../symbols');

/** Ids from 1 to `cycle`, then from 1 again. Its numbers go straight on: the store says where they begin. */
class CyclicSequence extends FormattedSequence {
  #cycle;

  static nativeOptions({ cycle }) {
    // Numbers in memory would be given again after another instance has wrapped around: so none are kept.
    return { cycle, exact: true, start: 1, stepMin: 1, stepMax: 1, stepTarget: 1, maxNumber: LARGEST_BIGINT };
  }

  constructor(nativeSequence, store, name, options) {
    super(nativeSequence, store, name, options);
    this.#cycle = options.cycle;
  }

  reserve(n, options) {
    if (n > this?.#cycle && Number.isInteger(n)) return Promise.reject(this.#tooLarge(n));
    return super.reserve(n, options);
  }

  [toId](number) {
    return ((number - 1) % this.#cycle) + 1;
  }

  #tooLarge(n) {
    const most = `at most ${this.#cycle}, the option 'cycle', because a block must not wrap around`;
    return outOfRange("the argument 'n'", most, n);
  }
}

module.exports = { CyclicSequence };
