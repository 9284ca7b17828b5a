'use strict';

const { open } = require('../..');
const { closeOutages, heldStore, hungServer, lockedFile, refusedConnections } = require('../support/outages');
const { runProgram } = require('../support/run-program');
const { describeMongo, describeStores } = require('../support/stores');
const { until } = require('../support/until');

const CLOSED = { name: 'NextIdError', code: 'ERR_NEXTID_CLOSED' };

afterEach(closeOutages);

function expectClosed(calls) {
  return Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(CLOSED)));
}

describeStores('close()', (fixture) => {
  let url;
  let ids;
  let orders;
  beforeEach(() => {
    url = fixture.freshUrl();
    ids = open(url);
    orders = ids.sequence('orders', { step: 100 });
  });
  afterEach(() => ids.close());

  const counter = (name = 'orders') => fixture.read(url, name);

  test.each([['the sequence', () => orders], ['the store', () => ids]])(
    'of %s with nobody after us: the counter stands at the next id',
    async (_, closed) => {
      expect(await orders.nextIds(7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await counter()).toBe(101);
      await closed().close();
      expect(await counter()).toBe(8);
      expect(orders.stats()).toMatchObject({ handedOut: 7, returned: 93, inMemory: 0, lost: 0 });
    },
  );

  test('gives back what was fetched ahead of need too', async () => {
    await orders.ready();
    let last = 0;
    while (orders.stats().refills < 2) {
      last = orders.tryNextId();
      await until(() => !orders.stats().refilling);
    }
    expect(await counter()).toBe(201);
    await orders.close();
    expect(await counter()).toBe(last + 1);
  });

  test('without an id taken: there is no counter, or it stands where it stood', async () => {
    await orders.close();
    expect(await ids.list()).toEqual([]);

    const again = ids.sequence('orders', { step: 100 });
    await again.ready();
    await again.close();
    expect(await counter()).toBe(1);
  });

  test('with somebody after us: the numbers wait for the next instance', async () => {
    await orders.nextId();
    const others = open(url);
    expect(await others.sequence('orders', { step: 10 }).nextId()).toBe(101);
    await orders.close();
    expect(await counter()).toBe(111);
    expect(orders.stats()).toMatchObject({ handedOut: 1, lost: 0, returned: 99 });
    await others.close();
    expect(await counter()).toBe(102);
    const next = open(url);
    expect(await next.sequence('orders').nextIds(101)).toEqual([
      ...Array.from({ length: 99 }, (_, i) => 2 + i), 102, 103,
    ]);
    await next.close();
  });

  test('somebody between two of our ranges: those before them go back too', async () => {
    await orders.nextId();
    const others = open(url);
    const theirs = await others.sequence('orders', { step: 1 }).reserve(10);
    expect(theirs).toEqual({ first: 101, last: 110, count: 10 });
    while (orders.stats().refills < 2) {
      orders.tryNextId();
      await until(() => !orders.stats().refilling);
    }
    expect(await counter()).toBe(211);
    await orders.close();
    expect(await counter()).toBe(111);
    expect(orders.stats()).toMatchObject({ lost: 0, inMemory: 0 });
    expect(orders.stats().returned).toBe(200 - orders.stats().handedOut);
    await others.close();
  });

  test('what was given back is given to the next one, once', async () => {
    const first = await orders.nextIds(3);
    await orders.close();
    expect(ids.sequence('orders')).not.toBe(orders);
    const again = await ids.sequence('orders').nextIds(3);
    expect([...first, ...again]).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('calls after it are refused', async () => {
    await orders.nextId();
    const closing = orders.close();
    const refused = () => Promise.all([
      expectClosed([orders.nextId(), orders.nextIds(2), orders.reserve(2), orders.ready()]),
      expect(() => orders.tryNextId()).toThrow(expect.objectContaining(CLOSED)),
    ]);
    await refused();
    await closing;
    await refused();
    expect(orders.stats()).toMatchObject({ name: 'orders', handedOut: 1 });
  });

  test('of the store: calls after it are refused, on its sequences too', async () => {
    await orders.nextId();
    await ids.close();
    await expectClosed([orders.nextId(), ids.list(), ids.advance('orders', 5)]);
    expect(() => ids.sequence('orders')).toThrow(expect.objectContaining(CLOSED));
    expect(() => ids.sequence('others')).toThrow(expect.objectContaining(CLOSED));
  });

  test('again is fine', async () => {
    await orders.nextId();
    await Promise.all([orders.close(), orders.close(), ids.close(), ids.close()]);
    await orders.close();
    await ids.close();
    expect(await counter()).toBe(2);
    expect(orders.stats().returned).toBe(99);
  });

  test.each([
    ['the sequence', (store, sequence) => sequence.close()],
    ['the store', (store) => store.close()],
  ])('again from within it, by a clearTimeout of the service that closes %s', async (_, close) => {
    let inClearTimeout = () => {};
    for (const timers of [globalThis, require('node:timers')]) {
      const { clearTimeout } = timers;
      jest.spyOn(timers, 'clearTimeout').mockImplementation((timer) => {
        inClearTimeout();
        clearTimeout(timer);
      });
    }
    jest.resetModules(); // the package takes its timers when it is loaded
    const store = require('../..').open(url);
    const [invoices] = ['invoices', 'others'].map((name) => store.sequence(name, { step: 100 }));
    expect(await invoices.nextIds(7)).toHaveLength(7);
    const again = [];
    inClearTimeout = () => {
      if (again.length < 10) again.push(close(store, invoices));
    };
    await store.close();
    expect(again.length).toBeGreaterThan(0);
    await Promise.all([...again, invoices.close()]);
    jest.restoreAllMocks();
    expect(invoices.stats()).toMatchObject({ returned: 93, inMemory: 0 });
    expect(await counter('invoices')).toBe(8);
  });

  test('of a store that was never used is fine', async () => {
    await open(fixture.freshUrl()).close();
    ids.sequence('never used');
    await ids.close();
  });

  test('refuses waiters at once, and gives back the range that comes after all', async () => {
    const calls = [orders.nextId(), orders.nextIds(5), orders.reserve(5), orders.ready()];
    const refused = expectClosed(calls);
    expect(orders.stats()).toMatchObject({ waiters: 4, refilling: true });
    await orders.close();
    await refused;
    expect(await counter()).toBe(1);
    expect(orders.stats()).toMatchObject({ waiters: 0, handedOut: 0, inMemory: 0, lost: 0 });
  });

  test('while a refill ahead of need is under way gives all of both ranges back', async () => {
    await orders.ready();
    let last = 0;
    while (!orders.stats().refilling) last = orders.tryNextId();
    await orders.close();
    expect(await counter()).toBe(last + 1);
  });

  test('of a store with many sequences gives the numbers of each back', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `sequence ${i}`);
    const options = { timeout: 200_000 }; // the last one waits for all others
    await Promise.all(names.map((name, i) => ids.sequence(name, options).nextIds(i + 1)));
    await ids.close();
    const others = open(url);
    const counters = await others.list();
    expect(counters).toHaveLength(100);
    for (const { name, next } of counters) expect([name, next]).toEqual([name, names.indexOf(name) + 2]);
    await others.close();
  });

  test('of a sequence that gave nothing leaves nothing of its name in memory', async () => {
    const program = async (url) => {
      const store = require('nextid').open(url);
      const openAndClose = async (rounds) => {
        for (let i = 0; i < rounds; i++) await store.sequence(`${'a name '.repeat(30)}${i}`).close();
        global.gc();
        return process.memoryUsage().heapUsed;
      };
      const before = await openAndClose(1000);
      console.log(await openAndClose(20_000) - before);
    };
    const { stdout, stderr } = await runProgram(program, [url], { execArgv: ['--expose-gc'] });
    expect(stderr).toBe('');
    expect(Number(stdout)).toBeLessThan(2 ** 20); // the names are 4 MB
  });

  test('of a store whose sequences all have waiters ends', async () => {
    const sequences = Array.from({ length: 100 }, (_, i) => ids.sequence(`sequence ${i}`));
    const refused = expectClosed(sequences.map((sequence) => sequence.nextId()));
    await ids.close();
    await refused;
    const others = open(url);
    for (const { next } of await others.list()) expect(next).toBe(1);
    await others.close();
  });
});

describeStores('close() of a store that is down', (fixture) => {
  test('ends, and gives nothing back', async () => {
    const makeOutage = fixture.kind === 'sqlite' ? lockedFile : refusedConnections;
    const outage = await makeOutage(fixture);
    const ids = open(outage.url);
    const [orders, invoices] = ['orders', 'invoices'].map((name) => ids.sequence(name, { step: 10 }));
    await Promise.all([orders.nextId(), invoices.nextId()]);
    await outage.begin();
    const refused = expectClosed([orders.nextIds(20), invoices.nextIds(20)]);
    await ids.close();
    await refused;
    await outage.end();
    expect(await fixture.read(outage.url, 'orders')).toBe(11);
    expect(orders.stats()).toMatchObject({ handedOut: 1, returned: 0, lost: 9, inMemory: 0 });
  });

  test('does not wait for it once for each sequence', async () => {
    const outage = await (fixture.kind === 'sqlite' ? lockedFile(fixture) : hungServer(fixture));
    const ids = open(outage.url);
    const options = { step: 10, timeout: 200_000 };
    const sequences = Array.from({ length: 50 }, (_, i) => ids.sequence(`sequence ${i}`, options));
    await Promise.all(sequences.map((sequence) => sequence.nextId()));
    await outage.begin();
    outage.proxy?.resetCounts();
    await ids.close(); // a locked file is waited for 5 s: 50 times that, two at a time, is beyond this limit
    if (outage.proxy) {
      // Two were under way; the others never connected.
      expect(outage.proxy.count('isMaster') + outage.proxy.count('hello')).toBeLessThanOrEqual(2);
    }
    await outage.end();
    expect(sequences.map((sequence) => sequence.stats().lost)).toEqual(Array(50).fill(9));
  }, 100_000);

  test('that comes back meanwhile gives back after all', async () => {
    const outage = await heldStore(fixture);
    const ids = open(outage.url);
    await ids.sequence('orders').nextId();
    await outage.begin();
    const closing = ids.close();
    await outage.end();
    await closing;
    expect(await fixture.read(outage.url, 'orders')).toBe(2);
  });
});

describeMongo('close() whose reply is lost', (fixture) => {
  // Done twice it could undo what somebody else reserved meanwhile.
  test.each(['drop-connection', 'cut-within', 'swallow'])('is not sent again (%s)', async (fault) => {
    const outage = await refusedConnections(fixture);
    const ids = open(`${outage.url}&socketTimeoutMS=2000`);
    const orders = ids.sequence('orders', { step: 100 });
    expect(await orders.nextIds(7)).toHaveLength(7);

    outage.proxy.resetCounts();
    outage.proxy.onReply = (command) => (command === 'update' ? fault : undefined);
    await ids.close();
    expect(outage.proxy.count('update')).toBe(1);
    expect(outage.proxy.count('findAndModify')).toBe(0);
    // The server has done it. We cannot know, and count the numbers as lost.
    expect(await fixture.read(outage.url, 'orders')).toBe(8);
    expect(orders.stats()).toMatchObject({ handedOut: 7, returned: 0, lost: 93 });
  });

  test('nor is it sent again where it never arrived', async () => {
    const outage = await refusedConnections(fixture);
    const ids = open(outage.url);
    await ids.sequence('orders', { step: 100 }).nextId();
    outage.proxy.resetCounts();
    outage.proxy.onRequest = (command) => (command === 'update' ? 'drop-connection' : undefined);
    await ids.close();
    expect(outage.proxy.count('update')).toBe(1);
    expect(await fixture.read(outage.url, 'orders')).toBe(101);
  });
});
