'use strict';

// A store of the user's own that does what it should not. Nothing hangs or crashes, no id comes twice, and
// the next call tries again.

const { setTimeout: sleep } = require('node:timers/promises');
const { NextIdError, open } = require('../..');
const { attempt } = require('../../lib/clock');
const { randomNumbers } = require('../support/random');
const { runProgram } = require('../support/run-program');

const never = () => new Promise(() => {});
const LONG = 5000; // ms

beforeEach(() => {
  attempt.time = LONG;
});
afterAll(() => {
  attempt.time = LONG;
});

/** A sound store. Tests replace its methods. */
class Memory {
  values = new Map();

  read(key) {
    return this.values.get(key);
  }

  compareAndSet(key, expected, next) {
    if (this.values.get(key) !== expected) return false;
    if (next === undefined) this.values.delete(key);
    else this.values.set(key, next);
    return true;
  }

  list() {
    return this.values;
  }
}

/** Of which the first calls of a method answer by `answers`, one each. */
function memoryWith(method, ...answers) {
  const store = new Memory();
  const sound = store[method];
  store[method] = function answer(...args) {
    const next = answers.shift();
    return next === undefined ? sound.apply(this, args) : next.call(this, ...args);
  };
  return store;
}

const UNAVAILABLE = { name: 'NextIdError', code: 'ERR_NEXTID_STORE_UNAVAILABLE' };

describe.each(['read', 'compareAndSet'])('%s()', (method) => {
  const thrown = {
    'an error': new Error('broken'),
    nothing: undefined,
    null: null,
    'a string': 'broken',
    'a symbol': Symbol('broken'),
    'a frozen error': Object.freeze(new Error('broken')),
    'an object without a prototype': Object.create(null),
    'an error whose getters throw': Object.defineProperties(new Error(), Object.fromEntries(
      ['stack', 'message', 'name', 'code', 'cause'].map((name) => [name, {
        get() {
          throw new Error('no');
        },
      }]))),
    'an error with fields of other types': Object.assign(new Error(), { message: 5, name: {}, code: NaN }),
    'a thenable': { then: (resolve) => resolve('4') },
    'a proxy that was revoked': (() => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    })(),
  };
  const failing = Object.entries(thrown).flatMap(([words, error]) => [
    [`throws ${words}`, () => {
      throw error;
    }],
    [`rejects with ${words}`, () => Promise.reject(error)],
  ]);

  const nonsense = method === 'read' ? [5, null, {}, true, Symbol('x')] : [undefined, 1, null, 'true', {}];
  const others = [
    ...nonsense.map((value) => [`resolves to ${String(value)}`, () => value]),
    ['has a `then` that throws', () => Object.defineProperty({}, 'then', {
      get() {
        throw new Error('no then');
      },
    })],
    ['settles twice', () => ({
      then(resolve, reject) {
        reject(new Error('first'));
        resolve('second');
        throw new Error('third');
      },
    })],
  ];

  test.each([...failing, ...others])('that %s is called again', async (_, answer) => {
    const ids = open(memoryWith(method, answer));
    const orders = ids.sequence('orders');
    expect(await orders.nextIds(3)).toEqual([1, 2, 3]);
    expect(orders.stats()).toMatchObject({ failures: 1, refills: 1 });
    await ids.close();
  });

  test.each([...failing, ...others])('that always %s: the error says so', async (_, answer) => {
    const store = new Memory();
    store[method] = answer;
    const ids = open(store);
    const error = await ids.sequence('orders', { timeout: 10 }).nextId().catch((reason) => reason);
    expect(error).toMatchObject({ name: 'NextIdError', code: 'ERR_NEXTID_TIMEOUT' });
    await expect(ids.advance('orders', 5)).rejects.toMatchObject(UNAVAILABLE);
    await ids.close();
  });

  test('that never settles is given up after a time', async () => {
    attempt.time = 20;
    const ids = open(memoryWith(method, never, never));
    expect(await ids.sequence('orders').nextIds(3)).toEqual([1, 2, 3]);
    await ids.close();
  });

  test('that is removed later: the error says so', async () => {
    const store = new Memory();
    const ids = open(store);
    await ids.sequence('orders', { step: 1 }).nextId();
    store[method] = undefined;
    await expect(ids.advance('orders', 100)).rejects.toThrow('not a function');
    await ids.close();
  });

  test.each(['ERR_NEXTID_ACCESS_DENIED', 'ERR_NEXTID_STORE_INVALID'])(
    'that throws %s rejects the calls at once', async (code) => {
      const store = new Memory();
      store[method] = () => {
        throw new NextIdError('no such user mongodb://root:hunter2@localhost', { code });
      };
      const ids = open(store);
      const error = await ids.sequence('orders').nextId().catch((reason) => reason);
      expect(error).toMatchObject({ name: 'NextIdError', code });
      expect(error.message).toBe('no such user mongodb://***@localhost');
      await ids.close();
    });

  test('the error of a call has the cause, without passwords', async () => {
    const cause = new Error('connect to etcd://root:hunter2@db failed');
    const store = new Memory();
    store[method] = async () => {
      throw Object.assign(new TypeError('fetch failed', { cause }), { code: 14 });
    };
    const ids = open(store);
    const error = await ids.advance('orders', 5).catch((reason) => reason);
    expect(error.message).toContain('fetch failed (connect to etcd://***@db failed)');
    expect(error.cause).toMatchObject({ name: 'TypeError', code: 14 });
    await ids.close();
  });
});

test.each([
  ['null', () => null], ['a number', () => 5], ['values that are no strings', () => [['plain:orders', 5]]],
  ['no pairs', () => [5]], ['a key that is a symbol', () => [[Symbol('x'), 'x']]],
  ['an iterator that throws', () => ({
    [Symbol.iterator]() {
      throw new Error('no');
    },
  })],
])('a list() that gives %s', async (_, list) => {
  const store = Object.assign(new Memory(), { list });
  const ids = open(store);
  await expect(ids.list()).rejects.toMatchObject(UNAVAILABLE);
  await ids.close();
});

test.each(['', 'null', '5', '[]', '{}', '{', '{"index":-1}', '{"index":"x"}', '{"index":{}}',
  '{"index":[5]}',
  '{"index":{"found":{"toString":5}}}', '{"index":99999999999999999999}', '{"index":5,"indexReturned":5}',
  '{"index":5,"indexReturned":[[]]}', '{"__proto__":{"index":5}}',
])('the value %j is refused', async (value) => {
  const store = new Memory();
  store.values.set('plain:orders', value);
  const ids = open(store);
  await expect(ids.sequence('orders', { timeout: 10 }).nextId()).rejects.toBeInstanceOf(NextIdError);
  await ids.list().catch((error) => expect(error).toBeInstanceOf(NextIdError));
  await ids.close();
  expect(store.values.get('plain:orders')).toBe(value);
});

test('a write that is done and fails: its numbers are never given', async () => {
  const store = memoryWith('compareAndSet', function write(...args) {
    Memory.prototype.compareAndSet.apply(this, args);
    throw new Error('connection lost');
  });
  const ids = open(store);
  expect(await ids.sequence('orders', { step: 10 }).nextId()).toBe(11);
  await ids.close();
});

test('a return that is done and fails is not done again', async () => {
  const store = new Memory();
  const ids = open(store);
  await ids.sequence('orders', { step: 10 }).nextId();
  let writes = 0;
  store.compareAndSet = (...args) => {
    ++writes;
    Memory.prototype.compareAndSet.apply(store, args);
    throw new Error('connection lost');
  };
  await ids.close();
  expect(writes).toBe(1);
  delete store.compareAndSet;
  expect(await open(store).sequence('orders').nextId()).toBe(2);
});

test('an answer that comes after the time is up, or after close(), changes nothing', async () => {
  attempt.time = 10;
  const answers = [];
  const later = () => new Promise((resolve) => {
    answers.push(resolve);
  });
  const store = memoryWith('read', later);
  const ids = open(store);
  expect(await ids.sequence('orders', { step: 5 }).nextIds(5)).toEqual([1, 2, 3, 4, 5]);
  store.read = later;
  const overdue = ids.sequence('orders').nextId();
  const rejected = expect(overdue).rejects.toMatchObject({ code: 'ERR_NEXTID_CLOSED' });
  await ids.close();
  await rejected;
  const before = new Map(store.values);
  for (const answer of answers) answer('{"index":1}');
  await sleep(5);
  expect(answers.length).toBeGreaterThan(1);
  expect(store.values).toEqual(before);
});

test('reads of old values write nothing', async () => {
  const store = new Memory();
  const ids = open(store);
  const orders = ids.sequence('orders', { step: 1 });
  await orders.nextIds(3);
  const old = store.values.get('plain:orders');
  await orders.nextIds(3);
  let stale = 5;
  store.read = (key) => (stale-- > 0 ? old : store.values.get(key));
  const other = open(store).sequence('orders', { step: 1 });
  expect(await other.nextId()).toBeGreaterThanOrEqual(7);
  expect(stale).toBeLessThan(1);
});

test('a method may call nextId() itself, of another sequence or of its own', async () => {
  attempt.time = 50;
  const store = new Memory();
  const ids = open(store);
  const given = [];
  const take = (name, n) => ids.sequence(name, { step: 2 }).nextIds(n).then(
    (own) => given.push(...own.map((id) => `${name} ${id}`)));
  for (const method of ['read', 'compareAndSet']) {
    const whole = store[method];
    store[method] = (...args) => {
      delete store[method];
      take('orders', 5);
      take('others', 1);
      ids.sequence('orders').tryNextId();
      return whole.apply(store, args);
    };
    await take('orders', 3);
    store[method] = async (...args) => {
      delete store[method];
      await take('orders', 2); // waits for itself
      return whole.apply(store, args);
    };
    await take('orders', 9);
  }
  await take('others', 1);
  expect(new Set(given).size).toBe(given.length);
  expect(given.length).toBeGreaterThanOrEqual(2 * (5 + 1 + 3 + 9));
  await ids.close();
});

test('close() of the store fails, or never settles: all is closed', async () => {
  attempt.time = 20;
  for (const close of [never, () => Promise.reject(new Error('no')), () => 5]) {
    const store = Object.assign(new Memory(), { close });
    const ids = open(store);
    await ids.sequence('orders', { step: 10 }).nextId();
    await ids.close().catch((error) => expect(error).toMatchObject(UNAVAILABLE));
    expect(store.values.get('plain:orders')).toBe('{"index":2}');
  }
});

test('a store that always says no: prune() and advance() end', async () => {
  const store = new Memory();
  const ids = open(store);
  await ids.advance('days', 5, { prefix: 240101 });
  store.compareAndSet = () => false;
  await expect(ids.prune('days', { before: 240103 })).rejects.toMatchObject(UNAVAILABLE);
  await expect(ids.advance('orders', 5)).rejects.toMatchObject(UNAVAILABLE);
  await ids.close();
});

test('prune() may take long, if each counter does not', async () => {
  attempt.time = 2000;
  const store = new Memory();
  const ids = open(store);
  for (let day = 1; day <= 20; day++) await ids.advance('days', 5, { prefix: 240100 + day });
  store.read = async (key) => {
    await sleep(1.2 * attempt.time / 20);
    return store.values.get(key);
  };
  expect(await ids.prune('days', { before: 240201 })).toHaveLength(20);
  await ids.close();
});

test.each([1, 2, 3])('a store that fails in all ways: no id comes twice (%d)', async (seed) => {
  attempt.time = 5;
  const random = randomNumbers(seed);
  const shared = new Memory();
  const flaky = () => {
    const wrap = (method) => async (...args) => {
      const fate = random();
      if (fate < 0.05) throw new Error('before');
      if (fate < 0.1) return never();
      if (fate < 0.2) await sleep(random() * 10);
      const result = shared[method](...args);
      if (fate < 0.25) throw new Error('after');
      if (fate < 0.3) return never();
      if (fate < 0.4) await sleep(random() * 10);
      return result;
    };
    return { read: wrap('read'), compareAndSet: wrap('compareAndSet'), list: wrap('list') };
  };
  const given = [];
  await Promise.all([1, 2, 3, 4].map(async () => {
    for (let life = 0; life < 5; life++) {
      const ids = open(flaky());
      const orders = ids.sequence('orders', { step: 4, timeout: 200_000 });
      for (let i = 0; i < 15; i++) given.push(await orders.nextId());
      await ids.close();
    }
  }));
  expect(new Set(given).size).toBe(given.length);
});

test('ten thousand refills leave nothing in memory', async () => {
  const program = async () => {
    const values = new Map();
    const ids = require('nextid').open({
      read: (key) => values.get(key),
      compareAndSet: async (key, _, next) => Boolean(values.set(key, next)),
      list: () => values,
    });
    const orders = ids.sequence('orders', { step: 1 });
    const used = async (refills) => {
      for (let i = 0; i < refills; i++) await orders.nextIds(2);
      for (let i = 0; i < 5; i++) {
        await new Promise(setImmediate);
        global.gc();
      }
      return process.memoryUsage().heapUsed;
    };
    const before = await used(2000);
    const grown = await used(10_000) - before;
    console.log(orders.stats().refills > 10_000, grown < 1_000_000 || grown);
    await ids.close();
  };
  const ended = await runProgram(program, [], { execArgv: ['--expose-gc'] });
  expect(ended).toEqual({ code: 0, signal: null, stdout: 'true true\n', stderr: '' });
});

test('a half-made counter of a closed period: it goes, unless somebody has counted in it', async () => {
  const store = new Memory();
  const key = 'dated:orders:100101';
  const ids = open(store);
  const orders = () => ids.advance('orders', 5, { prefix: 100101 });
  store.values.set('pruned:orders', '{"day":100101}');
  for (const [count, stays] of [[0, false], [7, true], ['"x"', true]]) {
    const record = `{"count":${count},"making":"x"}`;
    store.values.set(key, record);
    await expect(orders()).rejects.toMatchObject({ code: 'ERR_NEXTID_PERIOD_PRUNED' });
    expect(await store.read(key)).toBe(stays ? record : undefined);
  }
  await ids.close();
});

test('a call whose execution is terminated: the process goes on, and no id comes twice', async () => {
  const program = async () => {
    const vm = require('node:vm');
    const ids = require('nextid').open('memory:');
    const orders = ids.sequence('orders', { step: 10 });
    const given = [];
    const loop = 'for (;;) { const id = orders.tryNextId(); if (id !== undefined) given.push(id); }';
    for (let i = 0; i < 100; ++i) {
      try {
        vm.runInNewContext(loop, { orders, given }, { timeout: 1 + i % 4 });
      } catch (error) {
        if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      }
      await new Promise(setImmediate);
    }
    await ids.close();
    console.log(given.length - new Set(given).size, given.length > 0);
  };
  const { stdout, code } = await runProgram(program, []);
  expect({ stdout, code }).toEqual({ stdout: '0 true\n', code: 0 });
});

test.each(['read', 'close'])('a thread that ends during %s()', async (method) => {
  const program = async (hangs) => {
    const { Worker } = require('node:worker_threads');
    const source = (hanging) => {
      const values = new Map();
      const ids = require('nextid').open({
        read: (key) => (hanging === 'read' ? new Promise(() => {}) : values.get(key)),
        compareAndSet: (key, before, next) => Boolean(values.set(key, next)),
        list: () => values,
        close: () => new Promise(() => {}),
      });
      const call = ids.sequence('orders').nextId();
      (hanging === 'close' ? call.then(() => ids.close()) : call).catch(() => {});
      setTimeout(() => require('node:worker_threads').parentPort.postMessage('hangs'), 50);
    };
    const worker = new Worker(`(${source})(${JSON.stringify(hangs)})`, { eval: true });
    await new Promise((resolve) => worker.once('message', resolve));
    console.log(await worker.terminate());
  };
  const ended = await runProgram(program, [method]);
  expect(ended).toEqual({ code: 0, signal: null, stdout: '1\n', stderr: '' });
});
