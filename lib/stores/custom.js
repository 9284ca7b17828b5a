'use strict';

// The user's own store: an object with the methods of CounterStore in index.d.ts. It keeps texts by key.

const { messageOf, show, wrongValue } = require('../errors');
const { toRecord, toText } = require('./record-text');

const METHODS = ['read', 'compareAndSet', 'list'];
const REFUSALS = new Set(['ERR_NEXTID_ACCESS_DENIED', 'ERR_NEXTID_STORE_INVALID']);
const FIELDS = ['index', 'count', 'val', 'slot']; // one of each kind
const KINDS = ['plain', 'dated', 'cyclic', 'time-stamped'];
const TEXT = Symbol('text'); // of a record that was read

/** Whether an object has at least one of the methods, so that it is meant as a store. */
function accepts(source) {
  return METHODS.some((method) => typeof source[method] === 'function');
}

function parse(source) {
  const missing = METHODS.filter((method) => typeof source[method] !== 'function');
  if (missing.length > 0) {
    throw wrongValue(`the store has no method ${missing.join('() and no method ')}()`,
      'an object with read(), compareAndSet() and list()');
  }
  return { store: 'custom', shown: 'custom store', source };
}

function connect({ source, shown }, { maxConcurrentRefills }) {
  return require('./ruled-store').openTable(new TextTable(source, shown), maxConcurrentRefills);
}

/** Records as JSON: `{"index":101}` under 'plain:orders', `{"count":42}` under 'dated:orders:140625'. */
class TextTable {
  #source;
  #shown;

  constructor(source, shown) {
    this.#source = source;
    this.#shown = shown;
    const place = { in: `in the ${shown}`, ifFieldLost: '' };
    this.places = Object.fromEntries(KINDS.map((kind) => [kind, place]));
  }

  async read(key) {
    const text = await this.#source.read(textOfKey(key));
    if (text === undefined || typeof text === 'string') return recordOf(text);
    throw nonsense('read()', text, 'a string, or undefined if there is none');
  }

  async compareAndSet(key, record, next) {
    const done = await this.#source.compareAndSet(textOfKey(key), record?.[TEXT], toText(next));
    if (typeof done !== 'boolean') throw nonsense('compareAndSet()', done, 'true or false');
    return done;
  }

  async entries() {
    const list = await this.#source.list();
    if (typeof list?.[Symbol.iterator] !== 'function') {
      throw nonsense('list()', list, 'an iterable of [key, value]');
    }
    const entries = [];
    for (const [text, value] of list) {
      if (typeof value !== 'string') throw nonsense('a value of list()', value, 'a string');
      const key = toKey(text);
      const record = recordOf(value);
      if (key !== undefined && record?.making === undefined) entries.push([key, record]);
    }
    return entries;
  }

  async close() {
    await this.#source.close?.();
  }

  markRemedy(name) {
    return `with the last closed period P: set the value of '${textOfKey({ kind: 'pruned', name })}' to ` +
      '{"day":P}, or hour, month or year in place of day';
  }

  // The error is of the user's own code, and may be anything.
  failureOf(error, isWrite) {
    const has = (read) => {
      try {
        return read(error);
      } catch {
        return undefined;
      }
    };
    const why = has(({ cause }) => ` (${cause.message})`) ?? ''; // of "fetch failed"
    const what = has(({ message }) => message && String(message)) || has(String) || 'an error';
    const said = withoutPasswords(what + why);
    const code = has((failure) => failure.code);
    if (REFUSALS.has(code)) return { code, class: 'final', message: said };
    return {
      code: 'ERR_NEXTID_STORE_UNAVAILABLE',
      class: isWrite ? 'doubtful' : 'passing',
      message: messageOf(`the ${this.#shown} failed (${said})`, 'an answer', 'see the cause'),
      name: has(({ name }) => `${name}`) ?? 'Error',
      said,
      number: Number.isSafeInteger(code) ? code : 0,
    };
  }
}

function textOfKey({ kind, name, prefix }) {
  return prefix === undefined ? `${kind}:${name}` : `${kind}:${name}:${prefix}`;
}

// Undefined for what is not the key of a counter.
function toKey(text) {
  const [, kind, rest] = /^([a-z-]+):(.*)$/s.exec(text) ?? [];
  if (!KINDS.includes(kind)) return undefined;
  if (kind !== 'dated') return { kind, name: rest };
  const [, name, prefix] = /^(.*):(\d+)$/s.exec(rest) ?? [];
  return name === undefined ? undefined : { kind, name, prefix: Number(prefix) };
}

// What is not a record stands in each field, where core finds it damaged.
function recordOf(text) {
  if (text === undefined) return undefined;
  const record = toRecord(text) ?? Object.fromEntries(FIELDS.map((field) => [field, String(text)]));
  Object.defineProperty(record, TEXT, { value: text });
  return record;
}

function nonsense(method, value, expected) {
  return new Error(messageOf(`${method} of the store resolved to ${show(value)}`, expected));
}

function withoutPasswords(text) {
  return text.replace(/:\/\/[^\s/@]*@/g, '://***@');
}

module.exports = {
  name: 'custom', takes: ['an object with read(), compareAndSet() and list()'], accepts, parse, connect,
  withoutPasswords,
};
