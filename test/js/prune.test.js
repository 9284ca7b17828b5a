'use strict';

const { open } = require('../..');
const { utcPrefix } = require('../support/dated-ids');
const { runTogether } = require('../support/processes');
const { setClock } = require('../support/set-clock');
const { describeMongo, describeStores } = require('../support/stores');
const { until } = require('../support/until');

const DAY = 86_400_000; // ms
const NOW = Date.parse('2015-01-14T12:00Z');
const PRUNED = expect.objectContaining({ name: 'NextIdError', code: 'ERR_NEXTID_PERIOD_PRUNED' });

const TAKER = { script: 'dated-worker.js', name: 'orders', options: { period: 'day', step: 3 } };

const prefixesOf = (counters) => counters.map(({ prefix }) => prefix);
const numbersOf = (counters) => Object.keys(counters).map(Number);

// 200 days up to that of NOW, with some count each.
const MANY = 200;
function manyDays() {
  const counters = {};
  let count = 0;
  for (let ms = NOW - MANY * DAY; ms <= NOW; ms += DAY) counters[utcPrefix('day', ms)] = ++count;
  return counters;
}

describeStores('prune', (fixture) => {
  let url;
  let store;

  beforeEach(async () => {
    url = fixture.freshUrl();
    store = open(url);
    setClock(NOW);
    await store.sequence('others').ready(); // makes the file
  });

  afterEach(() => store.close());

  const counters = (name = 'orders') => fixture.readDated(url, name);
  const write = (counts, name = 'orders') => fixture.writeDated(url, name, counts);
  const orders = () => store.sequence('orders', { period: 'day', step: 10 });

  test.each([
    ['before, a prefix', { before: 141201 }],
    ['before, a Date', { before: new Date('2014-12-01T00:00Z') }],
    ['keep', { keep: { daily: 31, weekly: 8, monthly: 4 } }],
    ['both', { before: 141201, keep: { monthly: 5 } }],
  ])('a dry run removes nothing and lists what the real run then removes: %s', async (_, options) => {
    const all = manyDays();
    await write(all);
    const dry = await store.prune('orders', { ...options, dryRun: true });
    expect(await counters()).toEqual(all);
    expect(dry.length).toBeGreaterThan(MANY / 2);
    expect(prefixesOf(dry)).toEqual(prefixesOf(dry).toSorted((a, b) => a - b));
    for (const { prefix, count } of dry) expect(count).toBe(all[prefix]);

    expect(await store.prune('orders', options)).toEqual(dry);
    const gone = new Set(prefixesOf(dry));
    expect(await counters()).toEqual(
      Object.fromEntries(Object.entries(all).filter(([prefix]) => !gone.has(Number(prefix)))));
    expect(await store.prune('orders', options)).toEqual([]);
  });

  // By walking back from today, day by day.
  test('keep keeps the newest days, and the last day of weeks, months and years', async () => {
    await write(manyDays());
    const keep = { daily: 10, weekly: 8, monthly: 4, yearly: 2 };
    const mondayOf = (date) => new Date(date - (date.getUTCDay() + 6) % 7 * DAY).toISOString().slice(0, 10);
    const text = (length) => (date) => date.toISOString().slice(0, length);
    const stretch = { daily: text(10), weekly: mondayOf, monthly: text(7), yearly: text(4) };
    const seen = { daily: new Set(), weekly: new Set(), monthly: new Set(), yearly: new Set() };
    const kept = [];
    for (let ms = NOW; ms >= NOW - MANY * DAY; ms -= DAY) {
      const date = new Date(ms);
      const rules = Object.keys(keep).filter((rule) => (
        seen[rule].size < keep[rule] && !seen[rule].has(stretch[rule](date))));
      for (const rule of rules) seen[rule].add(stretch[rule](date));
      if (rules.length > 0) kept.unshift(utcPrefix('day', ms));
    }
    await store.prune('orders', { keep });
    expect(numbersOf(await counters())).toEqual(kept);
    expect(kept.slice(0, 3)).toEqual([141031, 141130, 141207]); // the reference is right
  });

  test('the current period and later ones survive, however far in the future before is', async () => {
    const now = { 15: 1, 16: 1, 1501: 1, 1502: 1, 150114: 1, 150115: 1, 15011412: 1, 15011413: 1 };
    const past = { 14: 1, 1412: 1, 150113: 1, 15011411: 1 };
    await write({ ...now, ...past });
    for (const before of [99, 9999, 999999, 99999999]) {
      expect(await store.prune('orders', { before, timeZone: 'UTC' })).toHaveLength(1);
    }
    expect(await counters()).toEqual(now);
    await write(past);
    await store.prune('orders', { before: new Date('2098-01-01'), timeZone: 'UTC' });
    expect(await counters()).toEqual(now);
    await store.prune('orders', { keep: { yearly: 0 }, timeZone: 'UTC' });
    expect(await counters()).toEqual(now);
  });

  // A service in Honolulu still counts in an hour that ended ten hours ago for a job that thinks in UTC.
  test('where the time zone is not known, no period goes that is current anywhere', async () => {
    const hours = { 15011323: 1, 15011402: 1, 15011412: 1 };
    await write(hours);
    expect(await store.prune('orders', { before: new Date(NOW) })).toEqual([{ prefix: 15011323, count: 1 }]);
    const options = { period: 'hour', timeZone: 'Pacific/Honolulu' };
    expect(await store.sequence('orders', options).nextId()).toBe('15011402-0002');
  });

  describe('refuses pruned periods, once the clock was set back', () => {
    const LONG_AGO = '2014-06-24T12:00Z';

    async function give(time, n) {
      setClock(time);
      return orders().nextIds(n);
    }

    test('in the same process', async () => {
      await give(LONG_AGO, 3);
      await give(NOW, 1);
      await until(async () => (await counters())[140624] === 3); // the rest is given back
      expect(await store.prune('orders', { before: 140701 })).toEqual([{ prefix: 140624, count: 3 }]);
      setClock(LONG_AGO);
      for (let i = 0; i < 2; i++) {
        await expect(orders().nextId()).rejects.toEqual(PRUNED);
        await expect(orders().reserve(100)).rejects.toThrow(/140624.*pruned.*clock/s);
      }
      setClock(NOW);
      await until(async () => (await counters())[150114] === 1); // the rest is given back
      expect(await orders().nextId()).toBe('150114-0002');
      expect(numbersOf(await counters())).toEqual([150114]);
    });

    test('in a fresh process, and in one that has closed', async () => {
      await give(LONG_AGO, 3);
      await store.close();
      store = open(url);
      setClock(NOW);
      await store.prune('orders', { before: 140701 });
      await store.close();
      setClock(LONG_AGO);
      store = open(url);
      await expect(orders().nextId()).rejects.toEqual(PRUNED);
      const legs = [{ from: Date.parse(LONG_AGO) }];
      const [{ batches }] = await runTogether([{ ...TAKER, url, together: 2, legs }]);
      expect(batches).toMatchObject([{ ids: [], refused: 2 }]);
      expect(await counters()).toEqual({});
    });

    test('also such of which there never was a counter, up to the last that was pruned', async () => {
      await write({ 140620: 5, 140624: 3, 140630: 1 });
      await store.prune('orders', { before: 140630 });
      for (const time of ['2014-06-22T12:00Z', '2014-01-01T12:00Z', LONG_AGO]) {
        setClock(time);
        await expect(orders().nextId()).rejects.toEqual(PRUNED);
      }
      setClock('2014-06-25T12:00Z');
      expect(await orders().nextId()).toBe('140625-0001');
    });

    test('but kept ones that are older go on where they were', async () => {
      await write({ 140531: 7, 140615: 2, 140624: 3, 140630: 9 });
      expect(prefixesOf(await store.prune('orders', { before: 140630, keep: { monthly: 2 } })))
        .toEqual([140615, 140624]);
      setClock('2014-05-31T12:00Z');
      expect(await orders().nextId()).toBe('140531-0008');
      setClock('2014-06-15T12:00Z');
      await expect(orders().nextId()).rejects.toEqual(PRUNED);
    });

    test('with numbers of such a period in memory: each is given once', async () => {
      const other = open(url);
      setClock(LONG_AGO);
      const holding = other.sequence('orders', { period: 'day', step: 10 });
      const ids = [await holding.nextId()];
      setClock(NOW);
      await store.prune('orders', { before: 140701 });
      setClock(LONG_AGO);
      for (;;) {
        const id = holding.tryNextId();
        if (id === undefined) break;
        ids.push(id);
      }
      await expect(holding.nextIds(100)).rejects.toEqual(PRUNED);
      expect(new Set(ids).size).toBe(ids.length);
      await other.close();
      expect(await counters()).toEqual({}); // what was given back did not make it anew
    });
  });

  test('of one name leaves others, and counters of other kinds', async () => {
    await write({ 140624: 3 });
    await write({ 140624: 4 }, 'orders2');
    await write({ 14: 4 }, 'orders:140624');
    await store.sequence('orders:150101').nextId();
    const others = (await store.list()).filter(({ name }) => name !== 'orders');
    expect(await store.prune('orders', { before: 140701 })).toEqual([{ prefix: 140624, count: 3 }]);
    expect((await store.list())).toEqual(others);
    setClock('2014-06-24T12:00Z');
    expect(await store.sequence('orders2', { period: 'day' }).nextId()).toBe('140624-0005');
    expect(await store.sequence('orders3', { period: 'day' }).nextId()).toBe('140624-0001');
  });

  test.each(['orders:140624', 'orders:pruned'])('leaves the counters of the name %s', async (name) => {
    setClock('2014-06-24T12:00Z');
    const days = orders();
    await days.nextIds(3);
    const plain = store.sequence(name, { step: 1 });
    expect(await plain.nextIds(5)).toEqual([1, 2, 3, 4, 5]);
    expect(await days.nextIds(10)).toHaveLength(10);
    setClock(NOW);
    await days.nextId();
    await until(async () => (await counters())[140624] === 13); // the rest is given back
    expect(await store.prune('orders', { before: 140701 })).toEqual([{ prefix: 140624, count: 13 }]);
    expect(await plain.nextIds(5)).toEqual([6, 7, 8, 9, 10]);
    expect((await store.list()).map((counter) => [counter.name, counter.kind])).toEqual([
      ['orders', 'dated'], [name, 'plain'], ['others', 'plain'],
    ]);
    setClock('2014-06-24T12:00Z');
    await expect(days.nextId()).rejects.toEqual(PRUNED);
    expect(await store.sequence('fresh', { period: 'day' }).nextId()).toBe('140624-0001');
  });

  test('a dated counter begins where a plain one has its name', async () => {
    const plain = store.sequence('orders:150114', { step: 1 });
    const marks = store.sequence('orders:pruned', { step: 1 });
    expect([await plain.nextId(), await marks.nextId()]).toEqual([1, 1]);
    expect(await orders().nextIds(3)).toEqual(['150114-0001', '150114-0002', '150114-0003']);
    expect([await plain.nextId(), await marks.nextId()]).toEqual([2, 2]);
  });

  test('judges hours and days of one name each by their own', async () => {
    await write({ 140624: 1, 140625: 1, 14062412: 1, 14062512: 1, 1406: 1, 14: 1 });
    expect(prefixesOf(await store.prune('orders', { before: 140625 }))).toEqual([140624]);
    setClock('2014-06-24T12:00Z');
    expect(await store.sequence('orders', { period: 'hour' }).nextId()).toBe('14062412-0002');
    await store.close();
    store = open(url);
    await expect(orders().nextId()).rejects.toEqual(PRUNED);
    setClock(NOW);
    const before = new Date('2014-06-25T13:00Z');
    expect(prefixesOf(await store.prune('orders', { before }))).toEqual([14062412, 14062512]);
    await store.close();
    store = open(url);
    setClock('2014-06-25T12:30Z');
    await expect(store.sequence('orders', { period: 'hour' }).nextId()).rejects.toEqual(PRUNED);
    await store.close();
    store = open(url);
    expect(await orders().nextId()).toBe('140625-0002');
  });

  test('a Date and the current period are understood in the time zone', async () => {
    setClock('2015-01-13T20:00Z'); // the 14th in Tokyo
    const days = { 150112: 1, 150113: 1 };
    await write({ ...days, 150114: 1 });
    const prune = (options) => store.prune('orders', { ...options, dryRun: true }).then(prefixesOf);
    expect(await prune({ before: 150120 })).toEqual([150112]);
    expect(await prune({ before: 150120, timeZone: 'Asia/Tokyo' })).toEqual([150112, 150113]);
    const before = new Date('2015-01-12T15:00Z');
    expect(await prune({ before })).toEqual([]);
    expect(await prune({ before, timeZone: 'Asia/Tokyo' })).toEqual([150112]);
    store.sequence('orders', { period: 'day', timeZone: 'Asia/Tokyo' }); // an open one tells the zone
    expect(await prune({ before })).toEqual([150112]);
    expect(await prune({ before, timeZone: 'UTC' })).toEqual([]);
  });

  test('without a name prunes the counters that have none', async () => {
    await write({ 140624: 3, 141231: 1, 150114: 2 }, '');
    await write({ 1406: 9 });
    expect(await store.prune({ before: 150000, dryRun: true })).toHaveLength(2);
    expect(await store.prune({ before: 150000 }))
      .toEqual([{ prefix: 140624, count: 3 }, { prefix: 141231, count: 1 }]);
    expect(await counters('')).toEqual({ 150114: 2 });
    expect(await counters()).toEqual({ 1406: 9 });
    // Which it would not make beside a counter with a name.
    if (fixture.kind === 'mongodb') {
      await fixture.collection(url).createIndex({ prefix: 1 }, { unique: true });
    }
    expect(await store.sequence({ period: 'day' }).nextId()).toBe('150114-0003');
    setClock('2014-06-24T12:00Z');
    await expect(store.sequence({ period: 'day' }).nextId()).rejects.toEqual(PRUNED);
  });

  test('of a name that has no counters does nothing', async () => {
    expect(await store.prune('orders', { before: 999999 })).toEqual([]);
    setClock('2014-06-24T12:00Z');
    expect(await orders().nextId()).toBe('140624-0001');
    setClock(NOW);
    expect(await store.prune('orders', { before: 15 })).toEqual([]); // there are no yearly ones
  });

  test('the mark of a later prune of less stays where it was', async () => {
    await write({ 140624: 1, 140701: 1 });
    await store.prune('orders', { before: 140801 });
    await write({ 140501: 1 });
    await store.prune('orders', { before: 140801 });
    setClock('2014-06-28T12:00Z');
    await expect(orders().nextId()).rejects.toEqual(PRUNED);
  });

  // The clocks of those who take ids go round in ten days, which are pruned meanwhile, one after the other.
  test('while processes reserve, gives no id twice', async () => {
    const days = Array.from({ length: 10 }, (_, i) => Date.parse('2014-06-01T12:00Z') + i * DAY);
    const legs = Array.from({ length: 100 }, (_, i) => ({ from: days[i % 10] }));
    const takers = [0, 1, 2].map((i) => ({ ...TAKER, url, together: 4, legs: legs.slice(i) }));
    const befores = days.map((day) => utcPrefix('day', day + DAY));
    const pruners = new Array(2).fill({ script: 'prune-worker.js', url, name: 'orders', now: NOW, befores });
    const reports = await runTogether([...takers, ...pruners]);
    const batches = reports.slice(0, 3).flatMap((report) => report.batches);
    const removed = prefixesOf(reports.slice(3).flatMap((report) => report.removed));

    const ids = batches.flatMap((batch) => batch.ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(0);
    expect(batches.some(({ refused }) => refused > 0)).toBe(true);
    expect(removed.length).toBeGreaterThan(0);
    for (const day of days.filter((ms) => removed.includes(utcPrefix('day', ms)))) {
      setClock(day);
      await expect(orders().nextId()).rejects.toEqual(PRUNED);
    }
  });
});

describeMongo('prune beside the programs of the blog', (fixture) => {
  test('their own removal of old days leaves our mark', async () => {
    const url = fixture.freshUrl();
    const days = fixture.collection(url);
    await days.insertMany([140624, 141231, 150114].map((prefix) => ({ prefix, count: 5 })));
    const store = open(url);
    setClock(NOW);
    expect(await store.prune({ before: 141231 })).toEqual([{ prefix: 140624, count: 5 }]);
    await days.deleteMany({ prefix: { $lt: 150000 } });
    await days.deleteMany({ prefix: { $lt: 999999 } });
    setClock('2014-06-24T12:00Z');
    await expect(store.sequence({ period: 'day' }).nextId()).rejects.toEqual(PRUNED);
    expect(await fixture.readDated(url, '')).toEqual({});
    await store.close();
  });

  test('documents that are no counters of a period are left alone', async () => {
    const url = fixture.freshUrl();
    const days = fixture.collection(url);
    const others = [
      { _id: 1, prefix: 141332, count: 1 }, { _id: 2, prefix: '140624', count: 1 }, { _id: 3, count: 1 },
      { _id: 'orders', index: 5 }, { _id: 'orders:140624', name: 'orders', prefix: 140624, count: 1 },
    ];
    await days.insertMany(others);
    await days.insertOne({ prefix: 140623, count: 1 });
    const store = open(url);
    setClock(NOW);
    expect(await store.prune({ before: 150000 })).toEqual([{ prefix: 140623, count: 1 }]);
    expect(await days.find({ _id: { $in: others.map(({ _id }) => _id) } }).toArray()).toEqual(others);
    await store.close();
  });
});
