'use strict';

const { setImmediate: turnOfTheLoop } = require('node:timers/promises');
const { open } = require('..');
const { returnIdle } = require('../lib/symbols');
const { inNewProcess, memory } = require('./support/new-process');
const { withSqliteUrl } = require('./support/stores');

const NEVER = 2_000_000_000; // ms; this file calls what the timer would
const AT_A_TIME = 10; // callers
const SLICE = 10_000; // scopes that are in use together

async function useOnce(ids, from, to) {
  let next = from;
  const caller = async () => {
    while (next < to) await ids.sequence(`tickets/tenant-${next++}`).nextId();
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, caller));
  for (let i = 0; i < 2; i++) await ids[returnIdle](); // the first sees that they were used
  globalThis.gc();
  await turnOfTheLoop();
}

// --- In a process of its own: by how much it grows, in bytes a scope, and the time of each in microseconds,
// until its numbers are back and it is collected. A slice before the others pays for the room that V8 and
// malloc make.
async function useScopes(url, count) {
  const ids = open(url, { idle: NEVER });
  await useOnce(ids, 0, SLICE);
  const before = memory();
  const start = performance.now();
  for (let from = SLICE; from < SLICE + count; from += SLICE) await useOnce(ids, from, from + SLICE);
  const microseconds = ((performance.now() - start) * 1000) / count;
  const bytes = (memory() - before) / count;
  await ids.close();
  return { bytes, microseconds };
}

module.exports = {
  question: 'What remains of a sequence that is not used any more?',
  run: async ({ isQuick }) => {
    const count = isQuick ? 2 * SLICE : 1_000_000;
    const row = `${count.toLocaleString('en')} scopes`;
    const { bytes, microseconds } = await withSqliteUrl((url) => (
      inNewProcess(__filename, 'useScopes', url, count)));
    return [
      {
        title: 'each used once', unit: 'bytes of a scope that remain', better: 'less',
        figures: { [row]: [bytes] }, goals: [{ row, most: 200 }],
      },
      {
        unit: 'µs a scope: a refill, a return, a collection', better: 'less',
        figures: { [row]: [microseconds] },
      },
    ];
  },
  useScopes,
};
