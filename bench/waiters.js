'use strict';

const { open } = require('..');
const { inNewProcess, memory } = require('./support/new-process');
const { measure } = require('./support/rounds');
const { withSqliteUrl } = require('./support/stores');

const BARE = 'new Promise(resolve => resolvers.push(resolve))';
const OURS = 'nextId()';

// A queue that knows nothing but to be served as a whole.
class Resolvers {
  #resolvers = [];

  nextId() {
    return new Promise((resolve) => this.#resolvers.push(resolve));
  }

  serve() {
    let id = 0;
    for (const resolve of this.#resolvers) resolve(id++);
  }
}

// Calls are queued in one turn of the event loop. However soon the store has answered, its answer is seen in
// the turn after that: all of them wait, and the one refill, of as many numbers, serves all of them.
function queue(promises, peer) {
  for (let i = 0; i < promises.length; i++) promises[i] = peer.nextId();
}

let opened = 0;
const openSequence = (store, waiters) => (
  store.sequence(`waited for ${opened++}`, { step: waiters, maxWaiters: 2 * waiters }));

// Nanoseconds a waiter, from the first call until the last promise is settled: first come, first served.
async function time(peer, waiters, serve) {
  const promises = new Array(waiters);
  const start = performance.now();
  queue(promises, peer);
  serve?.();
  await promises.at(-1);
  return ((performance.now() - start) * 1e6) / waiters;
}

async function timeOfSequence(store, waiters) {
  const sequence = openSequence(store, waiters);
  const figure = await time(sequence, waiters);
  const { waits, refills } = sequence.stats();
  if (waits !== waiters || refills !== 1) throw new Error(`${waits} waits, ${refills} refills`);
  await sequence.close();
  return figure;
}

function timeOfResolvers(waiters) {
  const resolvers = new Resolvers();
  return time(resolvers, waiters, () => setImmediate(() => resolvers.serve()));
}

// --- In processes of their own: bytes a waiter, of which 8 are those of the array that holds its promise.

function bytesInQueue(peer, waiters) {
  const promises = new Array(waiters);
  const before = memory();
  queue(promises, peer);
  return (memory() - before) / waiters;
}

function bytesOfSequence(url, waiters) {
  return bytesInQueue(openSequence(open(url), waiters), waiters);
}

function bytesOfResolvers(waiters) {
  return bytesInQueue(new Resolvers(), waiters);
}

module.exports = {
  question: 'What does it cost to wait, when 1,000,000 calls do and one refill serves them all?',
  run: ({ rounds, amount }) => withSqliteUrl(async (url) => {
    const waiters = amount(1_000_000);
    const store = open(url);
    const times = await measure({
      [BARE]: () => timeOfResolvers(waiters),
      [OURS]: () => timeOfSequence(store, waiters),
    }, rounds);
    await store.close();
    const bytes = await measure({
      [BARE]: () => inNewProcess(__filename, 'bytesOfResolvers', waiters),
      [OURS]: () => inNewProcess(__filename, 'bytesOfSequence', url, waiters),
    }, rounds);
    return [
      {
        unit: 'ns a waiter, until all are served', better: 'less', baseline: BARE, figures: times,
        goals: [{ row: OURS, of: BARE, most: 1.2 }],
      },
      {
        unit: 'bytes a waiter', better: 'less', baseline: BARE, figures: bytes,
        goals: [{ row: OURS, most: 300 }],
      },
    ];
  }),
  bytesOfResolvers,
  bytesOfSequence,
};
