'use strict';

const TICK = 50; // ms
const LONGEST = 5 * TICK;

/**
 * A clock that stands still while the process does: stopped by SIGSTOP, or without a share of the CPU. So a
 * call is not blamed for the time in which nothing could end it. Whoever watches the process from outside has
 * to see that it does not hang as a whole.
 */
class AwakeClock {
  #now = 0;
  #ticked = performance.now();
  #timer = setInterval(() => this.#tick(), TICK).unref();

  /** In ms, to a few ticks. */
  get now() {
    return this.#now;
  }

  stop() {
    clearInterval(this.#timer);
  }

  #tick() {
    const now = performance.now();
    this.#now += Math.min(now - this.#ticked, LONGEST);
    this.#ticked = now;
  }
}

module.exports = { AwakeClock };
