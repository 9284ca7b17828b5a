'use strict';

const { inspect } = require('node:util');
const { nextTick } = require('./clock');
const { open } = require('./index');
const { Sequence } = require('./sequence');
const { peek, touch } = require('./symbols');
const { wrongType } = require('./errors');
const { callbackOptions } = require('./options');
const { defaultStoreUrl } = require('./stores');

const take = Symbol('nextid.take');

/** IdStatus → Set of its waiters, oldest first. */
const waitersOf = new WeakMap();

/**
 * What init_id passes to its callback: the live state of one sequence. It is the sequence itself with another
 * prototype, because a wrapper would cost a sixth of next_id(). An instanceof check would cost as much, so
 * next_id() calls [take], which no other object has.
 */
class IdStatus extends Sequence {
  /** Turns `sequence` into an IdStatus, unless it is one, and returns it. */
  static of(sequence) {
    if (sequence instanceof IdStatus) return sequence;
    waitersOf.set(sequence, new Set());
    return Object.setPrototypeOf(sequence, IdStatus.prototype);
  }

  get _id() {
    return this.name;
  }

  /** The next number to be given, or `high` if there is none in memory. */
  get index() {
    return this[peek]().index;
  }

  /** The end, exclusive, of the numbers in memory that follow `index`. */
  get high() {
    return this[peek]().high;
  }

  /** Whether a range is being reserved. */
  get infetch() {
    return this[peek]().infetch;
  }

  /** The callbacks that are waiting for a number, oldest first. */
  get waiters() {
    return Array.from(waitersOf.get(this), ({ callback }) => callback);
  }

  toJSON() {
    const { _id, index, high, waiters, infetch } = this;
    return { _id, index, high, waiters, infetch };
  }

  [inspect.custom]() {
    return this.toJSON();
  }

  /** The next number, if it is in memory; throws if the sequence is closed. */
  [take]() {
    return this.tryNextId();
  }
}

/** Queues `callback` for the next number. */
function wait(idstatus, callback) {
  const waiters = waitersOf.get(idstatus);
  const waiter = { callback };
  waiters.add(waiter);
  // nextTick runs the callback outside the Promise: if it throws, that is an uncaught exception, as usual.
  const finish = (error, id) => {
    waiters.delete(waiter);
    nextTick(callback, error, id);
  };
  idstatus.nextId().then((id) => finish(null, id), finish);
}

function requireCallback(callback) {
  if (typeof callback === 'function') return;
  throw wrongType("the argument 'callback'", 'a function (error, result)', callback);
}

/**
 * The callback pair init_id / next_id on the counters of a store; see callback.d.ts.
 * @param {string | URL} [url] as for open()
 * @param {object} [options] start (1000), step (10), timeout, maxWaiters, maxConcurrentRefills
 */
function callbackInterface(url, options) {
  const chosen = callbackOptions(options);
  const store = open(arguments.length === 0 ? defaultStoreUrl() : url, chosen.store);

  function init_id(seqname, callback) {
    requireCallback(callback);
    try {
      const sequence = store.sequence(seqname, chosen.sequence);
      const onReady = () => nextTick(callback, null, IdStatus.of(sequence));
      sequence[touch]().then(onReady, (error) => nextTick(callback, error));
    } catch (error) {
      nextTick(callback, error);
    }
  }

  function next_id(idstatus, callback) {
    requireCallback(callback);
    let id;
    try {
      id = idstatus[take]();
    } catch (error) {
      if (!(idstatus instanceof IdStatus)) {
        throw wrongType("the argument 'idstatus'", 'what init_id passed to its callback', idstatus);
      }
      nextTick(callback, error);
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
