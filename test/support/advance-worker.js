'use strict';

// A process that takes ids and moves the counter up meanwhile. Reports { ids, below }: those of calls after
// an advance() that are below what it asked for, or not above the id before.
// Job: { url, name, options, given, count, clock }
//   given   the options of advance()
//   clock   what sequences read as the time

const { open } = require('../..');
const { hangUp, job, report, startSignal } = require('./child');
const { setClock } = require('./set-clock');

async function main() {
  if (job.options.period !== undefined) setClock(job.clock);
  const store = open(job.url);
  const sequence = store.sequence(job.name, job.options);
  const numberOf = (id) => BigInt(String(id).replace(/^.*-/, ''));
  const ids = [];
  const below = [];
  let last = numberOf(await sequence.nextId());
  await startSignal();
  while (ids.length < job.count) {
    // A little up, or down, or not at all; time-stamped: down.
    const by = BigInt(ids.length % 3) * 5n - 5n;
    const next = job.options.timestamp === undefined ? last + by : BigInt(ids.length + 1);
    const [, ...taken] = await Promise.all([
      store.advance(job.name, next < 1n ? 1n : next, job.given), sequence.nextId(), sequence.nextId(),
    ]);
    const later = await sequence.nextId();
    if (job.options.timestamp === undefined && numberOf(later) < next) below.push(later);
    if (numberOf(later) <= last) below.push(later);
    last = numberOf(later);
    ids.push(...taken, later);
  }
  await store.close();
  await report({ ids, below });
  hangUp();
}

main();
