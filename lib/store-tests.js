'use strict';

// Tests of a store of the user's own; see store-tests.d.ts. This file is also what the processes run that the
// tests start.

const assert = require('node:assert/strict');
const { fork } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const { once } = require('node:events');
const { pathToFileURL } = require('node:url');
const { inspect } = require('node:util');

const TIMEOUT = 60_000; // ms, of a test in Jest and Vitest
const WRITERS = 20;
const PROCESSES = 4;
const MOST_TRIES = 100; // of one write, while others write too

const KINDS = {
  plain: { step: 7 },
  dated: { period: 'year', step: 7 },
  cyclic: { cycle: 100_000 },
  'time-stamped': { timestamp: true },
};

const VALUES = {
  'with quotes and line ends': '{"a":"\'`\\"\\\\\n\r\t$1%s"}',
  'not in ASCII': 'é\u0301 ß 数 🧮 \u2028',
  'that looks like a number': '007',
  'with spaces at its ends': '  5 ',
  'of 8 kB': 'x'.repeat(8192),
};

/** Of the keys that end like these, each must be another one. */
const ENDINGS = [
  '', ':', ':1', ':10', 'a', 'A', 'á', 'a\u0301', 'a ', ' a', 'a/b', 'a.b', 'a*', 'a%', 'a_', "a'", 'a"',
  'a\\', '数', '🧮', `${'x'.repeat(240)}1`, `${'x'.repeat(240)}2`,
];

/**
 * Defines the tests; see store-tests.d.ts.
 * @param {{open: () => object, module?: string, test?: (title, body, timeout) => unknown}} options
 */
function storeTests({ open, module: file, test = globalThis.test ?? require('node:test').test }) {
  for (const [title, body] of Object.entries({ ...contract, ...sequences })) {
    test(`store: ${title}`, () => run(open, body), TIMEOUT);
  }
  if (file === undefined) return;
  for (const [title, body] of Object.entries(processes)) {
    test(`store: ${title}`, () => run(open, (place) => body(place, file)), TIMEOUT);
  }
}

async function run(open, body) {
  const place = new Place(open);
  try {
    await body(place);
  } finally {
    await place.close();
  }
}

/** What one test opens, and the name that its keys have in common. */
class Place {
  name = `nextid-test-${randomBytes(6).toString('hex')}`;
  #open;
  #opened = [];

  constructor(open) {
    this.#open = open;
  }

  /** The user's object. */
  async store() {
    const store = checked(await this.#open());
    this.#opened.push(() => store.close());
    return store;
  }

  /** The same as nextid opens it. */
  async ids() {
    const ids = require('./index').open(checked(await this.#open()));
    this.#opened.push(() => ids.close());
    return ids;
  }

  async close() {
    const store = await this.store();
    const own = Array.from(await store.list()).filter(([key]) => key.includes(this.name));
    await Promise.all(own.map(([key, value]) => store.compareAndSet(key, value, undefined)));
    for (const close of this.#opened) await close();
  }
}

// The store, with an error at once where a method does not resolve to what it must. nextid would try again.
function checked(store) {
  const isText = (value) => typeof value === 'string';
  const must = (method, expected, isRight) => async (...args) => {
    const value = await store[method](...args);
    if (isRight(value)) return value;
    const message = `${method}() resolved to ${inspect(value)}: expected ${expected}`;
    throw Object.assign(new Error(message), { code: 'ERR_NEXTID_STORE_INVALID' });
  };
  return {
    read: must('read', 'a string, or undefined for a key that does not exist', (value) => (
      value === undefined || isText(value))),
    compareAndSet: must('compareAndSet', 'true if it wrote, or false', (value) => typeof value === 'boolean'),
    list: must('list', 'an iterable of [key, value], both strings', (value) => (
      typeof value?.[Symbol.iterator] === 'function' && Array.from(value).flat().every(isText))),
    close: async () => store.close?.(),
  };
}

// The methods themselves.
const contract = {
  async 'a key that does not exist has no value'(place) {
    const store = await place.store();
    assert.equal(await store.read(place.name), undefined);
    assert.equal(await store.compareAndSet(place.name, 'a', 'b'), false);
    assert.equal(await store.compareAndSet(place.name, 'a', undefined), false);
    assert.equal(await store.read(place.name), undefined);
  },

  async 'a key is created only if it does not exist'(place) {
    const store = await place.store();
    assert.equal(await store.compareAndSet(place.name, undefined, 'a'), true);
    assert.equal(await store.compareAndSet(place.name, undefined, 'b'), false);
    assert.equal(await store.read(place.name), 'a');
  },

  async 'a value is replaced only if it is the expected one'(place) {
    const store = await place.store();
    await store.compareAndSet(place.name, undefined, 'a');
    assert.equal(await store.compareAndSet(place.name, 'A', 'c'), false);
    assert.equal(await store.compareAndSet(place.name, 'a ', 'c'), false);
    assert.equal(await store.read(place.name), 'a');
    assert.equal(await store.compareAndSet(place.name, 'a', 'b'), true);
    assert.equal(await store.compareAndSet(place.name, 'a', 'c'), false);
    assert.equal(await store.read(place.name), 'b');
  },

  async 'a value can be replaced by the same one'(place) {
    const store = await place.store();
    await store.compareAndSet(place.name, undefined, 'a');
    assert.equal(await store.compareAndSet(place.name, 'a', 'a'), true);
    assert.equal(await store.read(place.name), 'a');
  },

  async 'a key is removed only if its value is the expected one'(place) {
    const store = await place.store();
    await store.compareAndSet(place.name, undefined, 'a');
    assert.equal(await store.compareAndSet(place.name, 'b', undefined), false);
    assert.equal(await store.read(place.name), 'a');
    assert.equal(await store.compareAndSet(place.name, 'a', undefined), true);
    assert.equal(await store.read(place.name), undefined);
    assert.equal(await store.compareAndSet(place.name, undefined, 'c'), true);
    assert.equal(await store.read(place.name), 'c');
  },

  ...Object.fromEntries(Object.entries(VALUES).map(([words, value]) => [
    `a value ${words} is read as it was written`, async (place) => {
      const store = await place.store();
      assert.equal(await store.compareAndSet(place.name, undefined, value), true);
      assert.equal(await store.read(place.name), value);
      assert.equal(await store.compareAndSet(place.name, value, `${value}2`), true);
      assert.equal(await store.compareAndSet(place.name, `${value}2`, undefined), true);
    },
  ])),

  async 'keys are different if one byte is'(place) {
    const store = await place.store();
    const keys = ENDINGS.map((ending) => `${place.name}${ending}`);
    for (const key of keys) assert.equal(await store.compareAndSet(key, undefined, `of ${key}`), true, key);
    for (const key of keys) assert.equal(await store.read(key), `of ${key}`);
  },

  async 'list() has all keys and values, and none that was removed'(place) {
    const [store, other] = [await place.store(), await place.store()];
    const keys = [...ENDINGS, ...Array(200).keys()].map((ending) => `${place.name} ${ending}`);
    await Promise.all(keys.map((key) => store.compareAndSet(key, undefined, `of ${key}`)));
    await store.compareAndSet(keys[3], `of ${keys[3]}`, undefined);
    const listed = Array.from(await other.list(), ([key, value]) => [key, value])
      .filter(([key]) => key.startsWith(place.name));
    const left = keys.filter((_, i) => i !== 3);
    assert.deepEqual(listed.map(([key]) => key).sort(), left.sort());
    for (const [key, value] of listed) assert.equal(value, `of ${key}`);
  },

  async 'another connection sees a write at once'(place) {
    const [store, other] = [await place.store(), await place.store()];
    let value;
    for (let i = 0; i < 20; i++) {
      assert.equal(await store.compareAndSet(place.name, value, `a${i}`), true);
      assert.equal(await other.read(place.name), `a${i}`);
      assert.equal(await other.compareAndSet(place.name, `a${i}`, `b${i}`), true);
      assert.equal(await store.read(place.name), value = `b${i}`);
    }
  },

  async 'of many writers that expect the same, exactly one writes'(place) {
    const stores = [await place.store(), await place.store(), await place.store()];
    let expected;
    for (let round = 0; round < 10; round++) {
      const next = round === 5 ? () => undefined : (i) => `${round} by ${i}`;
      const done = await Promise.all(Array.from({ length: WRITERS }, (_, i) => (
        stores[i % stores.length].compareAndSet(place.name, expected, next(i)))));
      const winners = [...done.keys()].filter((i) => done[i]);
      assert.equal(winners.length, 1, `compareAndSet() resolved to true for ${winners.length} of ${WRITERS}`);
      expected = next(winners[0]);
      assert.equal(await stores[0].read(place.name), expected, 'the value is not the one of the winner');
    }
  },

  async 'no write gets lost among many'(place) {
    const stores = [await place.store(), await place.store(), await place.store()];
    await Promise.all(stores.map((store) => countUp(store, place.name, 20)));
    assert.equal(await stores[0].read(place.name), '60');
  },
};

// Sequences over the store.
const sequences = {
  ...Object.fromEntries(Object.entries(KINDS).map(([kind, options]) => [
    `${kind} ids are unique among several instances`, async (place) => {
      const instances = [await place.ids(), await place.ids(), await place.ids()];
      const ids = await Promise.all(instances.map((instance) => (
        someIds(instance.sequence(place.name, options)))));
      for (const own of ids) assertIncreasing(own);
      assertDistinct(ids.flat());
    },
  ])),

  async 'plain ids begin at 1'(place) {
    const orders = (await place.ids()).sequence(place.name);
    assert.deepEqual(await orders.nextIds(3), [1, 2, 3]);
  },

  async 'cyclic ids wrap around'(place) {
    const labels = (await place.ids()).sequence(place.name, { cycle: 3 });
    assert.deepEqual(await labels.nextIds(7), [1, 2, 3, 1, 2, 3, 1]);
  },

  async 'large numbers are kept exactly'(place) {
    const ids = await place.ids();
    await ids.advance(place.name, 2n ** 62n + 1n);
    assert.equal(await ids.sequence(place.name, { bigint: true }).nextId(), 2n ** 62n + 1n);
  },

  async 'unused numbers of a closed instance go to the next one'(place) {
    const [first, second] = [await place.ids(), await place.ids()];
    const given = [];
    for (const instance of [first, second]) {
      given.push(...await instance.sequence(place.name, { step: 10 }).nextIds(3));
    }
    await first.sequence(place.name).close(); // below the numbers of the second
    await second.sequence(place.name).close();
    const third = (await place.ids()).sequence(place.name, { step: 10 });
    given.push(...await third.nextIds(30));
    assert.deepEqual(given.sort((a, b) => a - b), Array.from({ length: 36 }, (_, i) => i + 1));
  },

  async 'advance() moves a counter up, never down'(place) {
    const ids = await place.ids();
    assert.equal(await ids.advance(place.name, 100), 100);
    assert.equal(await ids.advance(place.name, 100), 100);
    assert.equal(await ids.advance(place.name, 50), 100);
    assert.equal(await (await place.ids()).sequence(place.name).nextId(), 100);
    assert.equal(await ids.advance(`${place.name} serial`, 8, { cycle: 9 }), 8);
    assert.deepEqual(await ids.sequence(`${place.name} serial`, { cycle: 9 }).nextIds(3), [8, 9, 1]);
  },

  async 'list() shows the counters of all kinds'(place) {
    const ids = await place.ids();
    for (const [kind, options] of Object.entries(KINDS)) {
      await ids.sequence(`${place.name} ${kind}`, options).nextIds(3);
    }
    const found = [...await ids.list()].filter(({ name }) => name.startsWith(place.name));
    assert.deepEqual(found.map(({ kind }) => kind).sort(), Object.keys(KINDS).sort());
    for (const { name, kind, problem } of found) {
      assert.equal(name, `${place.name} ${kind}`);
      assert.equal(problem, undefined);
    }
  },

  async 'prune() removes the counters of past periods, which never begin again'(place) {
    const ids = await place.ids();
    for (const prefix of [240101, 240102, 240103]) await ids.advance(place.name, 5, { prefix });
    const removed = await ids.prune(place.name, { before: 240103 });
    assert.deepEqual(removed.map(({ prefix, count }) => [prefix, count]), [[240101, 4], [240102, 4]]);
    await assert.rejects(async () => (await place.ids()).advance(place.name, 5, { prefix: 240102 }),
      { code: 'ERR_NEXTID_PERIOD_PRUNED' });
    const left = [...await ids.list()].filter(({ name }) => name === place.name);
    assert.deepEqual(left.map(({ prefix }) => prefix), [240103]);
  },
};

// The same from several processes.
const processes = {
  async 'no write of several processes gets lost'(place, file) {
    const counts = await inProcesses(file, 'countUp', place.name);
    assert.equal(await (await place.store()).read(place.name), String(counts.reduce((a, b) => a + b)));
  },

  ...Object.fromEntries(Object.keys(KINDS).map((kind) => [
    `${kind} ids are unique among several processes`, async (place, file) => {
      assertDistinct((await inProcesses(file, kind, place.name)).flat());
    },
  ])),
};

/** Replaces the number under a key by the next one, so many times. */
async function countUp(store, key, times) {
  let done = 0;
  for (let tries = 0; done < times; ++tries) {
    assert(tries < MOST_TRIES * times, 'compareAndSet() fails again and again');
    const value = await store.read(key);
    if (await store.compareAndSet(key, value, String(Number(value ?? 0) + 1))) ++done;
  }
  return times;
}

async function someIds(sequence) {
  const ids = [];
  for (let i = 1; i <= 8; i++) ids.push(await sequence.nextId(), ...await sequence.nextIds(i));
  return ids;
}

function assertDistinct(ids) {
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  assert.equal(twice, undefined, `the id ${twice} was given twice`);
}

function assertIncreasing(ids) {
  const smaller = ids.find((id, i) => i > 0 && !(ids[i - 1] < id));
  assert.equal(smaller, undefined, `the id ${smaller} follows one that is not smaller`);
}

/** What `task` gives in each of several processes that begin it at once. */
async function inProcesses(file, task, name) {
  const children = Array.from({ length: PROCESSES }, () => (
    fork(__filename, [file, task, name], { execArgv: [], timeout: TIMEOUT, killSignal: 'SIGKILL' })));
  try {
    await Promise.all(children.map(answerOf));
    for (const child of children) child.send('begin');
    return await Promise.all(children.map(answerOf));
  } finally {
    for (const child of children) child.kill();
  }
}

function answerOf(child) {
  return Promise.race([
    once(child, 'message').then(([answer]) => answer),
    once(child, 'exit').then(([code, signal]) => {
      throw new Error(`a process of the tests ended (${signal ?? code})`);
    }),
  ]);
}

async function work(file, task, name) {
  const exported = await import(pathToFileURL(file));
  const store = await (exported.open ?? exported.default.open)();
  process.send('ready');
  await once(process, 'message');
  if (task === 'countUp') {
    process.send(await countUp(store, name, 25));
    await store.close?.();
  } else {
    const ids = require('./index').open(store);
    process.send(await someIds(ids.sequence(name, KINDS[task])));
    await ids.close();
  }
  process.disconnect();
}

if (require.main === module) work(...process.argv.slice(2));

module.exports = { storeTests };
