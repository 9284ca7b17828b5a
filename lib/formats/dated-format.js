'use strict';

const { PERIODS, checkPeriod, periodOf } = require('./calendar');
const { show, wrongType, wrongValue } = require('../errors');
const { countWriter } = require('./quick-writer');
const { splitTemplate, templateReader } = require('./template');

const WHAT = "the option 'format'";
const TOKENS = { dates: ['YYYY', 'YY', 'MM', 'DD', 'HH'], number: 'count', hasWidth: true };
const MOST_DIGITS = String(Number.MAX_SAFE_INTEGER).length;

const DEFAULT_TEMPLATES = {
  hour: '{YYMMDDHH}-{count:4}',
  day: '{YYMMDD}-{count:4}',
  month: '{YYMM}-{count:4}',
  year: '{YY}-{count:4}',
};

/**
 * How the prefix and count of a dated sequence become an id and are read back from it: 140625 and 42 become
 * '140625-0042'. Throws if `template` could give the same id twice.
 *
 * Why no two ids are equal: every part but the count has the same width in every id, and there is one count.
 * So what stands before and after it is found by its place from either end: equal ids have equal date tokens,
 * and these name the whole period (YY too: all years begin with 20). The digits left over are the count,
 * which zeros in front do not change.
 */
class DatedFormat {
  #period;
  #template;
  #before; // the parts before the count
  #after;
  #width;
  #read;
  #cipherOf;
  #distance;

  /** `cipherOf(prefix)`, an Ff1, encrypts the counts of a period, and `distance` is that of two counts. */
  constructor(period, template = DEFAULT_TEMPLATES[period], { digits, cipherOf, distance } = {}) {
    this.#cipherOf = cipherOf;
    this.#distance = distance;
    this.#period = checkPeriod(period);
    this.#template = template;
    const parts = splitTemplate(WHAT, template, TOKENS);
    checkTokens(period, template, parts);
    const at = parts.findIndex(({ token }) => token === 'count');
    this.#before = parts.slice(0, at);
    this.#after = parts.slice(at + 1);
    this.#width = parts[at].width;
    const ofCount = digits ?? `${this.#width},${MOST_DIGITS}`;
    this.#read = templateReader(parts, ({ token, width }) => `{${token === 'count' ? ofCount : width}}`);
  }

  get template() {
    return this.#template;
  }

  /** A quick function that makes ids of the period `prefix`: of a count, from 1 on, the id. */
  for(prefix) {
    if (periodOf(prefix) !== this.#period) {
      throw wrongValue(`the prefix is ${show(prefix)}`, `the number of one ${this.#period}`);
    }
    const digits = tokenDigits(prefix);
    const write = (parts) => parts.map(({ token, text }) => text ?? digits[token]).join('');
    const cipher = this.#cipherOf?.(prefix);
    const options = { cipher, distance: this.#distance };
    return countWriter(write(this.#before), this.#width, write(this.#after), options);
  }

  /** The { prefix, count } of which `id` was made. Throws if it is not exactly an id of this format. */
  parse(id) {
    if (typeof id !== 'string') throw wrongType("the argument 'id'", 'a string', id);
    const digits = this.#read(id);
    if (digits === undefined) throw this.#noId(id);
    const { YYYY, YY = YYYY.slice(2), MM = '', DD = '', HH = '' } = digits;
    const date = YY + MM + DD + HH;
    const prefix = Number(date);
    if (periodOf(prefix) !== this.#period) throw this.#noId(id, `there is no ${this.#period} ${date}`);
    const count = this.#cipherOf?.(prefix).decrypt(digits.count) ?? Number(digits.count);
    if (count < 1 || !Number.isSafeInteger(count)) {
      throw this.#noId(id, `a count is from 1 to ${Number.MAX_SAFE_INTEGER}`);
    }
    // Finds date tokens that disagree, and zeros in front of a count that is wide enough without.
    const written = this.for(prefix)(count);
    if (written !== id) throw this.#noId(id, `did you mean ${show(written)}?`);
    return { prefix, count };
  }

  #noId(id, reason) {
    const example = this.#cipherOf === undefined
      ? `, such as ${show(this.for(PERIODS[this.#period].example)(42))}` : '';
    return wrongValue(`the argument 'id' is ${show(id)}`,
      `an id of the format ${show(this.#template)}${example}`, reason);
  }
}

function checkTokens(period, template, parts) {
  const held = parts.flatMap(({ token }) => token ?? []);
  const refuse = (expected) => wrongValue(`${WHAT} is ${show(template)}`, expected);
  const ofPeriod = [['YYYY', 'YY'], ['MM'], ['DD'], ['HH']];
  const finer = ofPeriod.splice(PERIODS[period].places).flat();
  for (const either of ofPeriod) {
    if (either.some((token) => held.includes(token))) continue;
    const wanted = either.map((token) => `{${token}}`).join(' or ');
    throw refuse(`${wanted} in it, without which two ${period}s could give the same id`);
  }
  const uncertain = held.find((token) => finer.includes(token));
  if (uncertain !== undefined) {
    throw refuse(`no {${uncertain}} in it, because a count belongs to a whole ${period}`);
  }
  const counts = held.filter((token) => token === 'count').length;
  if (counts === 0) throw refuse(`{count} in it, without which all ids of one ${period} would be the same`);
  if (counts > 1) throw refuse('{count} only once, because otherwise ids could be read in several ways');
}

function tokenDigits(prefix) {
  const [YY, MM, DD, HH] = String(prefix).match(/../g);
  return { YYYY: `20${YY}`, YY, MM, DD, HH };
}

module.exports = { DatedFormat };
