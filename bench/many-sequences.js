'use strict';

const { open } = require('..');
const { inNewProcess, memory } = require('./support/new-process');
const { measure } = require('./support/rounds');
const { withSqliteUrl } = require('./support/stores');

const NUMBERS = 100_000_000; // in memory of each sequence: more than are ever used, they cost nothing

const MEMORY_ROUNDS = 2; // and one before; in each all counters have to be made, in a transaction each

const row = (sequences) => (sequences === 1 ? '1 sequence' : `${sequences.toLocaleString('en')} sequences`);

const openAll = (store, count, prefix) => Array.from({ length: count }, (_, i) => (
  store.sequence(`${prefix}-${i}`, { step: NUMBERS, timeout: 600_000 })));

async function openReady(store, count, prefix) {
  const sequences = openAll(store, count, prefix);
  for (const sequence of sequences) await sequence.ready();
  return sequences;
}

// Nanoseconds an id, one from each sequence in turn.
async function time(sequences, ids) {
  const start = performance.now();
  for (let left = ids; left > 0;) {
    for (let i = 0; i < sequences.length && left > 0; i++, left--) await sequences[i].nextId();
  }
  return ((performance.now() - start) * 1e6) / ids;
}

// --- In a process of its own: bytes of each of `count` sequences, by which the process grows. Others before
// them pay for the room that V8 makes for all objects to come.
async function bytesOfSequences(url, count) {
  const store = open(url);
  const others = openAll(store, count, 'before');
  await others[0].ready();
  const before = memory();
  const sequences = await openReady(store, count, 'measured');
  const bytes = (memory() - before) / sequences.length;
  await store.close();
  return bytes;
}

module.exports = {
  question: 'Do ids or sequences cost more where there are many sequences?',
  run: async ({ rounds, amount }) => {
    const ids = amount(1_000_000);
    const many = amount(10_000);
    const times = await withSqliteUrl(async (url) => {
      const store = open(url);
      const peers = {};
      for (const count of [1, 100, many]) {
        const sequences = await openReady(store, count, String(count));
        peers[row(count)] = () => time(sequences, ids);
      }
      const figures = await measure(peers, rounds);
      await store.close();
      return figures;
    });
    const bytes = await measure({
      [row(many)]: () => withSqliteUrl((url) => inNewProcess(__filename, 'bytesOfSequences', url, many)),
    }, Math.min(rounds, MEMORY_ROUNDS));
    return [
      {
        title: 'one from each in turn', unit: 'ns an id', better: 'less', baseline: row(1), figures: times,
        goals: [{ row: row(many), of: row(1), most: 1.3 }],
      },
      {
        unit: 'bytes a sequence, open and with numbers in memory', better: 'less', figures: bytes,
        goals: [{ row: row(many), most: 2048 }],
      },
    ];
  },
  bytesOfSequences,
};
