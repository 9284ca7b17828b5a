'use strict';

// The option `series`: ids of one remainder, so that databases without a common point never give the same id.

const fc = require('fast-check');

const { open } = require('../..');
const { idOf, numberFrom, numberUpTo } = require('../../lib/formats/series');
const { runTogether } = require('../support/processes');
const { runNextid } = require('../support/run-nextid');
const { describeNativeStores } = require('../support/stores');

const CONFLICT = 'ERR_NEXTID_OPTIONS_CONFLICT';

const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);
const anySeries = fc.integer({ min: 2, max: 1000 })
  .chain((of) => fc.record({ of: fc.constant(of), index: fc.nat(of - 1) }));

test('numbers are the ids of a series in order, up to the largest', () => {
  fc.assert(fc.property(anySeries, fc.bigInt(0n, LARGEST), (series, id) => {
    const [next, last] = [numberFrom(series, id), numberUpTo(series, id)];
    const [of, index] = [series.of, series.index].map(BigInt);
    const isLast = idOf(series, last) === id;
    expect(isLast).toBe(id % of === index);
    expect(next).toBe(isLast ? last : last + 1n);
    expect(idOf(series, next)).toBeGreaterThanOrEqual(id);
    expect(idOf(series, next - 1n)).toBeLessThan(id);
    expect(idOf(series, last + 1n)).toBeGreaterThan(id);
    expect(idOf(series, last)).toBeLessThanOrEqual(id);
    if (last > 0n) expect(idOf(series, Number(last))).toBe(Number(idOf(series, last)));
  }), { seed: 20140625, numRuns: 500 });
});

describeNativeStores('two stores with the series 0 and 1 of 2', (fixture) => {
  test('give no id twice, with three processes on each', async () => {
    const ofStore = (index) => {
      const options = { series: { of: 2, index }, step: { max: 50 } };
      const job = { script: 'id-worker.js', url: fixture.freshUrl(), name: 'orders', options, index };
      return new Array(3).fill({ ...job, count: 2000, together: 25, end: 'close' });
    };
    const jobs = [...ofStore(0), ...ofStore(1)];
    const reports = await runTogether(jobs);
    const inClass = reports.map(({ ids }, i) => ids.every((id) => id % 2 === jobs[i].index));
    expect(inClass).toEqual(new Array(6).fill(true));
    expect(new Set(reports.flatMap(({ ids }) => ids)).size).toBe(12_000);
  });
});

describeNativeStores('a series', (fixture) => {
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
  });

  afterEach(() => store.close());

  test('of plain ids, from memory and in blocks', async () => {
    const orders = store.sequence('orders', { series: { of: 3, index: 1 } });
    expect(await orders.nextIds(3)).toEqual([1, 4, 7]);
    expect([await orders.nextId(), orders.tryNextId()]).toEqual([10, 13]);
    const { first, last, count } = await orders.reserve(100);
    expect([first % 3, last - first, count]).toEqual([1, 297, 100]);
    expect(await store.sequence('whole', { series: { of: 3, index: 0 } }).nextIds(2)).toEqual([3, 6]);
  });

  test('has no ids below 0 if the counter stands at 0, and encrypts none of them', async () => {
    for (const name of ['ids', 'block', 'encrypted']) await store.advance(name, 0);
    const series = { of: 2, index: 1 };
    const ids = store.sequence('ids', { series, step: 1 });
    expect([await ids.nextId(), await ids.nextId(), await ids.nextId()]).toEqual([1, 3, 5]);
    const block = store.sequence('block', { series, step: 4 });
    expect(await block.reserve(4)).toEqual({ first: 1, last: 7, count: 4 });
    const encrypt = { key: '00'.repeat(16), digits: 6 };
    const encrypted = store.sequence('encrypted', { series, encrypt });
    expect(encrypted.parse(await encrypted.nextId())).toEqual({ count: 1 });
  });

  test.each([[0, 0, 0], [0, 1, 1], [1, 0, 3], [5, 1, 7], [7, 1, 7], [100, 2, 101]])(
    'with start: %d and index %d of 3 begins at %d', async (start, index, first) => {
      const orders = store.sequence('orders', { start, series: { of: 3, index } });
      expect(await orders.nextId()).toBe(first);
    });

  test('ends at the largest id of the series', async () => {
    const series = { of: 10, index: 7 };
    const last = Number.MAX_SAFE_INTEGER - 4; // …987
    const orders = store.sequence('orders', { series, start: last });
    expect(await orders.nextId()).toBe(last);
    await expect(orders.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_ID_OVERFLOW' });
    expect(() => store.sequence('more', { series, start: last + 1 })).toThrow(RangeError);
    const big = store.sequence('big', { series, bigint: true, start: last + 1 });
    expect(await big.nextId()).toBe(BigInt(last) + 10n);
    const huge = store.sequence('huge', { series, bigint: true, start: 2n ** 63n - 11n });
    expect(await huge.nextId()).toBe(2n ** 63n - 11n); // …797
    await expect(huge.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_ID_OVERFLOW' });
  });

  test('of dated and cyclic ids, with a format', async () => {
    const series = { of: 4, index: 2 };
    const tickets = store.sequence('tickets', { period: 'year', format: '{YY}-{count:3}', series });
    expect((await tickets.nextIds(3)).map((id) => id.slice(2))).toEqual(['-002', '-006', '-010']);
    expect(tickets.parse('26-006')).toMatchObject({ count: 6 });
    const serial = store.sequence('serial', { cycle: 9, format: 'T{count}', series });
    expect(await serial.nextIds(4)).toEqual(['T2', 'T6', 'T2', 'T6']);
    await expect(serial.reserve(3)).rejects.toThrow(/at most 2/);
    expect(() => store.sequence('none', { cycle: 1, series })).toThrow(/at least 2/);
  });

  test('advance() takes and returns ids of it, list() shows numbers', async () => {
    const series = { of: 3, index: 1 };
    expect(await store.advance('orders', 300, { series })).toBe(301);
    const orders = store.sequence('orders', { series });
    expect(await orders.nextId()).toBe(301);
    expect(await store.advance('orders', 401)).toBe(403); // the open sequence has the series
    expect(await orders.nextId()).toBe(403);
    const error = { code: CONFLICT, message: expect.stringContaining('{ of: 3, index: 1 }') };
    await expect(store.advance('orders', 500, { series: { of: 3, index: 2 } })).rejects.toMatchObject(error);
    await orders.close();
    expect(await store.list()).toEqual([{ name: 'orders', kind: 'plain', next: 136 }]);
    expect(await store.advance('orders', 200)).toBe(200); // a number: the id 598
    expect(await store.sequence('orders', { series }).nextId()).toBe(598);
    expect(await store.advance('tickets', 10, { period: 'year', series })).toBe(10);
    expect(await store.advance('serial', 5, { cycle: 9, series })).toBe(7);
    await expect(store.advance('serial', 8, { cycle: 9, series })).rejects.toThrow(RangeError);
    const numbers = store.sequence('numbers');
    await expect(store.advance('numbers', 5, { series })).rejects.toMatchObject({ code: CONFLICT });
    await numbers.close();
    await expect(store.advance('trace', 5, { timestamp: true, series })).rejects.toThrow(/'series' requires/);
  });

  test('on the command line', async () => {
    const run = (...args) => runNextid([...args, '--series', '1/3', '--store', url]);
    expect(await run('next', 'orders', '--count', '2')).toEqual({
      code: 0, stdout: '1\n4\n', stderr: expect.stringContaining('created'),
    });
    expect(await run('advance', 'orders', '48')).toEqual({ code: 0, stdout: '49\n', stderr: '' });
    expect(await run('advance', 'orders', '5')).toMatchObject({
      stdout: '49\n', stderr: expect.stringContaining('already higher than 5'),
    });
    expect(await run('next', 'orders')).toMatchObject({ stdout: '49\n', stderr: '' });
    expect(await runNextid(['next', 'orders', '--series', '3', '--store', url])).toMatchObject({
      code: 2, stderr: expect.stringContaining('such as 1/3'),
    });
  });

  test.each([
    [{ of: 1, index: 0 }, 'ERR_OUT_OF_RANGE'], [{ of: 1001, index: 0 }, 'ERR_OUT_OF_RANGE'],
    [{ of: 3, index: 3 }, 'ERR_INVALID_ARG_VALUE'], [{ of: 3, index: -1 }, 'ERR_OUT_OF_RANGE'],
    [{ of: 3 }, 'ERR_INVALID_ARG_TYPE'], [3, 'ERR_INVALID_ARG_TYPE'],
    [{ off: 3, index: 1 }, 'ERR_INVALID_ARG_VALUE'],
  ])('%p is refused', (series, code) => {
    expect(() => store.sequence('orders', { series })).toThrow(expect.objectContaining({ code }));
  });
});
