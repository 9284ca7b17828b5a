'use strict';

// Counters in the memory of this process, for unit tests of services. A store of the user's own, in effect.

const custom = require('./custom');

const named = new Map(); // name → the counters of memory:NAME

function parse(url) {
  const name = url.slice('memory:'.length);
  return { store: 'memory', shown: url, name };
}

function connect({ name, shown }, options) {
  return custom.connect({ source: new MemoryStore(countersOf(name)), shown }, options);
}

function countersOf(name) {
  if (name === '') return new Map();
  if (!named.has(name)) named.set(name, new Map());
  return named.get(name);
}

class MemoryStore {
  #values;

  constructor(values) {
    this.#values = values;
  }

  read(key) {
    return this.#values.get(key);
  }

  compareAndSet(key, expected, next) {
    if (this.#values.get(key) !== expected) return false;
    if (next === undefined) this.#values.delete(key);
    else this.#values.set(key, next);
    return true;
  }

  list() {
    return this.#values;
  }
}

module.exports = {
  name: 'memory', schemes: ['memory'], takes: ["'memory:'"], parse, connect,
};
