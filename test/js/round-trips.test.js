'use strict';

const { open } = require('../..');
const { addon } = require('../../lib/addon');
const { startMongoProxy } = require('../support/mongo-proxy');
const { describeMongo, describeStores } = require('../support/stores');

const NAME = 'orders';

// Calls nextId() `n` times at once. Returns the ids in the order of the calls, and the calls in the order in
// which they were served.
async function callAtOnce(sequence, n) {
  const served = [];
  const calls = Array.from({ length: n }, async (_, call) => {
    const id = await sequence.nextId();
    served.push(call);
    return id;
  });
  return { ids: await Promise.all(calls), served };
}

function numbers(first, n) {
  return Array.from({ length: n }, (_, i) => first + i);
}

describeStores('5000 calls at once at step 10', (fixture) => {
  let store;
  let sequence;

  beforeEach(() => {
    store = open(fixture.freshUrl());
    sequence = store.sequence(NAME, { step: 10 });
  });

  afterEach(() => store.close());

  test('need two refills', async () => {
    await callAtOnce(sequence, 5000);
    expect(sequence.stats()).toMatchObject({ refills: 2, failures: 0, waits: 5000 });
  });

  test('are served first come, first served', async () => {
    const { ids, served } = await callAtOnce(sequence, 5000);
    expect(ids).toEqual(numbers(1, 5000));
    expect(served).toEqual(numbers(0, 5000));
  });

  test('are served in their order when some want many numbers and some one', async () => {
    const wanted = Array.from({ length: 500 }, (_, i) => 1 + (i % 7));
    const ids = (await Promise.all(wanted.map((n) => sequence.nextIds(n)))).flat();
    expect(ids).toEqual(numbers(1, ids.length));
    expect(sequence.stats().refills).toBe(2);
  });
});

describeMongo('5000 calls at once at step 10', (fixture) => {
  test('are two findAndModify, as the server sees it', async () => {
    const url = fixture.freshUrl();
    const proxy = await startMongoProxy(await fixture.address());
    const store = open(proxy.through(url));
    await store.advance(NAME, 1000);
    proxy.resetCounts();

    const { ids } = await callAtOnce(store.sequence(NAME, { step: 10 }), 5000);
    expect(ids).toEqual(numbers(1000, 5000));
    expect(proxy.count('findAndModify')).toBe(2);
    expect(await fixture.read(url, NAME)).toBe(6000);

    await store.close();
    await proxy.close();
  });
});

describeStores('with numbers in memory', (fixture) => {
  const STEP = 1000;
  const spies = {};
  let store;
  let sequence;
  let given;
  let calls; // of native methods that hand out numbers: how many ids had been given before

  // How many ids had been given when a native method was called.
  function watch(method) {
    const { prototype } = addon.Sequence;
    const original = prototype[method];
    spies[method] = jest.spyOn(prototype, method).mockImplementation(function (...args) {
      calls.push([method, given]);
      return original.apply(this, args);
    });
  }

  beforeEach(async () => {
    store = open(fixture.freshUrl());
    sequence = store.sequence(NAME, { step: STEP });
    await sequence.ready();
    given = 0;
    calls = [];
    for (const method of ['take', 'takeOrWait', 'wait', 'waitForBlock', 'touch', 'tick']) watch(method);
  });

  afterEach(() => {
    jest.restoreAllMocks();
    return store.close();
  });

  test.each([
    ['nextId', 'takeOrWait'],
    ['tryNextId', 'take'],
  ])('%s() calls the addon at the watermark only', (way, method) => {
    // All in one turn of the event loop, so that no refill arrives in between.
    for (; given < STEP; given++) {
      expect(sequence.stats().refilling).toBe(calls.length > 1);
      sequence[way]();
    }
    const [, [, watermark]] = calls;
    expect(calls).toEqual([[method, 0], [method, watermark]]);
    expect(watermark).toBeGreaterThan(STEP / 2);
    expect(watermark).toBeLessThan(STEP);
  });

  test('nextIds() and reserve() do not call the addon for what is in the window', async () => {
    await sequence.nextId();
    calls = [];
    expect(await sequence.nextIds(100)).toEqual(numbers(2, 100));
    expect(await sequence.reserve(100)).toEqual({ first: 102, last: 201, count: 100 });
    expect(await sequence.nextId()).toBe(202);
    expect(calls).toEqual([]);
  });

  test('nextId() makes at most three calls for each range, however many ids there are', async () => {
    for (; given < 100 * STEP; given++) await sequence.nextId();
    const { refills, waits } = sequence.stats();
    expect(calls.length).toBeLessThanOrEqual(2 * refills + waits);
    expect(new Set(calls.map(([method]) => method))).toEqual(new Set(['takeOrWait']));
  });
});
