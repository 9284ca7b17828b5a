'use strict';

// The members that files of lib use among each other, and that users of the package do not see. They are
// registered symbols, because a module loader may load a file twice (Jest after resetModules()), and the
// copies must work together.

module.exports = {
  // Members of a sequence, for other files:

  /** For callback.js: what the sequence holds, as { index, high, infetch }. */
  peek: Symbol.for('nextid.peek'),
  /** For callback.js: creates a missing counter, and resolves when the sequence knows where it stands. */
  touch: Symbol.for('nextid.touch'),
  /** For Store: drops numbers below one that the counter (dated: of that prefix) was moved up to. */
  skipTo: Symbol.for('nextid.skipTo'),
  /** For Store: how many returns of numbers have ended, or undefined while one is under way. */
  returns: Symbol.for('nextid.returns'),
  /** For Store: returns the numbers of a sequence that was not used; see native/addon/sequence_handle.h. */
  returnIfIdle: Symbol.for('nextid.returnIfIdle'),
  /** For Store: below which number others were given; a sequence of this name must not give them again. */
  givenBelow: Symbol.for('nextid.givenBelow'),
  /** The options as sequenceOptions() returns them. */
  optionsOf: Symbol.for('nextid.optionsOf'),
  /** For prometheus.js: { store, sequence, kind }, see watch.js. */
  originOf: Symbol.for('nextid.originOf'),

  // Members of a sequence, for the kinds whose ids are made of numbers (FormattedSequence):

  /** The addon's Sequence object. */
  native: Symbol.for('nextid.native'),
  /**
   * Called before any number is taken: the moment to check whether those in memory may still be used. Returns
   * what the clock shows, in ms, if that matters.
   */
  turn: Symbol.for('nextid.turn'),
  /** The id of a number. `prefix` is its period, if that is not the period of the window. */
  toId: Symbol.for('nextid.toId'),
  /** The ids around that of a number of the window, or undefined; see pageAt() in quick-writer.js. */
  pageAt: Symbol.for('nextid.pageAt'),

  // Members of a store:

  /** For Sequence, a method (sequence, name, closed): close() has begun; the Promise `closed` is its end. */
  onClosing: Symbol.for('nextid.onClosing'),
  /** For Sequence, a method (sequence, name): an idle sequence is used again, and may get numbers. */
  onUse: Symbol.for('nextid.onUse'),
  /** For tests: what the timer of the option `idle` calls. Its Promise resolves when all numbers are back. */
  returnIdle: Symbol.for('nextid.returnIdle'),
  /** For prometheus.js: the open sequences. */
  openSequences: Symbol.for('nextid.openSequences'),

  // Members of the addon's Store object:

  /** For gapless sequences, Store and their stores: the GaplessRows of the store, if it can have any. */
  gaplessRows: Symbol.for('nextid.gaplessRows'),

  // Options for the command line:

  /**
   * An option of advance(), which is called with what advanceTarget() returned, and with `isNew`: the counter
   * was created. (False if the options name it in full: nobody looked for it then.)
   */
  onTarget: Symbol.for('nextid.onTarget'),
  /**
   * An option of prune(), which is called with (done, total) after each batch of counters that was removed.
   * If it throws, prune() stops and rejects.
   */
  onProgress: Symbol.for('nextid.onProgress'),
};
