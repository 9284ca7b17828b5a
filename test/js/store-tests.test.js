'use strict';

// nextid/store-tests on the store in memory, and on stores that break the contract: each is found.

const { spawnSync } = require('node:child_process');
const { ROOT } = require('../support/pages');
const { storeTests } = require('../../lib/store-tests');

function inMemory() {
  const values = new Map();
  return {
    read: (key) => values.get(key),
    compareAndSet(key, expected, next) {
      if (values.get(key) !== expected) return false;
      if (next === undefined) values.delete(key);
      else values.set(key, next);
      return true;
    },
    list: () => values,
  };
}

describe('in memory', () => {
  const store = inMemory();
  storeTests({ open: () => store });
});

const pause = () => new Promise(setImmediate);

// What is wrong → how the methods of a sound store are changed.
const WRONG = {
  'null for no value': (store) => ({ read: (key) => store.read(key) ?? null }),
  'creates although there is a value': (store) => ({
    compareAndSet: (key, expected, next) => store.compareAndSet(key, expected && store.read(key), next),
  }),
  'not atomic': (store) => ({
    async compareAndSet(key, expected, next) {
      if (store.read(key) !== expected) return false;
      await pause();
      return store.compareAndSet(key, store.read(key), next);
    },
  }),
  'writes blindly': (store) => ({
    compareAndSet: (key, expected, next) => store.compareAndSet(key, store.read(key), next),
  }),
  'says nothing': (store) => ({ compareAndSet: (...args) => void store.compareAndSet(...args) }),
  'keys without case': (store) => ({
    read: (key) => store.read(key.toLowerCase()),
    compareAndSet: (key, ...others) => store.compareAndSet(key.toLowerCase(), ...others),
  }),
  'short values': (store) => ({
    compareAndSet: (key, expected, next) => store.compareAndSet(key, expected, next?.slice(0, 255)),
  }),
  'does not remove': (store) => ({
    compareAndSet: (key, expected, next) => store.compareAndSet(key, expected, next ?? ''),
  }),
  'a list with an end': (store) => ({ list: () => [...store.list()].slice(0, 100) }),
  'a cache of reads': (store, cache = new Map()) => ({
    read: (key) => cache.get(key) ?? cache.set(key, store.read(key)).get(key),
  }),
};

test.each(Object.entries(WRONG))('a store is found that is wrong: %s', async (_, changes) => {
  const store = inMemory();
  const open = () => ({ ...store, ...changes(store) });
  const failures = [];
  const bodies = [];
  storeTests({ open, test: (title, body) => bodies.push([title, body]) });
  for (const [title, body] of bodies.slice(0, 15)) { // the methods themselves
    await body().catch(() => failures.push(title));
  }
  expect(failures).not.toEqual([]);
});

test('without a global test, it is that of node:test', () => {
  const source = `
    const values = new Map();
    require('nextid/store-tests').storeTests({ open: () => ({
      read: (key) => values.get(key),
      compareAndSet: (key, expected, next) => values.get(key) === expected && (
        next === undefined ? values.delete(key) : Boolean(values.set(key, next))),
      list: () => values,
    }) });`;
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const options = { cwd: ROOT, encoding: 'utf8', env };
  const { stdout, status } = spawnSync(process.execPath, ['-e', source], options);
  expect(stdout).toMatch(/^. fail 0$/m);
  expect(status).toBe(0);
});
