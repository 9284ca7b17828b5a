'use strict';

const { getEventListeners, setMaxListeners } = require('node:events');
const { open } = require('../..');
const { closeOutages, heldStore } = require('../support/outages');
const { describeStores } = require('../support/stores');
const { until } = require('../support/until');

afterEach(closeOutages);

describeStores('an AbortSignal', (fixture) => {
  let outage;
  let ids;
  let orders;
  let controller;
  let signal;

  beforeEach(async () => {
    outage = await heldStore(fixture);
    ids = open(outage.url);
    orders = ids.sequence('orders', { step: 1 });
    controller = new AbortController();
    ({ signal } = controller);
  });

  afterEach(async () => {
    await outage.end();
    await ids.close();
  });

  const listeners = () => getEventListeners(signal, 'abort').length;

  const calls = {
    'nextId()': (options) => orders.nextId(options),
    'nextIds()': (options) => orders.nextIds(3, options),
    'reserve()': (options) => orders.reserve(3, options),
    'ready()': (options) => orders.ready(options),
  };

  describe.each(Object.entries(calls))('of %s', (_, call) => {
    test('takes the waiter out of its queue, and it rejects with the reason', async () => {
      await outage.begin();
      const reason = new Error('the client went away');
      const waiter = call({ signal });
      expect(listeners()).toBe(1);
      const other = orders.nextId();
      expect(orders.stats().waiters).toBe(2);

      controller.abort(reason);
      await expect(waiter).rejects.toBe(reason);
      expect(orders.stats().waiters).toBe(1);
      expect(listeners()).toBe(0);
      await outage.end();
      expect(await other).toBeGreaterThan(0);
    });

    test('that is aborted before the call refuses it', async () => {
      controller.abort();
      await expect(call({ signal })).rejects.toMatchObject({ name: 'AbortError' });
      expect(orders.stats()).toMatchObject({ waiters: 0, refilling: false });

      // Also with numbers in memory, and none is lost
      await ids.sequence('many', { step: 100 }).ready();
      orders = ids.sequence('many');
      await expect(call({ signal })).rejects.toMatchObject({ name: 'AbortError' });
      expect(await orders.nextId()).toBe(1);
    });

    test('that is aborted after the call was served changes nothing', async () => {
      await call({ signal });
      expect(listeners()).toBe(0);
      const { handedOut } = orders.stats();
      controller.abort();
      expect(orders.stats()).toMatchObject({ handedOut, lost: 0 });
      expect(await orders.nextId()).toBeGreaterThan(handedOut);
    });

    test('has no listener left after the call was refused', async () => {
      await outage.begin();
      const timed = ids.sequence('timed', { timeout: 1, maxWaiters: 1 });
      const closing = orders;
      const waits = call({ signal });
      orders = timed;
      const timesOut = call({ signal });
      const oneTooMany = call({ signal });
      await expect(oneTooMany).rejects.toMatchObject({ code: 'ERR_NEXTID_TOO_MANY_WAITERS' });
      await expect(timesOut).rejects.toMatchObject({ code: 'ERR_NEXTID_TIMEOUT' });
      expect(listeners()).toBe(1);

      const closed = closing.close();
      await expect(waits).rejects.toMatchObject({ code: 'ERR_NEXTID_CLOSED' });
      expect(listeners()).toBe(0);
      await outage.end();
      await closed;
    });
  });

  test('loses no number to others, who stay in their order', async () => {
    await outage.begin();
    const waiting = Array.from({ length: 6 }, (_, i) => orders.nextId(i % 2 === 1 ? { signal } : undefined));
    const outcomes = Promise.allSettled(waiting);
    controller.abort();
    await outage.end();
    expect((await outcomes).map(({ status, value }) => value ?? status))
      .toEqual([1, 'rejected', 2, 'rejected', 3, 'rejected']);
    expect(await orders.nextId()).toBe(4);
    expect(orders.stats().lost).toBe(0);
  });

  test('whose waiter was reserved for already: the numbers are for others', async () => {
    await outage.begin();
    const many = expect(orders.nextIds(5, { signal })).rejects.toMatchObject({ name: 'AbortError' });
    const others = [orders.nextId(), orders.nextId()];
    controller.abort();
    await many;
    await outage.end();
    expect(await Promise.all(others)).toEqual([1, 2]);
    expect(await orders.nextIds(3)).toEqual([3, 4, 5]);
    expect(orders.stats()).toMatchObject({ lost: 0, timeouts: 0 });
  });

  test('takes everybody out: the next one who waits is served', async () => {
    setMaxListeners(1000, signal);
    await outage.begin();
    const waiting = Array.from({ length: 1000 }, () => orders.nextId({ signal }));
    const outcomes = Promise.allSettled(waiting);
    expect(listeners()).toBe(1000);
    controller.abort();
    expect((await outcomes).every(({ status }) => status === 'rejected')).toBe(true);
    expect(orders.stats()).toMatchObject({ waiters: 0, timeouts: 0 });
    expect(listeners()).toBe(0);
    await outage.end();
    expect(await orders.nextId()).toBe(1);
  });

  test('of AbortSignal.timeout() works too', async () => {
    await outage.begin();
    const waiter = orders.nextId({ signal: AbortSignal.timeout(10) });
    await expect(waiter).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(orders.stats()).toMatchObject({ waiters: 0, timeouts: 0 });
  });
});

describeStores('maxWaiters', (fixture) => {
  const TOO_MANY = { name: 'NextIdError', code: 'ERR_NEXTID_TOO_MANY_WAITERS' };

  test('one more is refused at once; the others are served, and then there is room again', async () => {
    const outage = await heldStore(fixture);
    const ids = open(outage.url);
    const orders = ids.sequence('orders', { step: 1, maxWaiters: 3 });
    await outage.begin();
    const controller = new AbortController();
    const waiting = [orders.nextId(), orders.reserve(2), orders.nextIds(2, { signal: controller.signal })];
    const calls = [orders.nextId(), orders.nextIds(1), orders.reserve(1), orders.ready()];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome.reason).toMatchObject(TOO_MANY);
      expect(outcome.reason.message)
        .toMatch(/^too many calls wait for .*'orders': expected at most 3 \(maxWaiters\); try again/);
    }
    expect(orders.stats().waiters).toBe(3);

    controller.abort();
    await expect(waiting.pop()).rejects.toMatchObject({ name: 'AbortError' });
    waiting.push(orders.nextId());
    await expect(orders.nextId()).rejects.toMatchObject(TOO_MANY);

    await outage.end();
    const [first, { first: blockFirst, last: blockLast }, second] = await Promise.all(waiting);
    expect(new Set([first, blockFirst, blockLast, second]).size).toBe(4);
    expect(second).toBeGreaterThan(first);
    await until(() => orders.stats().waiters === 0);
    expect(await Promise.all([orders.nextId(), orders.nextId(), orders.nextId()])).toHaveLength(3);
    await ids.close();
  });
});
