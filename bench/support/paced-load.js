'use strict';

const { build } = require('hdr-histogram-js');
const { setImmediate: turn, setTimeout: pause } = require('node:timers/promises');

const LONGEST = 3.6e12; // ns, an hour
const MOST_IN_A_TURN = 1024; // calls: as many events as libuv takes in before it looks at the timers again

const newHistogram = () => build({ highestTrackableValue: LONGEST, numberOfSignificantValueDigits: 3 });

/** What became of calls: how long they took, in nanoseconds, by whether they had to wait. */
class Tally {
  #served = newHistogram(); // by numbers in memory
  #waited = newHistogram();
  #refused = 0;

  /** Calls that had to wait, among them those that were refused. */
  get waits() {
    return this.#waited.totalCount;
  }

  get refused() {
    return this.#refused;
  }

  get calls() {
    return this.#served.totalCount + this.waits;
  }

  /** The longest wait, in milliseconds. */
  get longestWait() {
    return this.#waited.maxValue / 1e6;
  }

  /** How long calls took that did not have to wait: the quantile `q`, from 0 to 1, in microseconds. */
  servedWithin(q) {
    return this.#served.getValueAtPercentile(100 * q) / 1000;
  }

  /** The same of all calls. */
  within(q) {
    const all = newHistogram();
    all.add(this.#served);
    all.add(this.#waited);
    return all.getValueAtPercentile(100 * q) / 1000;
  }

  record(milliseconds, hasWaited) {
    (hasWaited ? this.#waited : this.#served).recordValue(Math.round(milliseconds * 1e6));
  }

  recordRefused(milliseconds) {
    this.#refused++;
    this.record(milliseconds, true);
  }
}

/**
 * Calls `nextId` as often as a schedule wants, never faster and never slower: a call that waits holds up no
 * other. About once a millisecond it makes the calls that have become due. When they are more than a service
 * would see in one turn of the event loop, it makes the others in the next turns.
 *
 * A call takes from just before `nextId()` to the first line after `await`. After each call there is one turn
 * of the microtask queue: a call that has its number at once ends within it, one that does not has waited.
 * That is the same for all that are measured, and so is the cost of looking at the clock and of recording.
 */
class PacedLoad {
  #nextId;
  #due;
  #start = performance.now();
  #until = 0; // ms after the start
  #made = 0;
  #microtasks = 0; // turns of their queue, one after each call
  #underWay = 0;

  /**
   * @param {() => Promise<unknown>} nextId
   * @param {(ms: number) => number} due how many calls are to be made until `ms` after the start
   */
  constructor(nextId, due) {
    this.#nextId = nextId;
    this.#due = due;
  }

  /**
   * Makes the calls of the next `ms`, which follow those of the time before without a gap. The tally is
   * complete when settled() says so.
   */
  async during(ms) {
    const tally = new Tally();
    this.#until += ms;
    for (;;) {
      const now = performance.now() - this.#start;
      const due = Math.floor(this.#due(Math.min(now, this.#until)));
      const inThisTurn = Math.min(due, this.#made + MOST_IN_A_TURN);
      for (; this.#made < inThisTurn; this.#made++) {
        this.#call(tally);
        await undefined; // lets the call end if it has its number: those behind it are no part of its time
        this.#microtasks++;
      }
      if (this.#made < due) await turn();
      else if (now < this.#until) await pause(1);
      else return tally;
    }
  }

  /** Resolves when all calls have come to their end. */
  async settled() {
    while (this.#underWay > 0) await pause(1);
  }

  async #call(tally) {
    const before = this.#microtasks;
    this.#underWay++;
    const start = performance.now();
    try {
      await this.#nextId();
      const took = performance.now() - start;
      tally.record(took, before !== this.#microtasks);
    } catch {
      tally.recordRefused(performance.now() - start);
    }
    this.#underWay--;
  }
}

/** A schedule for PacedLoad: `rate` calls a second. */
const even = (rate) => (ms) => (ms * rate) / 1000;

/** The same, but with `factor` times as many calls in the last `burst` ms of each `period` ms. */
function bursts(rate, { factor, burst, period }) {
  const calm = period - burst;
  const evenly = (ms) => ms + (factor - 1) * Math.max(0, ms - calm); // how long so many calls take at `rate`
  return (ms) => ((Math.floor(ms / period) * evenly(period) + evenly(ms % period)) * rate) / 1000;
}

module.exports = { PacedLoad, bursts, even };
