'use strict';

const Hashids = require('hashids');
const { default: Sqids } = require('sqids');
const { open } = require('..');
const { measure, perSecond } = require('./support/rounds');
const { withSqliteUrl } = require('./support/stores');

const STEP = 1_000_000_000; // numbers in memory: more than all rounds take
const KEY = '00112233445566778899aabbccddeeff';
const CONCATENATED = "'261122-' + String(i++).padStart(4, '0')";
const TIMED = "Promise.resolve('20261122120000' + String(i++).padStart(8, '0'))";

const KINDS = {
  "period: 'day'": { period: 'day', step: STEP },
  "format: 'INV-{count:6}'": { format: 'INV-{count:6}', step: STEP },
  'encrypt, 10 digits': { encrypt: { key: KEY, digits: 10 }, step: STEP },
};

let kept; // where every id goes, so that none is optimised away
let i = 0;

// Each has a loop of its own, as in id-makers.js.

function awaited(sequences, ids) {
  const limit = async () => {
    for (let n = 0; n < ids; n++) kept = await Promise.resolve('261122-' + String(i++).padStart(4, '0'));
    return ids;
  };
  const rows = { [`Promise.resolve(${CONCATENATED})`]: perSecond(limit) };
  for (const [name, sequence] of Object.entries(sequences)) {
    rows[`nextId(), ${name}`] = perSecond(async () => {
      for (let n = 0; n < ids; n++) kept = await sequence.nextId();
      return ids;
    });
  }
  return rows;
}

// tryNextId() gives nothing while numbers are reserved.
function atOnce(sequences, ids) {
  const sqids = new Sqids();
  const hashids = new Hashids(KEY);
  const rows = {
    [CONCATENATED]: () => { for (let n = 0; n < ids; n++) kept = '261122-' + String(i++).padStart(4, '0'); },
    'sqids.encode([i++])': () => { for (let n = 0; n < ids; n++) kept = sqids.encode([i++]); },
    'hashids.encode(i++)': () => { for (let n = 0; n < ids; n++) kept = hashids.encode(i++); },
  };
  for (const [name, sequence] of Object.entries(sequences)) {
    rows[`tryNextId(), ${name}`] = async () => {
      for (let n = 0; n < ids; n++) kept = sequence.tryNextId() ?? await sequence.nextId();
    };
  }
  return perSecondEach(rows, ids);
}

// What a caller pays who prints the ids: concatenated strings are copied then.
function printed(sequences, ids) {
  const rows = {
    [`JSON.stringify(${CONCATENATED})`]: () => {
      for (let n = 0; n < ids; n++) kept = JSON.stringify('261122-' + String(i++).padStart(4, '0'));
    },
  };
  for (const [name, sequence] of Object.entries(sequences)) {
    rows[`JSON.stringify(tryNextId()), ${name}`] = async () => {
      for (let n = 0; n < ids; n++) kept = JSON.stringify(sequence.tryNextId() ?? await sequence.nextId());
    };
  }
  return perSecondEach(rows, ids);
}

function timed(sequence, ids) {
  return perSecondEach({
    [TIMED]: async () => {
      for (let n = 0; n < ids; n++) {
        kept = await Promise.resolve('20261122120000' + String(i++).padStart(8, '0'));
      }
    },
    'nextId(), timestamp: { maxAge: 1000 }': async () => {
      for (let n = 0; n < ids; n++) kept = await sequence.nextId();
    },
  }, ids);
}

function perSecondEach(rows, ids) {
  return Object.fromEntries(Object.entries(rows).map(([name, work]) => [name, perSecond(async () => {
    await work();
    if (kept === undefined) throw new Error(`${name} gave no id`);
    return ids;
  })]));
}

module.exports = {
  question: 'How many formatted ids a second are there, beside concatenated strings, sqids and hashids?',
  run: ({ rounds, amount }) => withSqliteUrl(async (url) => {
    const ids = amount(300_000);
    const store = open(url);
    const sequences = Object.fromEntries(Object.entries(KINDS).map(([name, options]) => (
      [name, store.sequence(name, options)])));
    for (const sequence of Object.values(sequences)) await sequence.ready();
    const stamped = store.sequence('kept', { timestamp: { maxAge: 1000 } });
    const tables = [];
    for (const [title, rows, least] of [
      ['awaited', awaited(sequences, ids), 1],
      ['at once', atOnce(sequences, ids), 1.2],
      ['printed', printed(sequences, ids)],
      ['time-stamped', timed(stamped, ids), 1],
    ]) {
      const [baseline, ...others] = Object.keys(rows);
      const goals = least === undefined ? undefined
        : others.filter((row) => /^(nextId|tryNextId).*(day|INV|maxAge)/.test(row))
          .map((row) => ({ row, of: baseline, least }));
      tables.push({
        title, unit: 'ids a second', better: 'more', baseline, goals, figures: await measure(rows, rounds),
      });
    }
    await store.close();
    return tables;
  }),
};
