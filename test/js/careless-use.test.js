'use strict';

// What services do without meaning to, and what must not cost an id or the process for it.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { open } = require('../..');
const callbackInterface = require('../../lib/callback');
const { closeOutages, refusedConnections } = require('../support/outages');
const { describeMongo, describeStores } = require('../support/stores');
const { until } = require('../support/until');

const root = path.join(__dirname, '..', '..');

describe('sqlite', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-'));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  // SQLite's own locks do not keep two copies of SQLite in one process apart.
  test('two copies of the package in one process never give the same id', async () => {
    const copy = path.join(folder, 'copy');
    const parts = ['lib', 'package.json', 'build/nextid.node', 'prebuilds'];
    for (const part of parts.filter((part) => fs.existsSync(path.join(root, part)))) {
      fs.cpSync(path.join(root, part), path.join(copy, part), { recursive: true });
    }
    const url = `sqlite:${path.join(folder, 'copies.db')}`;
    const stores = [open(url), require(copy).open(url)];
    const given = [];
    const take = async (store) => {
      const orders = store.sequence('orders', { step: 1 });
      for (let i = 0; i < 150; i++) given.push(await orders.nextId());
    };
    await Promise.all(stores.map(take));
    expect(new Set(given).size).toBe(300);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('a call that times out behind 3000 sequences does not say that the store is silent', async () => {
    const store = open(`sqlite:${path.join(folder, 'queue.db')}`, { maxConcurrentRefills: 1 });
    await store.sequence('others').ready();
    const others = Array.from({ length: 3000 }, (_, i) => store.sequence(`others ${i}`).nextId());
    const ended = Promise.allSettled(others);
    await expect(store.sequence('orders', { timeout: 1 }).nextId()).rejects.toMatchObject({
      code: 'ERR_NEXTID_TIMEOUT',
      message: expect.stringMatching(
        /within 1 ms: [123]\d{3} earlier requests to the store .* ahead .*; raise maxConcurrentRefills/),
    });
    await store.close();
    await ended;
  });

  test('a file with a second name is refused', async () => {
    const file = path.join(folder, 'linked.db');
    const store = open(`sqlite:${file}`);
    await store.sequence('orders').nextId();
    fs.linkSync(file, path.join(folder, 'link.db'));
    const linked = open(`sqlite:${path.join(folder, 'link.db')}`);
    await expect(linked.sequence('orders').nextId()).rejects.toMatchObject({
      code: 'ERR_NEXTID_STORE_INVALID',
      message: expect.stringMatching(/2 names \(hard links\).*delete the other names/),
    });
    await Promise.all([store.close(), linked.close()]);
  });
});

describeStores('careless use', (fixture) => {
  test.each([
    ['plain', {}], ['dated', { period: 'day' }], ['cyclic', { cycle: 9 }],
    ['time-stamped', { timestamp: true }],
  ])('methods of a %s sequence that are called without it say how to call them', async (kind, options) => {
    const store = require('../..').open(fixture.freshUrl()); // not of the copy before jest.resetModules()
    const orders = store.sequence('orders', options);
    const { nextId, nextIds, reserve, tryNextId } = orders;
    const error = (method) => expect.objectContaining({
      name: 'TypeError', code: 'ERR_INVALID_THIS',
      message: expect.stringContaining(`call it on its sequence: seq.${method}()`),
    });
    await expect(nextId()).rejects.toEqual(error('nextId'));
    await expect(nextIds(3)).rejects.toEqual(error('nextIds'));
    await expect(reserve(3)).rejects.toEqual(error('reserve'));
    expect(tryNextId).toThrow(error('tryNextId'));
    await expect(new Proxy(orders, {}).nextId()).rejects.toEqual(error('nextId'));
    expect(await orders.nextIds(2)).toHaveLength(2);
    await store.close();
  });

  // As jest.resetModules() does: the JavaScript comes twice, the native module, which Node.js keeps, once.
  test('the package may be loaded anew while a sequence is open', async () => {
    const store = open(fixture.freshUrl());
    const orders = store.sequence('orders', { step: 10 });
    await orders.nextId();
    expect(orders.tryNextId()).toBe(2);
    jest.resetModules();
    const another = require('../..').open(fixture.freshUrl());
    await another.sequence('orders').nextId();
    await Promise.all([store.close(), another.close()]);
    expect(orders.stats()).toMatchObject({ returned: 8, lost: 0 });
  });

  test('the package may be loaded anew before a kind is used for the first time', async () => {
    const store = open(fixture.freshUrl());
    jest.resetModules();
    const tickets = store.sequence('tickets', { period: 'year' });
    expect(store.sequence('tickets')).toBe(tickets);
    expect(tickets.parse(await tickets.nextId()).count).toBe(1);
    await tickets.close();
    expect(tickets.parse(await store.sequence('tickets', { period: 'year' }).nextId()).count).toBe(2);
    const trace = store.sequence('trace', { timestamp: true });
    expect(await trace.nextId() < await trace.nextId()).toBe(true);
    await store.close();
  });

  test("what is written to a sequence's name changes nothing", async () => {
    const store = open(fixture.freshUrl());
    const orders = store.sequence('orders');
    orders.name = 'others';
    await orders.close();
    expect(await store.sequence('orders').nextId()).toBe(1);
    await store.close();
  });

  test('a store may be closed while its sequences are closing', async () => {
    const store = open(fixture.freshUrl());
    const sequences = ['a', 'b', 'c', 'd'].map((name) => store.sequence(name));
    await Promise.all(sequences.map((sequence) => sequence.nextId()));
    const refused = expect(store.sequence('e').nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_CLOSED' });
    for (const sequence of [...sequences, store.sequence('e')]) sequence.close();
    await store.close();
    await refused;
  });

  test('the callback interface may be closed while init_id is under way', async () => {
    const { init_id, close } = callbackInterface(fixture.freshUrl());
    const ended = ['a', 'b', 'c'].map((name) => new Promise((resolve) => {
      init_id(name, resolve);
    }));
    await close();
    for (const error of await Promise.all(ended)) expect(error).toBeNull();
  });

  test('the signal of a call that was refused at once cancels nobody else', async () => {
    const store = open(fixture.freshUrl());
    const orders = store.sequence('orders', { maxWaiters: 1 });
    const first = orders.nextId();
    const abort = new AbortController();
    const second = orders.nextId({ signal: abort.signal });
    abort.abort();
    await expect(second).rejects.toMatchObject({ code: 'ERR_NEXTID_TOO_MANY_WAITERS' });
    await expect(first).resolves.toBe(1);
    await store.close();
  });

  test('advance() is not undone by a sequence that is closing', async () => {
    const store = open(fixture.freshUrl());
    const orders = store.sequence('orders', { step: 100 });
    await orders.nextId();
    orders.close();
    expect(await store.advance('orders', 101)).toBe(101);
    expect(await store.sequence('orders').nextId()).toBe(101);
    await store.close();
  });

  // One piece of work at a time: the refill under way, then advance(), and only then what is given back.
  describe('advance() is not undone by what a refill under way brings after close()', () => {
    let store;
    const startRefill = () => {
      const orders = store.sequence('orders', { step: 100 });
      orders.nextId().catch(() => {}); // refused by close()
      expect(orders.stats().refilling).toBe(true);
      return orders;
    };

    beforeEach(() => {
      store = open(fixture.freshUrl(), { maxConcurrentRefills: 1 });
    });

    afterEach(() => store.close());

    test('of one sequence', async () => {
      startRefill().close();
      expect(await store.advance('orders', 50)).toBe(50);
      expect(await store.sequence('orders').nextId()).toBe(50);
    });

    test('of the first of two with that name', async () => {
      startRefill().close();
      store.sequence('orders').close();
      expect(await store.advance('orders', 50)).toBe(50);
      expect(await store.sequence('orders').nextId()).toBe(50);
    });

    test('of one that is closed during advance(), and opened and closed once more', async () => {
      const orders = startRefill();
      const advanced = store.advance('orders', 50);
      await null; // advance() has asked the store
      orders.close();
      store.sequence('orders').close();
      expect(await advanced).toBe(101); // what it brought is lost
      expect(await store.sequence('orders').nextId()).toBe(101);
    });
  });

  test('advance() is not undone by a sequence that is closed meanwhile', async () => {
    const store = open(fixture.freshUrl());
    for (let i = 0; i < 10; i++) {
      const name = `orders ${i}`;
      const orders = store.sequence(name, { step: 100 });
      await orders.nextId();
      const advanced = store.advance(name, 50); // no change to a counter that stands at 101 now
      setImmediate(() => orders.close());
      await advanced;
      await orders.close();
      expect(await store.sequence(name).nextId()).toBeGreaterThanOrEqual(50);
    }
    await store.close();
  });

  test('an Error.prepareStackTrace that throws leaves no call waiting', async () => {
    const store = open(fixture.freshUrl());
    const orders = store.sequence('orders', { maxWaiters: 1 });
    const first = orders.nextId();
    const before = Error.prepareStackTrace;
    Error.prepareStackTrace = () => {
      throw new Error('a hook of the service');
    };
    const second = orders.nextId().catch((error) => error.code);
    Error.prepareStackTrace = before;
    expect(await second).toBe('ERR_NEXTID_TOO_MANY_WAITERS');
    expect(await first).toBe(1);
    await store.close();
  });
});

describeMongo('advance() that waits for one close', (fixture) => {
  afterEach(closeOutages);

  test('is not undone by another that begins meanwhile', async () => {
    const outage = await refusedConnections(fixture);
    const store = open(outage.url);
    await store.advance('orders', 1);
    const letGo = [];
    outage.proxy.onReply = (command) => {
      if (command !== 'findAndModify' || letGo.length === 2) return undefined;
      return new Promise((resolve) => letGo.push(resolve));
    };
    const closeInRefill = async (step) => {
      const orders = store.sequence('orders', { step });
      orders.nextId().catch(() => {}); // refused by close()
      const held = letGo.length;
      await until(() => letGo.length > held);
      orders.close();
    };
    await closeInRefill(100);
    const advanced = store.advance('orders', 105);
    await closeInRefill(10); // and the counter stands at 111
    letGo[0]();
    await new Promise((resolve) => setTimeout(resolve, 100)); // for advance() to go on, if it does
    letGo[1]();
    expect(await advanced).toBe(111);
    expect(await store.sequence('orders').nextId()).toBe(111);
    await store.close();
  });
});
