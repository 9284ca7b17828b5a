'use strict';

const {
  endOf, endedReturns, firstOf, isSingle, isWindow, lifetimeOf, prefixOf, rangesIn, toRange,
} = require('./bridge');
const { clearTimeout, isFaked, nextTick, setImmediate, setTimeout, steadyNow } = require('./clock');
const { NextIdError, messageOf, wrongThis } = require('./errors');
const {
  givenBelow, native, onClosing, onUse, optionsOf, originOf, pageAt, peek, returnIfIdle, returns, skipTo,
  toId, touch, turn,
} = require('./symbols');
const { count, signalOption } = require('./validators');
const { tellOfOpening, tellOfRefill, waitBegins, watchClosing, watchWait } = require('./watch');

const MAX_IDS = 10_000_000;
const MAX_BLOCK = 1_000_000_000;

// nextId() and tryNextId() without the fast path of plain sequences.
const nextIdOrWait = Symbol('nextid.nextIdOrWait');
const takeId = Symbol('nextid.takeId');

// The fast path of formatted sequences: the next id, if the window has one. That of a closed sequence is
// empty, and so is its page.
const takeFromWindow = Symbol('nextid.takeFromWindow');

// With so many ids in a millisecond, it pays not to read the clock for each.
const BURST = 32;

const NO_PAGE = { from: 0, until: 0, beginning: '', endings: [] };

// The error that `method` throws. It is a clearer one if the method was called without its sequence, as in
// `const { nextId } = orders; nextId()`. Checking this only after an error costs other calls nothing.
let thrownBy;

/**
 * A named stream of ids; see index.d.ts. The window [#next, #end) holds numbers that need no native call.
 * This class is the plain kind, whose ids are its numbers, and the base class of the other kinds.
 */
class Sequence {
  // Initialized with numbers, because V8 stores a field that begins as another type in a slower form.
  #next = 0;
  #end = 0;
  #base; // of strings made of BigInts: what to add to both. Counting in BigInts would be slow
  #page = NO_PAGE; // see #openPage()
  #closesPage = false; // when the turn of the event loop ends
  #readAt = 0; // the millisecond in which the clock was read last for an id,
  #reads = 0; // and how often
  #native;
  #store;
  #name; // users may overwrite the public `name`
  #options;
  #number; // BigInt or Number, the type of #next and #end
  #exact; // no numbers are kept in memory
  #ages; // numbers in memory expire
  #wraps; // a stretch of numbers may wrap around
  #isPlain;
  #windowUntil = Infinity; // when the numbers in the window expire, in ms of steadyNow()
  #timer;
  #closing;

  static {
    thrownBy = (self, method, error) => {
      const isSequence = typeof self === 'object' && self !== null && #native in self;
      return isSequence ? error : wrongThis(method);
    };
  }

  /**
   * @param {object} nativeStore the addon's Store object (native/addon/store_handle.h)
   * @param {Store} store
   * @param {object} options as sequenceOptions() returns them
   * @param {object} nativeOptions for the addon's Sequence object (native/addon/sequence_handle.h)
   */
  constructor(nativeStore, store, options, nativeOptions) {
    const { name, bigint = false, exact = false, maxAge, cycle } = nativeOptions;
    this.name = this.#name = name;
    this.#native = nativeStore.sequence(nativeOptions, Sequence.#callbacks, this);
    this.#store = store;
    this.#options = options;
    this.#exact = exact;
    this.#ages = maxAge !== undefined;
    this.#wraps = cycle !== undefined;
    this.#isPlain = new.target === Sequence;
    this.#base = bigint && !this.#isPlain ? 0n : undefined;
    this.#number = bigint && this.#isPlain ? BigInt : Number;
    this.#next = this.#end = this.#number(0);
    tellOfOpening(this[originOf]);
  }

  // What the addon calls; see native/addon/sequence_handle.h. All sequences of this copy of the class share
  // one object: module loaders such as Jest's may load this file twice, but the addon once.
  static #callbacks = {
    setTimer: (sequence, ms, keepAlive) => sequence.#setTimer(ms, keepAlive),
    takeBackWindow: (sequence) => sequence.#takeBackWindow(),
    beforeServing: (sequence) => sequence[turn](),
    beforeUse: (sequence) => sequence.#store[onUse](sequence, sequence.#name),
    afterRefill: (sequence, ms, numbers, error) => tellOfRefill(sequence[originOf], ms, numbers, error),
  };

  nextId(options) {
    try {
      if (this.#next < this.#end && options === undefined) return Promise.resolve(this.#next++);
      return this[nextIdOrWait](options);
    } catch (error) {
      return Promise.reject(thrownBy(this, 'nextId', error));
    }
  }

  tryNextId() {
    try {
      if (this.#next < this.#end) return this.#next++;
      return this[takeId]();
    } catch (error) {
      throw thrownBy(this, 'tryNextId', error);
    }
  }

  nextIds(n, options) {
    try {
      const signal = this.#begin(options);
      count(n, 'n', MAX_IDS);
      if (this.#holds(n)) return Promise.resolve(this.#takeIds(n));
      const began = waitBegins();
      return this.#waiting(this.#native.wait(n), began, n, signal).then((numbers) => this.#toIds(numbers, n));
    } catch (error) {
      return Promise.reject(thrownBy(this, 'nextIds', error));
    }
  }

  reserve(n, options) {
    try {
      const signal = this.#begin(options);
      count(n, 'n', MAX_BLOCK);
      if (!this.#wraps && this.#holds(n)) {
        const first = this.#numberAt(this.#next);
        this.#next += this.#number(n);
        return Promise.resolve(this.#toBlock(first, n));
      }
      const began = waitBegins();
      const block = this.#waiting(this.#native.waitForBlock(n), began, n, signal);
      return block.then((numbers) => (
        isSingle(numbers) ? this.#toBlock(numbers, n) : this.#toBlock(firstOf(numbers), n, prefixOf(numbers))
      ));
    } catch (error) {
      return Promise.reject(thrownBy(this, 'reserve', error));
    }
  }

  async ready(options) {
    const signal = this.#begin(options);
    if (this.#holds(1) || this.#openWindow()) return;
    const began = waitBegins();
    await this.#waiting(this.#exact ? this.#native.waitForBlock(0) : this.#native.wait(0), began, 0, signal);
  }

  stats() {
    const { inMemory, handedOut, ...others } = this.#native.stats();
    for (const internal of ['front', 'seenAt', 'givenBelow']) delete others[internal];
    const inWindow = Number(this.#end - this.#next);
    return { name: this.name, inMemory: inMemory + inWindow, handedOut: handedOut - inWindow, ...others };
  }

  close() {
    if (this.#closing === undefined) this.#close();
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
    const { front, seenAt, refilling } = this.#native.stats();
    if (this.#next < this.#end) {
      const [index, end] = [this.#next, this.#end].map((place) => this.#numberAt(place));
      const high = front !== undefined && firstOf(front) === end ? endOf(front) : end;
      return { index, high, infetch: refilling };
    }
    if (front === undefined) return { index: seenAt, high: seenAt, infetch: refilling };
    return { index: firstOf(front), high: endOf(front), infetch: refilling };
  }

  [touch]() {
    return this.#native.touch();
  }

  [skipTo](next, prefix = 0) {
    if (this.#closing === undefined) this.#native.skipTo(next, prefix);
  }

  [returns]() {
    return endedReturns(this.#native.returns());
  }

  [returnIfIdle]() {
    return this.#native.returnIfIdle(Number(this.#end - this.#next));
  }

  [givenBelow]() {
    return this.#native.stats().givenBelow;
  }

  get [optionsOf]() {
    return this.#options;
  }

  get [originOf]() {
    return { store: this.#store.url, sequence: this.#name, kind: this.#options.kind };
  }

  get [native]() {
    return this.#native;
  }

  [turn]() {
    if (this.#windowUntil === Infinity) return undefined;
    const now = steadyNow();
    if (now >= this.#windowUntil) this.#native.dropAged();
    return now;
  }

  [toId](number) {
    return number;
  }

  [pageAt]() {
    return undefined;
  }

  [nextIdOrWait](options) {
    try {
      const signal = this.#begin(options);
      if (this.#holds(1)) return Promise.resolve(this.#takeId());
      const now = this.#clock();
      const began = waitBegins();
      const got = this.#native.takeOrWait(this.#native.handle);
      if (isWindow(got)) {
        this.#setWindow(got, now);
        return Promise.resolve(this.#takeId());
      }
      const promise = this.#waiting(got, began, 1, signal);
      return this.#isPlain ? promise : promise.then((numbers) => this.#toIds(numbers, 1)[0]);
    } catch (error) {
      return Promise.reject(thrownBy(this, 'nextId', error));
    }
  }

  [takeFromWindow]() {
    const page = this.#page;
    if (this.#next < page.until && !isFaked()) {
      return page.beginning + page.endings[this.#next++ - page.from];
    }
    if (this.#next >= this.#end) return undefined;
    const now = this[turn]();
    if (this.#next >= this.#end) return undefined;
    this.#openPage(now);
    return this.#takeId();
  }

  [takeId]() {
    this.#refuseIfClosed();
    this[turn]();
    return this.#holds(1) || this.#openWindow() ? this.#takeId() : undefined;
  }

  #close() {
    // Set first: code of the service (its own clearTimeout) may call close() from within.
    let closed;
    this.#closing = new Promise((resolve) => {
      closed = resolve;
    });
    try {
      closed(this.#native.close());
    } catch (error) {
      this.#closing = undefined;
      throw error;
    }
    watchClosing(this[originOf], this.#closing, () => this.stats());
    this.#store[onClosing](this, this.#name, this.#closing);
  }

  // Every call that returns a Promise begins with this. Returns the AbortSignal of `options`, if any.
  #begin(options) {
    const signal = options === undefined ? undefined : signalOption(options);
    signal?.throwIfAborted();
    this.#refuseIfClosed();
    this[turn]();
    return signal;
  }

  #refuseIfClosed() {
    if (this.#closing === undefined) return;
    const which = this.name === '' ? 'the sequence without a name' : `the sequence '${this.name}'`;
    const message = messageOf(`${which} is closed`, 'no calls after close()',
      'to go on, open it again with store.sequence(), or with open() if the store is closed');
    throw new NextIdError(message, { code: 'ERR_NEXTID_CLOSED' });
  }

  // The only native call for an id that is in memory. REQUIRES: the window is empty
  #openWindow() {
    if (this.#exact) return false;
    const now = this.#clock();
    const window = this.#native.take();
    if (window !== undefined) this.#setWindow(window, now);
    return window !== undefined;
  }

  // Call this before taking a window, so that its numbers never seem younger than they are.
  #clock() {
    return this.#ages ? steadyNow() : 0;
  }

  // Reads all values first, then sets the fields. If execution is terminated in between, the window is empty
  // and never mixes the bounds of two ranges: its own end is set last.
  #setWindow(window, now) {
    const none = this.#number(0);
    const base = this.#base === undefined ? undefined : firstOf(window);
    const next = base === undefined ? firstOf(window) : 0;
    const end = base === undefined ? endOf(window) : Number(endOf(window) - base);
    const until = this.#ages ? now + lifetimeOf(window) : Infinity;
    this.#page = NO_PAGE;
    this.#end = none;
    this.#windowUntil = until;
    this.#base = base;
    this.#next = next;
    this.#end = end;
  }

  #takeBackWindow() {
    const window = toRange(this.#numberAt(this.#next), this.#numberAt(this.#end));
    this.#next = this.#end; // before the caller has the numbers
    return window;
  }

  #numberAt(place) {
    return this.#base === undefined ? place : this.#base + BigInt(place);
  }

  // A page has the next numbers of the window whose ids begin alike: up to a hundred ids, for which neither
  // the kind is asked nor the clock read. Where ids depend on the clock, which shows `now`, a page ends with
  // the turn of the event loop. nextTick() costs more than reading the clock a few times.
  #openPage(now) {
    if (isFaked() || (now !== undefined && !this.#isBurst(Math.floor(now)))) return;
    if (now !== undefined && !this.#closesPage) {
      nextTick(Sequence.#onTurnEnd, this);
      this.#closesPage = true;
    }
    const page = this[pageAt](this.#numberAt(this.#next));
    if (page === undefined) return;
    const { beginning, endings, index } = page;
    const from = this.#next - index;
    const until = Math.min(from + endings.length, this.#end);
    this.#page = { from, until, beginning, endings };
  }

  #isBurst(millisecond) {
    this.#reads = millisecond === this.#readAt ? this.#reads + 1 : 1;
    this.#readAt = millisecond;
    return this.#reads > BURST;
  }

  static #onTurnEnd(sequence) {
    sequence.#closesPage = false;
    sequence.#reads = 0;
    sequence.#page = NO_PAGE;
  }

  // REQUIRES: the window is not empty
  #takeId() {
    return this[toId](this.#numberAt(this.#next++));
  }

  // `promise`: from the native call just made, for `n` numbers. `began`: see waitBegins().
  #waiting(promise, began, n, signal) {
    if (signal === undefined && began === undefined) return promise;
    const ticket = this.#native.ticket();
    if (ticket === 0) return promise; // it does not wait
    if (signal !== undefined) this.#cancelOnAbort(promise, ticket, signal);
    return began === undefined ? promise : watchWait(this[originOf], began, n, promise);
  }

  #cancelOnAbort(promise, ticket, signal) {
    const onAbort = () => this.#native.cancel(ticket, signal.reason);
    const settled = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort);
    promise.then(settled, settled);
  }

  // If this throws, the previous timer stays.
  #setTimer(ms, keepAlive) {
    const timer = ms < 0 ? undefined : setTimeout(Sequence.#onTimer, ms, this);
    try {
      if (!keepAlive) timer?.unref();
      clearTimeout(this.#timer);
    } catch (error) {
      clearTimeout(timer);
      throw error;
    }
    this.#timer = timer;
  }

  static #onTimer(sequence) {
    sequence.#timer = undefined;
    // setImmediate() lets replies that arrived while the event loop was busy be handled first.
    setImmediate(() => sequence.#native.tick());
  }

  #holds(n) {
    return this.#end - this.#next >= n;
  }

  #takeIds(n) {
    const ids = new Array(n);
    for (let i = 0; i < n; i++) ids[i] = this.#takeId();
    return ids;
  }

  #toIds(numbers, n) {
    if (isSingle(numbers)) return [this[toId](numbers)];
    const prefix = prefixOf(numbers);
    const ids = new Array(n);
    let done = 0;
    for (let i = 0; i < rangesIn(numbers); i++) {
      const end = endOf(numbers, i);
      for (let number = firstOf(numbers, i); number < end; number++) ids[done++] = this[toId](number, prefix);
    }
    return ids;
  }

  #toBlock(first, n, prefix) {
    const last = first + (typeof first === 'bigint' ? BigInt(n - 1) : n - 1);
    return { first: this[toId](first, prefix), last: this[toId](last, prefix), count: n };
  }
}

/** A sequence whose kind makes ids of numbers, in [toId]. */
class FormattedSequence extends Sequence {
  nextId(options) {
    try {
      const id = options === undefined ? this[takeFromWindow]() : undefined;
      return id === undefined ? this[nextIdOrWait](options) : Promise.resolve(id);
    } catch (error) {
      return Promise.reject(thrownBy(this, 'nextId', error));
    }
  }

  tryNextId() {
    try {
      return this[takeFromWindow]() ?? this[takeId]();
    } catch (error) {
      throw thrownBy(this, 'tryNextId', error);
    }
  }
}

module.exports = { FormattedSequence, Sequence };
