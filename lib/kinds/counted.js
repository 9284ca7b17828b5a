'use strict';

const { wrongType } = require('../errors');
const { CountFormat } = require('../formats/count-format');
const { FormattedSequence } = require('../sequence');
const { optionsOf, toId } = require('../symbols');

/** Ids are counts as the option `format` says, or numbers without it. */
class CountedSequence extends FormattedSequence {
  #format;
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
    return this.#write(number);
  }
}

/** The option `format` of a kind whose ids may be numbers, checked. */
function formatOption(format) {
  if (format !== undefined) void new CountFormat(format);
  return format;
}

module.exports = { CountedSequence, formatOption };
