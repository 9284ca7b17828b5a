'use strict';

// Pools of connections to a database, and how long to wait for them.

const { attempt, clearTimeout, setTimeout } = require('../clock');

const IDLE_TIME = 2000; // ms, after which a pool of nextid's own is closed
const FAREWELL_TIME = 1000; // ms, for servers to end connections

/** In ms, of one statement: less than in ruled-store.js, because errors that come from here say more. */
const answerTime = () => 0.9 * attempt.time;

/** A pool of the service's own, which stays open. */
class SharedPool {
  #pool;

  constructor(pool) {
    this.#pool = pool;
  }

  use(work) {
    return work(this.#pool);
  }

  async close() {}
}

/** A pool of nextid's own. Its connections keep the process alive, so it is closed while nobody uses it. */
class OwnPool {
  #make;
  #end;
  #cut;
  #pool;
  #users = 0;
  #timer;

  /** `make()` returns a pool, `end(pool)` closes it, and `cut(pool)` destroys what it has left open. */
  constructor({ make, end, cut }) {
    this.#make = make;
    this.#end = end;
    this.#cut = cut;
    this.#pool = make(); // throws at once if the URL is wrong
  }

  async use(work) {
    clearTimeout(this.#timer);
    this.#pool ??= this.#make();
    ++this.#users;
    try {
      return await work(this.#pool);
    } finally {
      if (--this.#users === 0) this.#timer = setTimeout(() => this.close().catch(() => {}), IDLE_TIME);
    }
  }

  async close() {
    clearTimeout(this.#timer);
    const pool = this.#pool;
    this.#pool = undefined;
    if (pool === undefined) return;
    try {
      await within(FAREWELL_TIME, this.#end(pool));
    } catch {
      // Of a server that hangs. Its open sockets would keep the process alive.
    } finally {
      this.#cut(pool);
    }
  }
}

/**
 * Resolves as `promise` does, or rejects after so many ms. What comes later goes to `late`, so that a
 * connection is not lost.
 */
function within(time, promise, late = () => {}) {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      reject(new Error(`no answer within ${time} ms`));
    }, time);
    promise.then((value) => {
      clearTimeout(timer);
      if (isOver) late(value);
      else resolve(value);
    }, (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

/** As within(), for a connection to be had from a pool: its errors say that nothing was sent. */
async function connection(promise, release) {
  try {
    return await within(answerTime(), promise, release);
  } catch (error) {
    const { message, code, errno } = error;
    throw Object.assign(new Error(message), { code, errno, isUnsent: true });
  }
}

module.exports = { OwnPool, SharedPool, answerTime, connection, within };
