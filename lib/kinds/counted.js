'use strict';

const { wrongType } = require('../errors');
const { distanceOf, idOf } = require('../formats/series');
const { FormattedSequence } = require('../sequence');
const { optionsOf, originOf, pageAt, skipTo, toId } = require('../symbols');

/** Ids are numbers of a series, or what the options `format` and `encrypt` make of them. */
class CountedSequence extends FormattedSequence {
  #format;
  #series = this[optionsOf].series;
  #write = (count) => count;

  constructor(...args) {
    super(...args);
    // A counter may stand at 0. With a series, that can be an id below 0, which cannot be encrypted either.
    if (idOf(this.#series, 0) < 0) this[skipTo](1n);
    const { format, encrypt, bigint } = this[optionsOf];
    if (format === undefined && encrypt === undefined) return;
    const { CountFormat } = require('../formats/count-format'); // many cyclic sequences do without
    const cipher = encrypt && require('../formats/encryption').cipherOf(encrypt, this[originOf].sequence);
    this.#format = new CountFormat(format, { bigint, cipher, distance: distanceOf(this.#series) });
    this.#write = this.#format.write;
  }

  parse(id) {
    if (this.#format !== undefined) return this.#format.parse(id);
    throw wrongType("the option 'format'", "a template such as 'INV-{count:6}', for ids that can be parsed",
      undefined);
  }

  [toId](number) {
    return this.#write(idOf(this.#series, number));
  }

  [pageAt](number) {
    return this.#series === undefined ? this.#write.pageAt?.(number) : undefined;
  }
}

module.exports = { CountedSequence };
