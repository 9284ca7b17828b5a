'use strict';

const crypto = require('node:crypto');
const { Snowflake: SapphireSnowflake } = require('@sapphire/snowflake');
const hyperid = require('hyperid');
const { nanoid } = require('nanoid');
const { Snowflake: NodejsSnowflake } = require('nodejs-snowflake');
const { monotonicFactory, ulid } = require('ulid');
const uuid = require('uuid');
const { open } = require('..');
const { summary } = require('./support/report');
const { measure, perSecond } = require('./support/rounds');
const { withSqliteUrl } = require('./support/stores');

const EPOCH = new Date('2025-01-01T00:00:00.000Z'); // of the snowflakes
const STEP = 1_000_000_000; // numbers in memory for each way in: more than all rounds take
const BATCH = 1000;

let kept; // where every id goes, so that none is optimised away

// Each has a loop of its own, written out. One that they shared would be compiled for all of them at once,
// and nothing be inlined into it: the fastest would lose most by that.

// The other packages need no store. Their ids are strings of 21 to 36 characters, or 64-bit BigInts.
const instance = hyperid();
const monotonic = monotonicFactory();
const nodejs = new NodejsSnowflake({ custom_epoch: EPOCH.getTime() });
const sapphire = new SapphireSnowflake(EPOCH);
const OTHERS = {
  'hyperid()': { ids: 4_000_000, make: (n) => { for (; n > 0; n--) kept = instance(); } },
  'nanoid()': { ids: 2_000_000, make: (n) => { for (; n > 0; n--) kept = nanoid(); } },
  'uuid.v4()': { ids: 1_000_000, make: (n) => { for (; n > 0; n--) kept = uuid.v4(); } },
  'uuid.v7()': { ids: 100_000, make: (n) => { for (; n > 0; n--) kept = uuid.v7(); } },
  'crypto.randomUUID()': { ids: 1_000_000, make: (n) => { for (; n > 0; n--) kept = crypto.randomUUID(); } },
  'ulid()': { ids: 5_000, make: (n) => { for (; n > 0; n--) kept = ulid(); } },
  'ulid, monotonicFactory()': { ids: 400_000, make: (n) => { for (; n > 0; n--) kept = monotonic(); } },
  'nodejs-snowflake': { ids: 200_000, make: (n) => { for (; n > 0; n--) kept = nodejs.getUniqueID(); } },
  '@sapphire/snowflake': { ids: 400_000, make: (n) => { for (; n > 0; n--) kept = sapphire.generate(); } },
};

const OURS = {
  'tryNextId()': {
    ids: 40_000_000,
    make: (n, sequence) => { for (; n > 0; n--) kept = sequence.tryNextId(); },
  },
  'await nextId()': {
    ids: 2_000_000,
    make: async (n, sequence) => { for (; n > 0; n--) kept = await sequence.nextId(); },
  },
  'for await': {
    ids: 1_000_000,
    make: async (n, sequence) => {
      for await (const id of sequence) {
        kept = id;
        if (--n === 0) return;
      }
    },
  },
  [`nextIds(${BATCH})`]: {
    ids: 40_000_000,
    make: async (n, sequence) => { for (; n > 0; n -= BATCH) kept = await sequence.nextIds(BATCH); },
  },
  // Makes no ids, only the two ends of a block of them.
  [`reserve(${BATCH})`]: {
    ids: 80_000_000,
    make: async (n, sequence) => { for (; n > 0; n -= BATCH) kept = await sequence.reserve(BATCH); },
  },
};

async function peers(store, amount) {
  const all = {};
  for (const [name, { ids, make }] of Object.entries(OURS)) {
    const sequence = store.sequence(name, { step: STEP });
    await sequence.ready();
    all[name] = perSecond(async () => {
      await make(amount(ids), sequence);
      return given(name, amount(ids));
    });
  }
  for (const [name, { ids, make }] of Object.entries(OTHERS)) {
    all[name] = perSecond(() => {
      make(amount(ids));
      return given(name, amount(ids));
    });
  }
  return all;
}

function given(name, ids) {
  if (kept === undefined) throw new Error(`${name} gave no id`);
  return ids;
}

function fastest(figures, names) {
  return names.reduce((a, b) => (summary(figures[b]).median > summary(figures[a]).median ? b : a));
}

module.exports = {
  question: 'How many ids a second are there, with numbers in memory, beside packages that make ids?',
  run: ({ rounds, amount }) => withSqliteUrl(async (url) => {
    const store = open(url);
    const figures = await measure(await peers(store, amount), rounds);
    await store.close();
    return [{
      unit: 'ids a second', better: 'more', figures,
      goals: [
        { row: 'tryNextId()', of: fastest(figures, Object.keys(OTHERS)), least: 3 },
        { row: `nextIds(${BATCH})`, of: 'await nextId()', least: 5 },
      ],
    }];
  }),
};
