'use strict';

const { inspect } = require('node:util');
const { open } = require('./index');
const { peek, touch } = require('./sequence');
const { wrongType } = require('./errors');
const { callbackOptions } = require('./options');

/** What init_id gives its callback: the state of one sequence, read live. */
class IdStatus {
  #sequence;
  #waiters = new Set();

  constructor(sequence) {
    this.#sequence = sequence;
  }

  get _id() {
    return this.#sequence.name;
  }

  /** The next number to be given, or `high` if there is none in memory. */
  get index() {
    return this.#sequence[peek]().index;
  }

  /** The end, exclusive, of the numbers in memory that follow `index`. */
  get high() {
    return this.#sequence[peek]().high;
  }

  /** Whether a range is being reserved. */
  get infetch() {
    return this.#sequence[peek]().infetch;
  }

  /** The callbacks that wait for a number, oldest first. */
  get waiters() {
    return Array.from(this.#waiters, ({ callback }) => callback);
  }

  toJSON() {
    const { _id, index, high, waiters, infetch } = this;
    return { _id, index, high, waiters: waiters.length, infetch };
  }

  [inspect.custom]() {
    return this.toJSON();
  }

  /**
   * The next number, if it is in memory; throws if the sequence is closed, or `idstatus` is no IdStatus.
   * Static, so that to read the private field is to check the type: `instanceof` took a fifth of next_id().
   */
  static take(idstatus) {
    return idstatus.#sequence.tryNextId();
  }

  /** Queues `callback` for the next number. */
  wait(callback) {
    const waiter = { callback };
    this.#waiters.add(waiter);
    // nextTick takes the callback out of the Promise: what it throws is an uncaught exception, as ever.
    const finish = (error, id) => {
      this.#waiters.delete(waiter);
      process.nextTick(callback, error, id);
    };
    this.#sequence.nextId().then((id) => finish(null, id), finish);
  }
}

function requireCallback(callback) {
  if (typeof callback !== 'function') throw wrongType('the callback', 'a function (err, result)', callback);
}

/**
 * The callback pair init_id / next_id on the counters of a store; see callback.d.ts.
 * @param {string} [url] as for open()
 * @param {object} [options] start (1000), step (10), timeout, maxWaiters, maxConcurrentRefills
 */
function callbackInterface(url, options) {
  const chosen = callbackOptions(options);
  const store = open(url, chosen.store);
  const statuses = new Map();

  function init_id(seqname, callback) {
    requireCallback(callback);
    let sequence;
    try {
      sequence = store.sequence(seqname, chosen.sequence);
    } catch (error) {
      process.nextTick(callback, error);
      return;
    }
    const onReady = () => {
      if (!statuses.has(seqname)) statuses.set(seqname, new IdStatus(sequence));
      process.nextTick(callback, null, statuses.get(seqname));
    };
    sequence[touch]().then(onReady, (error) => process.nextTick(callback, error));
  }

  function next_id(idstatus, callback) {
    requireCallback(callback);
    let id;
    try {
      id = IdStatus.take(idstatus);
    } catch (error) {
      if (!(idstatus instanceof IdStatus)) {
        throw wrongType('idstatus', 'what init_id gave its callback', idstatus);
      }
      process.nextTick(callback, error);
      return;
    }
    if (id === undefined) {
      idstatus.wait(callback);
    } else {
      callback(null, id);
    }
  }

  return { init_id, next_id, close: () => store.close() };
}

module.exports = callbackInterface;
