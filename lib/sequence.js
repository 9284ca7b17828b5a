'use strict';

const { NextIdError } = require('./errors');
const { count, signalOption } = require('./options');

const MAX_IDS = 10_000_000;
const MAX_BLOCK = 1_000_000_000;

/** For lib/callback.js: what the sequence holds, as { index, high, infetch }. */
const peek = Symbol('nextid.peek');
/** For lib/callback.js: makes the counter if there is none and resolves when it is known where it stands. */
const touch = Symbol('nextid.touch');
/** For Store: throws away numbers below one that the counter was moved up to. */
const skipTo = Symbol('nextid.skipTo');

/** A named stream of ids; see index.d.ts. The numbers in memory are the window [#next, #end). */
class Sequence {
  #next;
  #end;
  #native;
  #bigint;
  #timer;
  #closing;
  #onClose;

  /**
   * @param {object} native the addon's Sequence object (native/addon/sequence_handle.h)
   * @param {string} name
   * @param {boolean} bigint whether ids are BigInts
   * @param {(closed: Promise<void>, givenBelow?: number | bigint) => void} onClose called once, when close()
   *   begins, with its end, and a number above all ids that were given, if any were
   */
  constructor(native, name, bigint, onClose) {
    this.name = name;
    this.#native = native;
    this.#bigint = bigint;
    this.#onClose = onClose;
    this.#next = this.#end = bigint ? 0n : 0;
    native.setTimer = (ms, keepAlive) => this.#setTimer(ms, keepAlive);
    native.takeBackWindow = () => this.#takeBackWindow();
  }

  nextId(options) {
    if (this.#next < this.#end && options === undefined) return Promise.resolve(this.#next++);
    return this.#nextIdOrWait(options);
  }

  tryNextId() {
    if (this.#next < this.#end || this.#openWindow()) return this.#next++;
    return undefined;
  }

  nextIds(n, options) {
    try {
      const signal = this.#begin(options);
      count(n, 'n', MAX_IDS);
      if (this.#holds(n)) return Promise.resolve(this.#takeIds(n));
      return this.#abortable(this.#native.wait(n), signal).then((numbers) => this.#expand(numbers, n));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  reserve(n, options) {
    try {
      const signal = this.#begin(options);
      count(n, 'n', MAX_BLOCK);
      const toBlock = (first) => ({ first, last: first + this.#number(n - 1), count: n });
      if (this.#holds(n)) {
        const first = this.#next;
        this.#next += this.#number(n);
        return Promise.resolve(toBlock(first));
      }
      const block = this.#abortable(this.#native.waitForBlock(n), signal);
      return block.then((numbers) => toBlock(n === 1 ? numbers : numbers[0]));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async ready(options) {
    const signal = this.#begin(options);
    if (this.#next < this.#end || this.#openWindow()) return;
    await this.#abortable(this.#native.wait(0), signal);
  }

  stats() {
    const { inMemory, handedOut, ...others } = this.#native.stats();
    for (const internal of ['front', 'floor', 'givenBelow']) delete others[internal];
    const inWindow = Number(this.#end - this.#next);
    return { name: this.name, inMemory: inMemory + inWindow, handedOut: handedOut - inWindow, ...others };
  }

  close() {
    if (this.#closing === undefined) {
      this.#closing = this.#native.close();
      this.#onClose(this.#closing, this.#native.stats().givenBelow);
    }
    return this.#closing;
  }

  [Symbol.asyncIterator]() {
    return {
      next: async () => ({ value: await this.nextId(), done: false }),
      return: async (value) => ({ value, done: true }),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    return this.close();
  }

  [peek]() {
    const { front, floor, refilling } = this.#native.stats();
    if (this.#next < this.#end) {
      const high = front !== undefined && front[0] === this.#end ? front[1] : this.#end;
      return { index: this.#next, high, infetch: refilling };
    }
    const [index, high] = front ?? [floor, floor];
    return { index, high, infetch: refilling };
  }

  [touch]() {
    return this.#native.touch();
  }

  [skipTo](next) {
    if (this.#closing === undefined) this.#native.skipTo(next);
  }

  #nextIdOrWait(options) {
    try {
      const signal = this.#begin(options);
      if (this.#next < this.#end || this.#openWindow()) return Promise.resolve(this.#next++);
      return this.#abortable(this.#native.wait(1), signal);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  // What every call checks first. Returns its AbortSignal, if it has one.
  #begin(options) {
    const signal = signalOption(options);
    signal?.throwIfAborted();
    this.#refuseIfClosed();
    return signal;
  }

  #refuseIfClosed() {
    if (this.#closing === undefined) return;
    throw new NextIdError(`the sequence '${this.name}' is closed`, { code: 'ERR_NEXTID_CLOSED' });
  }

  // The one native call on the way to an id that is in memory. REQUIRES: the window is empty
  #openWindow() {
    this.#refuseIfClosed();
    const window = this.#native.take();
    if (window === undefined) return false;
    [this.#next, this.#end] = window;
    return true;
  }

  #takeBackWindow() {
    const window = [this.#next, this.#end];
    this.#next = this.#end;
    return window;
  }

  #abortable(promise, signal) {
    if (signal === undefined) return promise;
    const ticket = this.#native.ticket();
    const onAbort = () => this.#native.cancel(ticket, signal.reason);
    const settled = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort);
    promise.then(settled, settled);
    return promise;
  }

  #setTimer(ms, keepAlive) {
    clearTimeout(this.#timer);
    if (ms < 0) return;
    // setImmediate: replies that came while the event loop was busy are taken in first.
    this.#timer = setTimeout(() => setImmediate(() => this.#native.tick()), ms);
    if (!keepAlive) this.#timer.unref();
  }

  #number(n) {
    return this.#bigint ? BigInt(n) : n;
  }

  #holds(n) {
    return this.#end - this.#next >= n;
  }

  #takeIds(n) {
    const ids = new Array(n);
    for (let i = 0; i < n; i++) ids[i] = this.#next++;
    return ids;
  }

  // What wait() resolved with: one number, or [first, end, first, end, …].
  #expand(numbers, n) {
    if (n === 1) return [numbers];
    const ids = new Array(n);
    let i = 0;
    for (let piece = 0; piece < numbers.length; piece += 2) {
      for (let id = numbers[piece]; id < numbers[piece + 1]; id++) ids[i++] = id;
    }
    return ids;
  }
}

module.exports = { Sequence, peek, touch, skipTo };
