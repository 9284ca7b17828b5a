'use strict';

const path = require('node:path');
const { setImmediate: nextTurn, setTimeout: sleep } = require('node:timers/promises');
const { NextIdError } = require('../../lib/errors');
const { Journal, journalName } = require('./journal');
const { tryAtEndOfStack } = require('./end-of-stack');
const { KINDS, hoursAhead } = require('./sequences');

const MOST = 5000; // ids at a time
const PAUSE = 20; // ms after a refusal
const CROSSINGS = 0.3; // of what is taken
const HOURS_AHEAD = [-1, 1, 2]; // of the period that is gone to
const CALLS = 4; // in each

const isBlock = (value) => value.count !== undefined;

/** Takes ids from one sequence in all ways, as fast as it can, and writes each down before it counts. */
class Taker {
  #sequence;
  #kind;
  #most; // ids at a time
  #random;
  #clock;
  #keepSecrets;
  #crowd = 0; // calls to be made at once
  #stackEnds; // the way in which a call is to run out of stack
  #since; // when the call began that is under way
  #longest = 0;
  #ids = 0;
  #ordered = 0; // of these, other than in blocks
  #served = 0;
  #refusals = {};
  #journals = new Map();
  #journalOptions;

  /**
   * @param {object} sequence
   * @param {string} kind a key of KINDS
   * @param {object} options `folder`, `process` and `instance` name the journals; `keepSecrets` throws
   *   where an error shows a password
   */
  constructor(sequence, kind, { random, clock, keepSecrets, ...journalOptions }) {
    this.#sequence = sequence;
    this.#kind = KINDS[kind];
    this.#most = this.#kind.most ?? MOST;
    this.#random = random;
    this.#clock = clock;
    this.#keepSecrets = keepSecrets;
    this.#journalOptions = journalOptions;
  }

  /**
   * Ids taken; calls that gave some, other than in blocks; how long the longest call took, also one under
   * way, in ms; errors by their code.
   */
  get tally() {
    const underWay = this.#since === undefined ? 0 : this.#clock.now - this.#since;
    const longest = Math.max(this.#longest, underWay);
    return { ids: this.#ids, served: this.#served, longest, refusals: this.#refusals };
  }

  /** Next, asks for so many ids at once, one by one. */
  crowd(count) {
    this.#crowd = count;
  }

  /** Whether its calls go to another period and back within one turn. */
  get crosses() {
    return this.#kind.crosses;
  }

  /** Next, has a call run out of stack that finds itself in another period: see end-of-stack.js. */
  runOutOfStack(way) {
    this.#stackEnds = way;
  }

  /** Goes on until the sequence is closed. Rejects with what is no refusal of nextid's. */
  async run() {
    for (let code; code !== 'ERR_NEXTID_CLOSED';) {
      code = await this.#refusal();
      if (code !== undefined) await sleep(PAUSE);
      await nextTurn(); // ids in memory come at once, and would leave the event loop no turn
    }
    for (const journal of this.#journals.values()) journal.close();
  }

  // Takes ids in one of the ways. Returns the code of the error if there was one.
  async #refusal() {
    this.#since = this.#clock.now;
    const before = this.#ordered;
    try {
      await this.#takeSome();
      if (this.#ordered > before) this.#served++;
      return undefined;
    } catch (error) {
      if (!(error instanceof NextIdError)) throw error;
      this.#keepSecrets(error);
      const { code } = error;
      if (code !== 'ERR_NEXTID_CLOSED') this.#refusals[code] = (this.#refusals[code] ?? 0) + 1;
      return code;
    } finally {
      this.#longest = Math.max(this.#longest, this.#clock.now - this.#since);
      this.#since = undefined;
    }
  }

  async #takeSome() {
    const sequence = this.#sequence;
    const way = this.#random();
    if (this.#crowd > 0) {
      const count = this.#crowd;
      this.#crowd = 0;
      await this.#takeTogether(Array.from({ length: count }, () => sequence.nextId()));
    } else if (this.#kind.crosses && (way < CROSSINGS || this.#stackEnds)) {
      await this.#takeAcrossPeriods();
    } else if (way < 0.7) {
      this.#write(await sequence.nextIds(Math.min(1000, this.#most)));
    } else if (way < 0.8) {
      await this.#takeTogether(Array.from({ length: 50 }, () => sequence.nextId()));
    } else if (way < 0.9) {
      const count = this.#upTo(this.#most - 2);
      await this.#takeTogether([sequence.nextId(), sequence.nextIds(count), sequence.nextId()]);
    } else if (way < 0.95) {
      this.#takeFromMemory();
    } else {
      this.#writeBlock(await sequence.reserve(this.#upTo(MOST)));
    }
  }

  // Calls in the present period, in another one, and perhaps in the present one again, all in one turn of the
  // event loop: what they resolve with is seen when their period is over.
  async #takeAcrossPeriods() {
    const stackEnds = this.#stackEnds;
    this.#stackEnds = undefined;
    const [one, some] = [() => [this.#nextIdFromMemory()], () => this.#someCalls()];
    const calls = stackEnds ? one() : some(); // one() leaves a window open, to be taken back
    calls.push(...hoursAhead(HOURS_AHEAD[this.#upTo(HOURS_AHEAD.length) - 1], () => (
      stackEnds ? [tryAtEndOfStack(this.#sequence, stackEnds), ...some()] : this.#either(one, some))));
    if (this.#random() < 0.5) calls.push(...some());
    await this.#takeTogether(calls);
  }

  // They take up to all that is in memory, from the addon, too: what it gives becomes ids a little later.
  #someCalls() {
    const sequence = this.#sequence;
    const some = () => this.#upTo(Math.min(sequence.stats().inMemory + 1, MOST));
    const ways = [
      () => sequence.nextIds(some()), () => sequence.reserve(some()), () => sequence.nextId(),
      () => this.#nextIdFromMemory(),
    ];
    return Array.from({ length: CALLS }, () => this.#either(...ways));
  }

  // Rejects where tryNextId() throws, as the others do.
  async #nextIdFromMemory() {
    return this.#sequence.tryNextId();
  }

  #either(...ways) {
    return ways[this.#upTo(ways.length) - 1]();
  }

  // What was given is written down even where another of the calls has failed.
  async #takeTogether(calls) {
    const results = await Promise.allSettled(calls);
    const given = results.map(({ value }) => value ?? []);
    const ids = given.flatMap((value) => (isBlock(value) ? [] : value));
    for (let at = 0; at < ids.length; at += MOST) this.#write(ids.slice(at, at + MOST));
    for (const block of given.filter(isBlock)) this.#writeBlock(block);
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed) throw failed.reason;
  }

  #takeFromMemory() {
    const ids = [];
    try {
      for (let id; ids.length < this.#most && (id = this.#sequence.tryNextId()) !== undefined;) ids.push(id);
    } finally {
      this.#write(ids);
    }
  }

  #write(ids) {
    let current; // nearly always the only one
    let journal;
    for (const id of ids) {
      const { counter, number } = this.#place(id);
      if (counter !== current) {
        journal?.write();
        journal = this.#journal(counter, this.#kind.isOrdered ?? true);
        current = counter;
      }
      journal.add(number);
    }
    journal?.write();
    this.#ids += ids.length;
    this.#ordered += ids.length;
  }

  #writeBlock({ first, last, count }) {
    const { counter, number } = this.#place(first);
    const end = this.#place(last).number;
    const journal = this.#journal(counter, false);
    for (let each = number; each <= end; each++) journal.add(each);
    journal.write();
    this.#ids += count;
  }

  #place(id) {
    return this.#kind.place(this.#sequence.name, id, this.#sequence);
  }

  #journal(counter, ordered) {
    const { folder, ...instance } = this.#journalOptions;
    const name = journalName({ counter, ordered, ...instance });
    if (!this.#journals.has(name)) this.#journals.set(name, new Journal(path.join(folder, name), MOST));
    return this.#journals.get(name);
  }

  #upTo(most) {
    return 1 + Math.floor(this.#random() * most);
  }
}

module.exports = { Taker };
