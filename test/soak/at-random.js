'use strict';

const { setTimeout: sleep } = require('node:timers/promises');

/**
 * A fault that is brought about again and again, at random moments: { name, stores, losesNumbers, times,
 * start(context), stop() }. stop() resolves when it is over, with nothing left behind; `times` is how often
 * it has happened. The context is { fleet, proxy, random }: `proxy` with MongoDB only, `random` its own.
 *
 * @param {string} name for people
 * @param {[number, number]} pause at least and at most so many ms from one to the next
 * @param {string[]} [stores] where it makes sense
 * @param {boolean} [losesNumbers] whether numbers may be gone that no process knows of
 * @param {(context: object) => Promise<boolean>} bringAbout resolves when it is over, with whether it
 *   happened. Its context has a `signal`, too: aborted when the fault is to be over soon
 */
function atRandom({ name, pause, stores = ['sqlite', 'mongodb'], losesNumbers = true, bringAbout }) {
  const [least, most] = pause;
  let stopping;
  let running;

  async function run(context) {
    const { random, signal } = context;
    while (!signal.aborted) {
      await rest(least + random() * (most - least), signal);
      if (!signal.aborted && await bringAbout(context)) fault.times++;
    }
  }

  const fault = {
    name, stores, losesNumbers,
    times: 0,
    start(context) {
      stopping = new AbortController();
      running = run({ ...context, signal: stopping.signal });
      running.catch(() => {}); // stop() rejects
    },
    stop() {
      stopping.abort();
      return running;
    },
  };
  return fault;
}

/** Waits so many ms, or until `signal` is aborted. */
async function rest(ms, signal) {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

module.exports = { atRandom, rest };
