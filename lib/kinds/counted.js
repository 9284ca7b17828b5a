'use strict';

const { wrongType } = require('../errors');
const { CountFormat } = require('../formats/count-format');
const { idOf } = require('../formats/series');
const { FormattedSequence } = require('../sequence');
const { optionsOf, toId } = require('../symbols');

/** Ids are numbers of a series, or what the option `format` makes of them. */
class CountedSequence extends FormattedSequence {
  #format;
  #series = this[optionsOf].series;
  #write = (count) => count;

  constructor(...args) {
    super(...args);
    const { format, bigint } = this[optionsOf];
    if (format === undefined) return;
    this.#format = new CountFormat(format, bigint);
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
}

/** The option `format` of a kind whose ids may be numbers, checked. */
function formatOption(format) {
  if (format !== undefined) void new CountFormat(format);
  return format;
}

module.exports = { CountedSequence, formatOption };
