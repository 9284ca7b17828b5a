'use strict';

const { inspect } = require('node:util');
const { open } = require('./index');
const { peek, touch } = require('./sequence');
const { wrongType } = require('./errors');
const { callbackOptions } = require('./options');

/** Of each sequence that init_id has given to a callback, those that wait for a number, oldest first. */
const waitersOf = new WeakMap();

const isStatus = Symbol('nextid.isStatus');

// What init_id gives its callback is the sequence itself with these, which show its state live: an object
// around it took a sixth of next_id().
const STATUS = {
  [isStatus]: { value: true },

  _id: { get() { return this.name; } },

  /** The next number to be given, or `high` if there is none in memory. */
  index: { get() { return this[peek]().index; } },

  /** The end, exclusive, of the numbers in memory that follow `index`. */
  high: { get() { return this[peek]().high; } },

  /** Whether a range is being reserved. */
  infetch: { get() { return this[peek]().infetch; } },

  /** The callbacks that wait for a number, oldest first. */
  waiters: { get() { return Array.from(waitersOf.get(this), ({ callback }) => callback); } },

  toJSON: {
    value() {
      const { _id, index, high, waiters, infetch } = this;
      return { _id, index, high, waiters: waiters.length, infetch };
    },
  },

  [inspect.custom]: { value() { return this.toJSON(); } },
};

/** The status of `sequence`, which is made one if it is none yet. */
function statusOf(sequence) {
  if (waitersOf.has(sequence)) return sequence;
  waitersOf.set(sequence, new Set());
  return Object.defineProperties(sequence, STATUS);
}

/** Queues `callback` for the next number. */
function wait(idstatus, callback) {
  const waiters = waitersOf.get(idstatus);
  const waiter = { callback };
  waiters.add(waiter);
  // nextTick takes the callback out of the Promise: what it throws is an uncaught exception, as ever.
  const finish = (error, id) => {
    waiters.delete(waiter);
    process.nextTick(callback, error, id);
  };
  idstatus.nextId().then((id) => finish(null, id), finish);
}

function requireStatus(idstatus) {
  if (idstatus?.[isStatus] !== true) throw wrongType('idstatus', 'what init_id gave its callback', idstatus);
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

  function init_id(seqname, callback) {
    requireCallback(callback);
    try {
      const sequence = store.sequence(seqname, chosen.sequence);
      const onReady = () => process.nextTick(callback, null, statusOf(sequence));
      sequence[touch]().then(onReady, (error) => process.nextTick(callback, error));
    } catch (error) {
      process.nextTick(callback, error);
    }
  }

  function next_id(idstatus, callback) {
    requireCallback(callback);
    requireStatus(idstatus);
    let id;
    try {
      id = idstatus.tryNextId();
    } catch (error) {
      process.nextTick(callback, error);
      return;
    }
    if (id === undefined) {
      wait(idstatus, callback);
    } else {
      callback(null, id);
    }
  }

  return { init_id, next_id, close: () => store.close() };
}

module.exports = callbackInterface;
