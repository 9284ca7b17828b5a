'use strict';

const { clearTimeout, setImmediate, setTimeout } = require('node:timers');

const { hrtime, nextTick } = process;

// Undefined if it is faked already, as where Jest's fake timers are always on.
const trueNow = /^function now\(\)\s*\{\s*\[native code\]\s*\}$/.test(Date.now) ? Date.now : undefined;

// Captured when the package is loaded: a service's unit tests may fake the globals later, and in a
// browser-like environment they are not Node's (a timer is a number there).
module.exports = {
  /**
   * What the machine's clock shows, in ms since 1970. An object, so that tests can set it. A service may fake
   * it too (Date is not captured): dated ids then show the faked date.
   */
  clock: { now: () => Date.now() },

  /** Whether the service fakes Date now: it may then set the clock within a turn of the event loop. */
  isFaked: () => Date.now !== trueNow,

  /** A clock that is never set or faked, in ms. Loading node:perf_hooks would take 1 ms. */
  steadyNow() {
    const [seconds, nanoseconds] = hrtime();
    return seconds * 1000 + nanoseconds / 1e6;
  },

  /**
   * How many ms a counter must look deleted or set back before it is refused: a deposed leader answers from
   * stale data for a moment. An object, so that tests can set it.
   */
  confirmation: { time: 2000 },

  /** How many ms one request to a store in JavaScript may take. An object, so that tests can set it. */
  attempt: { time: 5000 },

  clearTimeout, nextTick, setImmediate, setTimeout,
};
