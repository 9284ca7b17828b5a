'use strict';

const { show, wrongType, wrongValue } = require('../errors');
const { LARGEST_BIGINT, LARGEST_NUMBER } = require('../limits');
const { countWriter } = require('./quick-writer');
const { splitTemplate, templateReader } = require('./template');

const WHAT = "the option 'format'";
const TOKENS = {
  dates: [], number: 'count', hasWidth: true,
  remedy: "for ids that show the date, add the option 'period'; for a brace as text, write '{{' or '}}'",
};

/**
 * How the counts of a sequence become ids and are read back: 42 becomes 'INV-000042'. No two ids are equal,
 * because the text before and after the one {count} is always the same.
 */
class CountFormat {
  #template;
  #toNumber;
  #width;
  #read;
  #cipher;

  /** A quick function that makes the id of a count. */
  write;

  /**
   * `bigint`: counts are BigInts. `cipher`, an Ff1, encrypts them, and `distance` is that of two counts.
   * Throws if `template` could give the same id twice.
   */
  constructor(template = '{count}', { bigint = false, cipher, distance } = {}) {
    this.#template = template;
    this.#cipher = cipher;
    const parts = splitTemplate(WHAT, template, TOKENS);
    const at = checkedPlace(template, parts);
    const [head, tail] = [parts.slice(0, at), parts.slice(at + 1)].map((texts) => (
      texts.map(({ text }) => text).join('')));
    const most = bigint ? LARGEST_BIGINT : LARGEST_NUMBER;
    this.#toNumber = (digits) => {
      const count = BigInt(cipher === undefined ? digits : cipher.decrypt(digits));
      if (count > most) return undefined;
      return bigint ? count : Number(count);
    };
    this.#width = parts[at].width;
    this.#read = templateReader(parts, ({ width }) => (
      `{${cipher === undefined ? `${width},${String(most).length}` : cipher.digits}}`));
    this.write = countWriter(head, this.#width, tail, { bigint, cipher, distance });
  }

  /** The { count } of which `id` was made. Throws if it is not exactly an id of this format. */
  parse(id) {
    if (typeof id !== 'string') throw wrongType("the argument 'id'", 'a string', id);
    const { count: digits = '' } = this.#read(id) ?? {};
    const isTooWide = this.#cipher === undefined && digits.length > this.#width && digits.startsWith('0');
    const count = digits === '' || isTooWide ? undefined : this.#toNumber(digits);
    if (count !== undefined) return { count };
    throw wrongValue(`the argument 'id' is ${show(id)}`,
      `an id of the format ${show(this.#template)}, ${this.#example()}`);
  }

  #example() {
    if (this.#cipher !== undefined) return `with ${this.#cipher.digits} digits`;
    return `such as ${show(this.write(this.#toNumber('42')))}`;
  }
}

function checkedPlace(template, parts) {
  const places = parts.flatMap(({ token }, i) => (token === 'count' ? [i] : []));
  if (places.length === 1) return places[0];
  throw wrongValue(`${WHAT} is ${show(template)}`, places.length === 0
    ? '{count} in it, without which all ids would be the same'
    : '{count} only once, because otherwise ids could be read in several ways');
}

module.exports = { CountFormat };
