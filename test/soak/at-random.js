'use strict';

const { setTimeout: sleep } = require('node:timers/promises');

const LEAST_TIMES = 3;

/**
 * A fault that is brought about again and again, at random moments: what is given here, and { times, least,
 * start(context), stop() }. stop() resolves when it is over, with nothing left behind; `times` is how often
 * it has happened, `least` how often it should. The context is { fleet, proxy, fixture, folder, url, began,
 * random }: `proxy` with MongoDB only, `folder` has the journals, `url` leads to the counters directly, and
 * `random` is its own.
 *
 * @param {string} name for people
 * @param {[number, number]} pause at least and at most so many ms from one to the next
 * @param {string[]} [stores] where it makes sense
 * @param {() => string | undefined} [needs] what it needs and this machine does not have
 * @param {boolean} [losesNumbers] whether numbers may be gone that no process knows of
 * @param {string[]} [refusals] codes of errors it may cause, besides those of a store that is down
 * @param {string[]} [leavesOut] kinds of sequences for which it makes no sense
 * @param {boolean} [alone] whether it only happens by itself, or where it is asked for
 * @param {boolean} [setsClocks] whether it sets the clocks of processes
 * @param {(soak: object) => Promise<void>} [prepare] before the first process is started
 * @param {(soak: object) => Promise<void>} [cleanUp] after the last has ended
 * @param {any[]} [ways] in which it happens: all in turn, in random order
 * @param {(context: object) => Promise<boolean>} bringAbout resolves when it is over, with whether it
 *   happened. Its context has a `signal`, too, aborted when the fault is to be over soon, and a `way`
 */
function atRandom({ pause, ways, bringAbout, ...facts }) {
  const [least, most] = pause;
  let stopping;
  let running;

  async function run(context) {
    const { random, signal } = context;
    for (const way of ways === undefined ? repeat() : inTurn(ways, random)) {
      await rest(least + random() * (most - least), signal);
      if (signal.aborted) return;
      if (await bringAbout({ ...context, way })) fault.times++;
    }
  }

  const fault = {
    stores: ['sqlite', 'mongodb'], losesNumbers: true, refusals: [], leavesOut: [], ...facts,
    least: Math.max(LEAST_TIMES, ways?.length ?? 0),
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

function* repeat() {
  for (;;) yield undefined;
}

function* inTurn(ways, random) {
  for (let left = [];;) {
    if (left.length === 0) left = [...ways];
    yield left.splice(Math.floor(random() * left.length), 1)[0];
  }
}

/** Waits so many ms, or until `signal` is aborted. */
async function rest(ms, signal) {
  await sleep(ms, undefined, { signal }).catch(() => {});
}

module.exports = { atRandom, rest };
