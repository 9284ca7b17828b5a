'use strict';

const { NextIdError } = require('./errors');
const { nextNumber, sameOptions, sequenceName, sequenceOptions } = require('./options');
const { Sequence, skipTo } = require('./sequence');

const MAX_NUMBER = 2n ** 53n - 1n;
const MAX_BIGINT = 2n ** 63n - 2n;

// A number where it is exact, else a BigInt.
const toNumber = (value) => (value <= MAX_NUMBER ? Number(value) : value);

/** The database behind the counters; see index.d.ts. Made by open(). */
class Store {
  #native;
  #sequences = new Map();
  #closingSequences = new Map(); // name → Promise of its end
  #givenBelow = new Map(); // of sequences that were closed: a counter must not come back lower
  #closing;

  /**
   * @param {object} native the addon's Store object (native/addon/store_handle.h)
   * @param {string} url as it may be shown, without credentials
   */
  constructor(native, url) {
    this.url = url;
    this.#native = native;
  }

  sequence(name, options) {
    this.#refuseIfClosed();
    sequenceName(name);
    const wanted = sequenceOptions(options);
    const open = this.#sequences.get(name);
    if (open === undefined) return this.#openSequence(name, wanted);
    if (options !== undefined && !sameOptions(open.options, wanted)) {
      throw new NextIdError(
        `the sequence '${name}' is open with other options; use the same ones, or none to get the open one`,
        { code: 'ERR_NEXTID_OPTIONS_CONFLICT' },
      );
    }
    return open.sequence;
  }

  async list() {
    this.#refuseIfClosed();
    const counters = await this.#native.list();
    return counters.map(({ name, next, problem }) => ({
      name,
      kind: 'plain',
      next: next === undefined ? undefined : toNumber(next),
      ...(problem === undefined ? {} : { problem }),
    }));
  }

  async advance(name, next) {
    this.#refuseIfClosed();
    const wanted = nextNumber(next);
    sequenceName(name);
    await this.#closingSequences.get(name); // what it gives back must not undo this
    this.#refuseIfClosed();
    const standsAt = await this.#native.advance(name, wanted);
    // Numbers below are taken by others: those that this process holds must not be given out either.
    this.#sequences.get(name)?.sequence[skipTo](wanted);
    return toNumber(standsAt);
  }

  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    return this.close();
  }

  async #close() {
    for (const { sequence } of this.#sequences.values()) sequence.close();
    await Promise.all(this.#closingSequences.values());
    await this.#native.close();
  }

  #openSequence(name, options) {
    const { step, bigint } = options;
    const native = this.#native.sequence({
      name,
      start: options.start,
      stepMin: step.min,
      stepMax: step.max,
      stepTarget: step.target,
      timeout: options.timeout,
      maxWaiters: options.maxWaiters,
      maxNumber: bigint ? MAX_BIGINT : MAX_NUMBER,
      bigint,
      floor: this.#givenBelow.get(name),
    });
    const onClose = (closed, givenBelow) => {
      this.#sequences.delete(name);
      const before = this.#closingSequences.get(name);
      const all = Promise.all([before, closed]).then(() => {
        if (this.#closingSequences.get(name) === all) this.#closingSequences.delete(name);
      });
      this.#closingSequences.set(name, all);
      if (givenBelow !== undefined) this.#givenBelow.set(name, givenBelow);
    };
    const sequence = new Sequence(native, name, bigint, onClose);
    this.#sequences.set(name, { sequence, options });
    return sequence;
  }

  #refuseIfClosed() {
    if (this.#closing === undefined) return;
    throw new NextIdError(`the store ${this.url} is closed`, { code: 'ERR_NEXTID_CLOSED' });
  }
}

module.exports = { Store };
