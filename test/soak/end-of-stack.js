'use strict';

const { native } = require('../../lib/symbols');

const WAYS = {
  /** Wherever the stack ends: the call is made with a little more of it, again and again, until it works. */
  anywhere(sequence) {
    const { stackTraceLimit } = Error;
    let result;
    const dive = () => {
      try {
        dive();
      } catch {
        // here it ends
      }
      result ??= attempt(sequence);
    };
    Error.stackTraceLimit = 0; // there will be a hundred errors
    try {
      dive();
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
    return result?.id;
  },

  /**
   * As the addon takes the window back. No real end of the stack is found there, since what comes before that
   * needs more of it: so this one is made up.
   */
  takingBack(sequence) {
    const nativeSequence = sequence[native];
    const { callbacks } = nativeSequence;
    const takeBackWindow = () => {
      throw new RangeError('Maximum call stack size exceeded');
    };
    nativeSequence.callbacks = { ...callbacks, takeBackWindow };
    const result = attempt(sequence);
    nativeSequence.callbacks = callbacks;
    return result?.id;
  },
};

// Undefined if the call throws.
function attempt(sequence) {
  try {
    return { id: sequence.tryNextId() };
  } catch {
    return undefined;
  }
}

/** Has `sequence.tryNextId()` run out of stack in one of the ways. Returns its id, or none. */
function tryAtEndOfStack(sequence, way) {
  return WAYS[way](sequence);
}

module.exports = { WAYS_TO_RUN_OUT: Object.keys(WAYS), tryAtEndOfStack };
