'use strict';

// A store written in JavaScript, as the addon calls it (native/addon/js_store.h). Core keeps the rules by
// which counters count. What is left for a *table* is to load and save their records:
//   read(key)           the record, or undefined if there is none
//   compareAndSet(key, record, next)   saves `next` in place of `record`, in one atomic step; both may be
//                       undefined. Whether the record was still `record`, the object that read() returned
//   entries()           [[key, record], …] of all counters
//   add(key, increment) optional: if the record of a plain or dated counter fits `increment` (see the
//                       addon), adds to it in one atomic step, and returns its value then, a BigInt;
//                       otherwise undefined
//   prepare(key)        optional: called before a dated counter is changed, unless numbers are given back
//   now()               optional: the time of the store's own clock, in microseconds
//   close()
//   places, markRemedy(name, period)   for error messages
//   failureOf(error, isWrite)          what the addon takes for the error: { code, class, message, … }
// A key is { kind, name } with a `prefix` if the kind is dated. The kind 'pruned' has the marks of closed
// periods: { day: 140601n }. Methods may return what they say or a Promise of it.

const { randomBytes } = require('node:crypto');
const { attempt: bound, clearTimeout, setTimeout } = require('../clock');
const { messageOf } = require('../errors');

const LIST_LIMIT = 12; // times as long as other requests, for a million counters
const MOST_ROUNDS = 100; // of compare-and-set, while others change the same record

class RuledStore {
  #table;
  #running = new Set(); // Promises of attempts

  constructor(table) {
    this.#table = table;
    this.places = table.places;
  }

  update(key, change, needs = {}) {
    return this.#attempt((attempt) => this.#update(attempt, key, change, needs));
  }

  list() {
    return this.#attempt(async () => [...await this.#table.entries()], LIST_LIMIT * bound.time);
  }

  // Writes the mark first: docs/design.md says why.
  prune(name, prefixes, raise) {
    return this.#attempt(async (attempt) => {
      if (prefixes.length === 0) return 0;
      if (!await this.#closePeriods(attempt, name, periodOf(prefixes[0]), raise)) return undefined;
      let removed = 0;
      for (const prefix of prefixes) {
        removed += await this.#remove(attempt, { kind: 'dated', name, prefix });
        attempt.timer.refresh(); // the limit is that of one counter
      }
      return removed;
    });
  }

  async nothing() {}

  // A table that is closed may interrupt what is running.
  async close() {
    const running = [...this.#running];
    await this.#attempt(() => Promise.all(running));
    return this.#attempt(() => this.#table.close());
  }

  // Resolves to what work(attempt) does or to a failure. After the time limit, nothing more is sent.
  #attempt(work, limit = bound.time) {
    const attempt = { isOver: false, hasWritten: false };
    const result = new Promise((resolve) => {
      const end = (result) => {
        clearTimeout(attempt.timer);
        attempt.isOver = true;
        resolve(result);
      };
      attempt.timer = setTimeout(() => end(this.#timedOut(attempt, limit)), limit);
      // Not at once: a method of the user's may call the sequence that this request serves.
      Promise.resolve(attempt).then(work)
        .catch((error) => attempt.failure ?? this.#table.failureOf(error, attempt.hasWritten))
        .then(end);
    });
    this.#running.add(result);
    result.then(() => this.#running.delete(result));
    return result;
  }

  #timedOut({ hasWritten }, limit) {
    const message = messageOf(`the store has not answered within ${limit} ms`, 'an answer',
      'check that it can be reached');
    return { code: 'ERR_NEXTID_STORE_UNAVAILABLE', class: hasWritten ? 'doubtful' : 'passing', message };
  }

  async #update(attempt, key, change, { increment, mark: hasMark, time: hasTime }) {
    if (hasMark) await this.#table.prepare?.(key);
    if (increment !== undefined && this.#table.add !== undefined) {
      attempt.hasWritten = true;
      const value = await this.#ask(attempt, 'add', key, increment);
      if (value !== undefined) return value;
    }
    for (let round = 0; round < MOST_ROUNDS; ++round) {
      const time = hasTime && this.#table.now ? await this.#ask(attempt, 'now') : undefined;
      const record = await this.#ask(attempt, 'read', key);
      // A dated counter begins in two steps, so that none of a closed period ever begins: docs/design.md.
      const isUnbegun = hasMark && (record === undefined || record.making !== undefined);
      const mark = isUnbegun ? await this.#mark(attempt, key.name, periodOf(key.prefix)) : undefined;
      const next = change(record, mark?.forCore, time);
      if (next === undefined) {
        // Another program may have counted on in a record that was not begun. That one stays.
        if (isUnbegun && record?.count === 0n) await this.#write(attempt, key, record, undefined);
        return undefined;
      }
      if (isUnbegun && record === undefined) {
        await this.#write(attempt, key, undefined, { count: 0n, making: randomBytes(12).toString('hex') });
      } else if (await this.#write(attempt, key, record, next)) {
        return undefined;
      }
    }
    return fail(attempt, busy(key));
  }

  async #closePeriods(attempt, name, period, raise) {
    for (let round = 0; round < MOST_ROUNDS; ++round) {
      const { record, forCore } = await this.#mark(attempt, name, period);
      const raised = raise(forCore);
      if (raised === undefined) return false;
      if (raised === forCore.value) return true;
      const key = { kind: 'pruned', name };
      if (await this.#write(attempt, key, record, { ...record, [period]: raised })) return true;
    }
    return fail(attempt, busy({ name }));
  }

  async #remove(attempt, key) {
    for (let round = 0; round < MOST_ROUNDS; ++round) {
      const record = await this.#ask(attempt, 'read', key);
      if (record === undefined) return 0;
      if (await this.#write(attempt, key, record, undefined)) return 1;
    }
    return fail(attempt, busy(key));
  }

  async #mark(attempt, name, period) {
    const record = await this.#ask(attempt, 'read', { kind: 'pruned', name });
    const remedy = this.#table.markRemedy(name, period);
    return { record, forCore: { value: record?.[period], remedy } };
  }

  #write(attempt, key, record, next) {
    attempt.hasWritten = !attempt.isOver;
    return this.#ask(attempt, 'compareAndSet', key, record, next);
  }

  #ask(attempt, method, ...args) {
    if (attempt.isOver) throw new Error('too late');
    return this.#table[method](...args);
  }
}

function fail(attempt, failure) {
  attempt.failure = failure;
  throw new Error(failure.message);
}

function busy({ name }) {
  const problem = `the counter of '${name}' was changed by others at each of ${MOST_ROUNDS} tries`;
  const message = messageOf(problem, 'one try without another change', 'try again');
  return { code: 'ERR_NEXTID_STORE_UNAVAILABLE', class: 'passing', message };
}

function periodOf(prefix) {
  return { 2: 'year', 4: 'month', 6: 'day', 8: 'hour' }[String(prefix).length];
}

/** The addon's Store object over a table. */
function openTable(table, maxConcurrentRefills) {
  return require('../addon').addon.openJsStore(new RuledStore(table), maxConcurrentRefills);
}

module.exports = { openTable };
