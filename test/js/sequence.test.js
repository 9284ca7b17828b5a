'use strict';

const fs = require('node:fs');
const { NextIdError, open } = require('../..');
const { describeStores } = require('../support/stores');

const NAME = 'orders';

function numbers(first, n) {
  return Array.from({ length: n }, (_, i) => first + i);
}

describeStores('a sequence', (fixture) => {
  let url;
  let store;
  const opened = [];

  // As another process would: nothing is shared but the counters.
  function connect() {
    const other = open(url);
    opened.push(other);
    return other;
  }

  beforeEach(() => {
    url = fixture.freshUrl();
    store = connect();
  });

  afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

  describe('nextId()', () => {
    test('counts from 1, or from start', async () => {
      const orders = store.sequence(NAME);
      expect([await orders.nextId(), await orders.nextId(), await orders.nextId()]).toEqual([1, 2, 3]);
      const invoices = store.sequence('invoices', { start: 0 });
      expect([await invoices.nextId(), await invoices.nextId()]).toEqual([0, 1]);
    });

    test('goes on where the counter stands, whatever start says', async () => {
      await store.advance(NAME, 700);
      expect(await store.sequence(NAME, { start: 5 }).nextId()).toBe(700);
    });

    test('reserves step numbers at a time', async () => {
      const orders = store.sequence(NAME, { step: 100 });
      await orders.nextId();
      expect(await fixture.read(url, NAME)).toBe(101);
    });

    test('goes on without a gap from range to range', async () => {
      const orders = store.sequence(NAME, { step: 7 });
      const ids = [];
      while (ids.length < 100) ids.push(await orders.nextId());
      expect(ids).toEqual(numbers(1, 100));
    });
  });

  describe('nextIds()', () => {
    test.each([1, 2, 10, 11, 25])('gives %p growing ids and no more', async (n) => {
      const orders = store.sequence(NAME, { step: 10 });
      expect(await orders.nextIds(n)).toEqual(numbers(1, n));
      expect(await orders.nextIds(n)).toEqual(numbers(1 + n, n));
      expect(await orders.nextId()).toBe(1 + 2 * n);
    });

    test('takes what is in memory first', async () => {
      const orders = store.sequence(NAME, { step: 10 });
      await orders.ready();
      expect(orders.tryNextId()).toBe(1);
      expect(await orders.nextIds(9)).toEqual(numbers(2, 9));
      expect(await orders.nextIds(3)).toEqual(numbers(11, 3));
    });

    test('keeps its place among other calls', async () => {
      const orders = store.sequence(NAME, { step: 10 });
      const calls = [orders.nextId(), orders.nextIds(30), orders.nextId(), orders.nextIds(2)];
      expect(await Promise.all(calls)).toEqual([1, numbers(2, 30), 32, [33, 34]]);
    });

    test('goes over the gap that another process has made', async () => {
      const orders = store.sequence(NAME, { step: 10 });
      await orders.nextId();
      expect(await connect().sequence(NAME, { step: 5 }).nextIds(5)).toEqual(numbers(11, 5));
      expect(await orders.nextIds(20)).toEqual([...numbers(2, 9), ...numbers(16, 11)]);
    });
  });

  describe('reserve()', () => {
    test('gives a block in a row, from memory if it fits', async () => {
      const orders = store.sequence(NAME, { step: 100 });
      await orders.ready();
      expect(await orders.reserve(20)).toEqual({ first: 1, last: 20, count: 20 });
      expect(await orders.reserve(1)).toEqual({ first: 21, last: 21, count: 1 });
      expect(await orders.nextId()).toBe(22);
      expect(await orders.reserve(20)).toEqual({ first: 23, last: 42, count: 20 });
      expect(await orders.nextId()).toBe(43);
      expect(orders.stats().refills).toBe(1);
    });

    test('reserves a block of its own otherwise, and others keep what is in memory', async () => {
      const orders = store.sequence(NAME, { step: 10 });
      expect(await orders.nextId()).toBe(1);
      expect(await connect().sequence(NAME, { step: 5 }).nextIds(5)).toEqual(numbers(11, 5));
      expect(await orders.reserve(1000)).toEqual({ first: 16, last: 1015, count: 1000 });
      expect(await orders.nextIds(9)).toEqual(numbers(2, 9));
      expect(await orders.nextId()).toBe(1016);
    });

    test('goes on from memory where nobody has reserved in between', async () => {
      const orders = store.sequence(NAME, { step: 10 });
      expect(await orders.nextId()).toBe(1);
      expect(await orders.reserve(1000)).toEqual({ first: 2, last: 1001, count: 1000 });
      expect(await orders.nextId()).toBe(1002);
    });

    test('is the first thing a sequence may be asked for', async () => {
      const orders = store.sequence(NAME, { start: 1000 });
      expect(await orders.reserve(1)).toEqual({ first: 1000, last: 1000, count: 1 });
      expect(await orders.reserve(50)).toMatchObject({ count: 50 });
    });

    test('gives no number to two calls, together with all the others', async () => {
      const orders = store.sequence(NAME, { step: 10 });
      const blocks = numbers(1, 40).map((n) => orders.reserve(n));
      const ids = numbers(1, 40).flatMap((n) => [orders.nextId(), orders.nextIds(n)]);
      const given = (await Promise.all(ids)).flat();
      for (const { first, last, count } of await Promise.all(blocks)) {
        expect(last - first + 1).toBe(count);
        given.push(...numbers(first, count));
      }
      expect(given).toHaveLength(820 + 40 + 820);
      expect(new Set(given).size).toBe(given.length);
    });
  });

  describe('tryNextId()', () => {
    test('gives nothing without numbers in memory, but brings them about', async () => {
      const orders = store.sequence(NAME);
      expect(orders.tryNextId()).toBeUndefined();
      await orders.ready();
      expect(orders.tryNextId()).toBe(1);
      expect(orders.stats().refills).toBe(1);
    });

    test('gives what is in memory to the last', async () => {
      const orders = store.sequence(NAME, { step: 10 });
      await orders.ready();
      expect(numbers(1, 11).map(() => orders.tryNextId())).toEqual([...numbers(1, 10), undefined]);
    });

    test('gives nothing while others wait', async () => {
      const orders = store.sequence(NAME);
      const waiting = orders.nextId();
      expect(orders.tryNextId()).toBeUndefined();
      expect(await waiting).toBe(1);
    });
  });

  describe('ready()', () => {
    test('resolves with numbers in memory, and takes none', async () => {
      const orders = store.sequence(NAME, { step: 10 });
      await orders.ready();
      await orders.ready();
      expect(orders.stats()).toMatchObject({ inMemory: 10, handedOut: 0, refills: 1 });
      expect(await orders.nextId()).toBe(1);
    });

    test('rejects if the store does not work', async () => {
      const broken = open(fixture.brokenUrl());
      const orders = broken.sequence(NAME, { timeout: 500 });
      await expect(orders.ready()).rejects.toBeInstanceOf(NextIdError);
      await broken.close();
    });
  });

  describe('stats()', () => {
    test('knows nothing before the first call', () => {
      expect(store.sequence(NAME, { step: 10 }).stats()).toEqual({
        name: NAME, inMemory: 0, handedOut: 0, lost: 0, returned: 0, refills: 0, failures: 0, waits: 0,
        waitTime: 0, timeouts: 0, waiters: 0, step: 10, rate: 0, refillTime: 0, refilling: false,
        lastError: undefined,
      });
    });

    test('counts ids, calls that wait, and refills', async () => {
      const orders = store.sequence(NAME, { step: 100 });
      const waiting = [orders.nextId(), orders.nextIds(10)];
      expect(orders.stats()).toMatchObject({ waiters: 2, waits: 2, refilling: true, handedOut: 0 });
      await Promise.all(waiting);
      await orders.nextId();
      expect(orders.stats()).toMatchObject({ handedOut: 12, waiters: 0, waits: 2, failures: 0 });
    });

    test('counts each number reserved once, as handed out or in memory', async () => {
      const orders = store.sequence(NAME, { step: 100 });
      await orders.ready();
      for (let taken = 0; taken < 100; taken++) {
        expect(orders.stats()).toMatchObject({ handedOut: taken, inMemory: 100 - taken, lost: 0 });
        orders.tryNextId();
      }
    });

    test('tells after close() what became of the rest', async () => {
      const orders = store.sequence(NAME, { step: 100 });
      await orders.nextId();
      await orders.close();
      expect(orders.stats()).toMatchObject({ handedOut: 1, inMemory: 0, returned: 99, lost: 0 });
      expect(await fixture.read(url, NAME)).toBe(2);
    });
  });

  describe('in the language', () => {
    test('for await takes ids until it is left', async () => {
      const orders = store.sequence(NAME);
      const ids = [];
      for await (const id of orders) {
        ids.push(id);
        if (ids.length === 25) break;
      }
      expect(ids).toEqual(numbers(1, 25));
      expect(await orders.nextId()).toBe(26);
    });

    test('for await ends with the error that stops it', async () => {
      const orders = store.sequence(NAME);
      const loop = async () => {
        for await (const id of orders) {
          if (id === 5) await orders.close();
        }
      };
      await expect(loop()).rejects.toMatchObject({ code: 'ERR_NEXTID_CLOSED' });
    });
  });

  describe('the same name', () => {
    test('is the same object, for the same options or none', () => {
      const orders = store.sequence(NAME, { step: 50 });
      expect(store.sequence(NAME, { step: 50 })).toBe(orders);
      expect(store.sequence(NAME)).toBe(orders);
      expect(store.sequence('invoices')).not.toBe(orders);
    });

    test('is refused with other options', () => {
      store.sequence(NAME, { step: 50 });
      const conflict = { code: 'ERR_NEXTID_OPTIONS_CONFLICT', message: expect.stringContaining(NAME) };
      for (const options of [{}, { step: 51 }, { step: 50, start: 2 }, { step: 50, bigint: true }]) {
        expect(() => store.sequence(NAME, options)).toThrow(expect.objectContaining(conflict));
      }
    });

    test('is a new object after close(), with any options', async () => {
      const orders = store.sequence(NAME, { step: 50 });
      expect(await orders.nextId()).toBe(1);
      await orders.close();
      const again = store.sequence(NAME, { step: 10 });
      expect(again).not.toBe(orders);
      expect(await again.nextId()).toBe(2);
    });
  });

  describe('advance()', () => {
    test('moves a counter up, never down, and says where it stands', async () => {
      expect(await store.advance(NAME, 100)).toBe(100);
      expect(await store.advance(NAME, 50)).toBe(100);
      expect(await store.advance(NAME, 200)).toBe(200);
      expect(await fixture.read(url, NAME)).toBe(200);
      expect(await store.sequence(NAME).nextId()).toBe(200);
    });

    test('takes and gives BigInts past 2^53', async () => {
      expect(await store.advance(NAME, 2n ** 60n)).toBe(2n ** 60n);
      expect(await store.advance(NAME, 1)).toBe(2n ** 60n);
      expect(await store.sequence(NAME, { bigint: true }).nextId()).toBe(2n ** 60n);
    });

    test('drops the lower numbers that this process holds', async () => {
      const orders = store.sequence(NAME, { step: 10 });
      await orders.nextId();
      expect(await orders.nextId()).toBe(2); // a window is open
      await store.advance(NAME, 5000);
      expect(await orders.nextId()).toBe(5000);
      expect(orders.stats()).toMatchObject({ handedOut: 3, lost: 8 });
    });

    test('keeps the numbers that this process holds above', async () => {
      const orders = store.sequence(NAME, { step: 100 });
      await orders.nextId();
      await store.advance(NAME, 51);
      expect(await orders.nextId()).toBe(51);
      expect(await fixture.read(url, NAME)).toBe(101);
    });
  });

  describe('list()', () => {
    test('shows no counters where there is no store', async () => {
      expect(await store.list()).toEqual([]);
    });

    test('shows all counters by name, and what is wrong with one', async () => {
      await store.sequence('orders', { step: 10 }).nextId();
      await store.advance('Bills', 7);
      await store.advance('invoices', 2n ** 60n);
      await store.advance('letters', 1);
      const damage = fixture.isSql ? -1 : 'many';
      await fixture.write(url, 'letters', damage);
      expect(await store.list()).toEqual([
        { name: 'Bills', kind: 'plain', next: 7 },
        { name: 'invoices', kind: 'plain', next: 2n ** 60n },
        { name: 'letters', kind: 'plain', next: undefined, problem: expect.stringContaining(`${damage}`) },
        { name: 'orders', kind: 'plain', next: 11 },
      ]);
    });
  });

  test('with bigint: true everything that it gives is a BigInt', async () => {
    const orders = store.sequence(NAME, { bigint: true, start: 5 });
    expect(await orders.nextId()).toBe(5n);
    expect(await orders.nextIds(3)).toEqual([6n, 7n, 8n]);
    expect(await orders.reserve(2)).toEqual({ first: 9n, last: 10n, count: 2 });
    expect(await orders.reserve(1000)).toEqual({ first: 11n, last: 1010n, count: 1000 });
    await orders.ready();
    expect(orders.tryNextId()).toBe(1011n);
  });

  test.each([
    [0, 'RangeError', 'ERR_OUT_OF_RANGE'], [1.5, 'RangeError', 'ERR_OUT_OF_RANGE'],
    ['3', 'TypeError', 'ERR_INVALID_ARG_TYPE'], [undefined, 'TypeError', 'ERR_INVALID_ARG_TYPE'],
  ])('nextIds(%p) and reserve(%p) reject', async (n, name, code) => {
    const orders = store.sequence(NAME);
    await expect(orders.nextIds(n)).rejects.toMatchObject({ name, code });
    await expect(orders.reserve(n)).rejects.toMatchObject({ name, code });
    expect(await orders.nextId()).toBe(1);
  });

  test('open() and sequence() touch no database', () => {
    store.sequence(NAME);
    open(fixture.brokenUrl()).sequence(NAME);
    if (fixture.kind === 'sqlite') expect(fs.existsSync(url.slice('sqlite:'.length))).toBe(false);
  });

  test('names of all kinds are counters of their own', async () => {
    const names = ['orders', 'Orders', 'orders ', "o'rders", '€/日本', '$inc', 'a.b', '%00', 'x'.repeat(255)];
    for (const [i, name] of names.entries()) await store.advance(name, 100 + i);
    for (const [i, name] of names.entries()) expect(await store.sequence(name).nextId()).toBe(100 + i);
  });
});
