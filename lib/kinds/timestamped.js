'use strict';

const { clock } = require('../clock');
const { FormattedSequence } = require('../sequence');
const { native, toId } = require('../symbols');
const { TimestampFormat, slotLimit, slotTime } = require('../formats/timestamp-format');

/** Ids that begin with the time. Its numbers are slots, BigInts: see TimestampFormat. */
class TimestampSequence extends FormattedSequence {
  #digits;
  #format;

  static nativeOptions({ digits, timeZone, maxAge, maxSkew }) {
    return {
      digits, timeZone, maxSkew, maxAge,
      // Without an age none are kept: their time would be over. With one, a range lasts about half of it.
      exact: maxAge === undefined,
      // A range moves the counter ahead of the clock; where there are no digits, so many by 0.1 s.
      start: 1, stepMin: 10, stepMax: 100_000, stepTarget: Math.max((maxAge ?? 2) / 2, 1),
      bigint: true, maxNumber: slotLimit(digits) - 1n,
    };
  }

  constructor(nativeSequence, store, name, options) {
    super(nativeSequence, store, name, options);
    this.#digits = options.digits;
    this.#format = new TimestampFormat(options);
  }

  parse(id) {
    return this.#format.parse(id);
  }

  stats() {
    const { givenBelow } = this[native].stats();
    if (givenBelow === undefined) return { ...super.stats(), ahead: 0 };
    const last = Math.floor(slotTime(givenBelow - 1n, this.#digits) / 1000); // in whole ms, as the clock
    return { ...super.stats(), ahead: Math.max(0, last - clock.now()) };
  }

  [toId](slot) {
    return this.#format.write(slot);
  }
}

module.exports = { TimestampSequence };
