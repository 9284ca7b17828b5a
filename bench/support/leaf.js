'use strict';

const RETRY_AFTER = 50; // ms

/**
 * The double buffer of Leaf-segment: as soon as 10 % of one segment of numbers are used, the next one is
 * fetched, and is used when the first has come to its end. After `SegmentIDGenImpl.getIdFromSegmentBuffer` of
 * https://github.com/Meituan-Dianping/Leaf, with the official driver, as a Node.js service would write it.
 *
 * Where both segments are used up, Leaf spins, sleeps 10 ms and then answers with an error; here the call
 * waits until there are numbers. Leaf also doubles its step, up to 1 000 000, each time that a segment has
 * not lasted for 15 minutes; here it is fixed, and a large one shows what that comes to.
 */
class LeafSequence {
  #collection;
  #name;
  #step;
  #next = 0; // the segment in use is [#next, #end)
  #end = 0;
  #following; // the other segment, { next, end }, when it is there
  #fetching = false;
  #waiters = [];
  #closed = false;

  /** Refills that brought numbers. */
  refills = 0;

  /**
   * @param {import('mongodb').Collection} collection of `{ _id: name, max_id: N }`, N the last number taken
   * @param {number} step numbers of a segment
   */
  constructor(collection, name, step) {
    this.#collection = collection;
    this.#name = name;
    this.#step = step;
  }

  /** Fetches the first segment. */
  async ready() {
    await this.#fetch();
    this.#switch();
  }

  nextId() {
    this.#fetchIfDue();
    if (this.#next < this.#end || this.#switch()) return Promise.resolve(this.#next++);
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Numbers reserved and not handed out. */
  get inMemory() {
    const following = this.#following === undefined ? 0 : this.#following.end - this.#following.next;
    return this.#end - this.#next + following;
  }

  /** Numbers that are being reserved. */
  get onTheirWay() {
    return this.#fetching ? this.#step : 0;
  }

  /** Leaf gives nothing back. */
  close() {
    this.#closed = true;
  }

  #fetchIfDue() {
    const isDue = this.#end - this.#next < 0.9 * this.#step;
    if (isDue && this.#following === undefined && !this.#fetching && !this.#closed) this.#fetch();
  }

  async #fetch() {
    this.#fetching = true;
    try {
      const change = { $inc: { max_id: this.#step } };
      const options = { upsert: true, returnDocument: 'after' };
      const { max_id: last } = await this.#collection.findOneAndUpdate({ _id: this.#name }, change, options);
      this.#following = { next: last - this.#step + 1, end: last + 1 };
      this.refills++;
    } catch {
      // The next call tries again, as in Leaf; who waits already must not have to wait for that call.
      await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER));
    }
    this.#fetching = false;
    this.#serveWaiters();
  }

  // Begins with the following segment, if it is there.
  #switch() {
    if (this.#following === undefined) return false;
    ({ next: this.#next, end: this.#end } = this.#following);
    this.#following = undefined;
    return true;
  }

  #serveWaiters() {
    if (this.#waiters.length === 0) return;
    this.#switch();
    for (const resolve of this.#waiters.splice(0, this.#end - this.#next)) resolve(this.#next++);
    this.#fetchIfDue();
  }
}

module.exports = { LeafSequence };
