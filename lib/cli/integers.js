'use strict';

const { show, wrongValue } = require('../errors');

/** The BigInt that `text` is in decimal digits. `what` names it in messages. */
function integer(text, what) {
  if (!/^\d{1,19}$/.test(text)) {
    throw wrongValue(`${what} is ${show(text)}`, 'an integer in decimal digits');
  }
  return BigInt(text);
}

/** The same as a number. */
function number(text, what) {
  return Number(integer(text, what));
}

/** A number, BigInt or id for JSON. Numbers that many readers of JSON would round become strings. */
function toJson(id) {
  if (id === undefined) return null;
  if (typeof id === 'string') return id;
  return id > Number.MAX_SAFE_INTEGER ? String(id) : Number(id);
}

module.exports = { integer, number, toJson };
