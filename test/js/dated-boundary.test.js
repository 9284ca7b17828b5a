'use strict';

const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('../..');
const { countsOf, readId, utcPrefix } = require('../support/dated-ids');
const { closeOutages, heldStore } = require('../support/outages');
const { runTogether } = require('../support/processes');
const { setClock } = require('../support/set-clock');
const { served } = require('../support/short-timeouts');
const { describeStores } = require('../support/stores');
const { until } = require('../support/until');

const MIDNIGHT = Date.parse('2025-01-01T00:00Z');
const [OLD, NEW] = [241231, 250101];
const STEP = 50;

describeStores('8 processes whose clocks cross midnight under load', (fixture) => {
  let reports;
  let batches;
  let counters;
  let returned;

  beforeAll(async () => {
    const url = fixture.freshUrl();
    const job = { script: 'dated-worker.js', url, name: 'orders', options: { period: 'day', step: STEP } };
    // The first crosses when the others are still in the old day, the last when they are long in the new one.
    // Every other one has not opened the next counter, since its clock jumps to shortly before midnight.
    const jobs = Array.from({ length: 8 }, (_, i) => ({
      ...job,
      together: 20,
      legs: [
        { from: MIDNIGHT - (i % 2 === 0 ? 60_000 : 9000) },
        { from: MIDNIGHT - 200 - 250 * i, to: MIDNIGHT + 2500 - 250 * i },
      ],
    }));
    reports = await runTogether(jobs);
    batches = reports.flatMap((report) => report.batches);
    counters = await fixture.readDated(url, 'orders');
    returned = await fixture.returned(url);
  });

  test('no id is given twice', () => {
    const ids = batches.flatMap(({ ids: some }) => some);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('each process has ids of both days, and each id the day of its call or of the moment it came', () => {
    for (const report of reports) {
      const ids = report.batches.flatMap(({ ids: some }) => some);
      expect(Object.keys(countsOf(ids)).map(Number)).toEqual([OLD, NEW]);
    }
    const wrong = batches.filter(({ before, after, ids }) => {
      const days = [utcPrefix('day', before), utcPrefix('day', after)];
      return ids.some((id) => !days.includes(readId(id).prefix));
    });
    expect(wrong).toEqual([]);
  });

  test('the ids of each day begin at 1, and grow within each process', () => {
    const of = countsOf(batches.flatMap(({ ids }) => ids));
    for (const day of [OLD, NEW]) expect(of[day].reduce((a, b) => Math.min(a, b))).toBe(1);
    for (const report of reports) {
      const order = report.batches.flatMap(({ ids }) => ids).map(readId);
      const place = ({ prefix, count }) => prefix * 1e7 + count;
      const fallen = order.filter((id, i) => i > 0 && place(id) <= place(order[i - 1]));
      expect(fallen).toEqual([]);
    }
  });

  test('what the counters of both days have passed and nobody got is known to the number', () => {
    const of = countsOf(batches.flatMap(({ ids }) => ids));
    expect(Object.keys(counters).map(Number)).toEqual([OLD, NEW]);
    const missing = counters[OLD] + counters[NEW] - of[OLD].length - of[NEW].length;
    const lost = reports.reduce((sum, { stats }) => sum + stats.lost + stats.inMemory, 0);
    expect(missing).toBe(lost + returned);
  });
});

describeStores('at the boundary', (fixture) => {
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
  });

  afterEach(async () => {
    await store.close();
    await closeOutages();
  });

  const countersOf = (name) => fixture.readDated(url, name);

  test('the next counter is open early, none of its numbers are given early, and nobody waits', async () => {
    setClock(MIDNIGHT - 5000);
    const orders = store.sequence('orders', { period: 'day', step: STEP });
    expect(await orders.nextIds(40)).toHaveLength(40);
    await until(async () => (await countersOf('orders'))[NEW] === STEP);
    await until(() => orders.stats().inMemory > STEP);

    const { waits } = orders.stats();
    setClock(MIDNIGHT - 1);
    expect(orders.tryNextId()).toBe(`${OLD}-0041`);
    const old = await orders.nextIds(2 * STEP);
    expect(old.map((id) => readId(id).prefix)).toEqual(new Array(2 * STEP).fill(OLD));
    setClock(MIDNIGHT);
    expect(orders.tryNextId()).toBe(`${NEW}-0001`);
    expect(await orders.nextId()).toBe(`${NEW}-0002`);
    expect(orders.stats()).toMatchObject({ prefix: NEW, waits: waits + 1 }); // the 100 of the old day
  });

  test('the next counter is not opened before the time for it', async () => {
    setClock(MIDNIGHT - 60_000);
    const orders = store.sequence('orders', { period: 'day' });
    await orders.nextId();
    await store.close();
    expect(Object.keys(await countersOf('orders'))).toEqual([String(OLD)]);
  });

  test.each([
    ['hour', '2024-12-31T22:59:59.999Z', 24123122, 24123123],
    ['hour', '2024-12-31T23:59:59.999Z', 24123123, 25010100],
    ['day', '2024-02-28T23:59:59.999Z', 240228, 240229],
    ['month', '2024-02-29T23:59:59.999Z', 2402, 2403],
    ['month', '2024-12-31T23:59:59.999Z', 2412, 2501],
    ['year', '2024-12-31T23:59:59.999Z', 24, 25],
  ])('of a %s, %s, numbers begin again and are given back', async (period, last, old, next) => {
    const orders = store.sequence('orders', { period, step: STEP });
    const [before, after] = [old, next].map((prefix) => String(prefix).padStart(2, '0'));
    setClock(last);
    expect(await orders.nextIds(3)).toEqual([`${before}-0001`, `${before}-0002`, `${before}-0003`]);
    setClock(Date.parse(last) + 1);
    expect(await orders.nextIds(2)).toEqual([`${after}-0001`, `${after}-0002`]);
    await store.close();
    expect(await countersOf('orders')).toEqual({ [old]: 3, [next]: 2 });
  });

  test('a call that had to wait is no reason to go on to a day on which nobody calls', async () => {
    setClock(MIDNIGHT - 60_000);
    const orders = store.sequence('orders', { period: 'day', timeout: 200 });
    await served(() => orders.nextId());
    setClock(MIDNIGHT);
    await sleep(600); // the timer of that call runs out
    expect(orders.stats().prefix).toBe(OLD);
  });

  test('what is left of the old day is given back at once', async () => {
    setClock(MIDNIGHT - 60_000);
    const orders = store.sequence('orders', { period: 'day', step: STEP });
    await orders.nextIds(3);
    setClock(MIDNIGHT);
    await orders.nextId();
    await until(async () => (await countersOf('orders'))[OLD] === 3);
    expect(orders.stats().lost).toBe(0);
  });

  test('what of a window was not handed out is not lost either', async () => {
    setClock(MIDNIGHT - 60_000);
    const orders = store.sequence('orders', { period: 'day', step: STEP });
    await orders.ready();
    expect(orders.tryNextId()).toBe(`${OLD}-0001`);
    setClock(MIDNIGHT);
    expect(orders.tryNextId()).toBeUndefined();
    await until(async () => (await countersOf('orders'))[OLD] === 1);
    expect(orders.tryNextId() ?? await orders.nextId()).toBe(`${NEW}-0001`);
  });

  describe('calls served from memory before it, whose Promises are read after it', () => {
    let orders;

    beforeEach(async () => {
      setClock(MIDNIGHT - 60_000);
      orders = store.sequence('orders', { period: 'day', step: 100 });
      await orders.ready();
    });

    const idsOf = (day, n) => Array.from({ length: n }, (_, i) => `${day}-${String(i + 1).padStart(4, '0')}`);

    // Of `promised`, once another call of the same turn has switched to the new day.
    async function readInNewDay(promised) {
      expect(orders.stats()).toMatchObject({ waiters: 0, prefix: OLD, inMemory: 0 });
      setClock(MIDNIGHT);
      expect(orders.tryNextId()).toBeUndefined();
      expect(orders.stats().prefix).toBe(NEW);
      return promised;
    }

    test('nextIds(n) keeps the ids of the old day', async () => {
      expect(await readInNewDay(orders.nextIds(100))).toEqual(idsOf(OLD, 100));
      expect(await orders.nextIds(100)).toEqual(idsOf(NEW, 100));
    });

    test('reserve(n) keeps its block of the old day', async () => {
      const [first, last] = [`${OLD}-0001`, `${OLD}-0100`];
      expect(await readInNewDay(orders.reserve(100))).toEqual({ first, last, count: 100 });
      expect(await orders.nextIds(100)).toEqual(idsOf(NEW, 100));
    });
  });

  describe('with the store held in the middle', () => {
    let outage;

    beforeEach(async () => {
      outage = await heldStore(fixture);
      await store.close();
      ({ url } = outage);
      store = open(url);
    });

    test('waiters get the new prefix, and wait for one refill more', async () => {
      setClock(MIDNIGHT - 60_000);
      const orders = store.sequence('orders', { period: 'day', step: STEP });
      await orders.nextId();
      await until(() => !orders.stats().refilling);
      await outage.begin();
      const before = await orders.nextIds(orders.stats().inMemory);
      const { refills } = orders.stats();
      const one = orders.nextId();
      const batch = orders.nextIds(5);
      const block = orders.reserve(4);
      await until(() => orders.stats().refilling);
      setClock(MIDNIGHT);
      await outage.end();

      const { first, last } = await block;
      const ids = [await one, ...await batch].map(readId);
      const ends = [first, last].map(readId);
      expect(ids.concat(ends).map(({ prefix }) => prefix)).toEqual(new Array(8).fill(NEW));
      expect(ends[1].count).toBe(ends[0].count + 3);
      const block4 = [0, 1, 2, 3].map((i) => ends[0].count + i);
      const counts = [...ids.map(({ count }) => count), ...block4].toSorted((a, b) => a - b);
      expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(orders.stats().refills).toBeLessThanOrEqual(refills + 2);
      await store.close();
      expect((await countersOf('orders'))[OLD]).toBe(1 + before.length);
    });

    test('numbers that were opened early serve them with no refill of their own', async () => {
      setClock(MIDNIGHT - 5000);
      const orders = store.sequence('orders', { period: 'day', step: STEP });
      await orders.ready();
      await until(async () => (await countersOf('orders'))[NEW] === STEP);
      await until(() => orders.stats().inMemory >= 2 * STEP && !orders.stats().refilling);
      await outage.begin();
      const { refills } = orders.stats();
      const many = orders.nextIds(4 * STEP); // more than there is of the old day
      await until(() => orders.stats().refilling);
      setClock(MIDNIGHT);
      expect(orders.tryNextId()).toBeUndefined(); // who waits comes first
      await outage.end();
      expect((await many).map((id) => readId(id))).toEqual(
        Array.from({ length: 4 * STEP }, (_, i) => ({ prefix: NEW, count: i + 1 })));
      expect(orders.stats().refills).toBeLessThanOrEqual(refills + 2);
    });

    test('a call within what was opened early is served though the store does not answer', async () => {
      setClock(MIDNIGHT - 5000);
      const orders = store.sequence('orders', { period: 'day', step: STEP });
      await orders.ready();
      await until(async () => (await countersOf('orders'))[NEW] === STEP);
      await until(() => orders.stats().inMemory >= 2 * STEP && !orders.stats().refilling);
      await outage.begin();
      const waiting = orders.nextIds(2 * STEP);
      const late = orders.nextId();
      await until(() => orders.stats().refilling);
      setClock(MIDNIGHT);
      const last = orders.nextIds(3); // this call finds that the day is over
      await outage.end();
      const ids = [...await waiting, await late, ...await last];
      expect(ids.map((id) => readId(id).prefix)).toEqual(new Array(ids.length).fill(NEW));
      expect(new Set(ids).size).toBe(ids.length);
    });
  });
});
