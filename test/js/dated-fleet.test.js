'use strict';

const { open } = require('../..');
const { countsOf } = require('../support/dated-ids');
const { runTogether } = require('../support/processes');
const { scaled } = require('../support/scale');
const { setClock } = require('../support/set-clock');
const { describeMongo, describeStores } = require('../support/stores');

const NOON = Date.parse('2024-02-29T12:00Z');
const DAY = 240229;
const OPTIONS = { period: 'day' };

// A refill at step 1 for each id would take minutes: calls that wait together share one.
const LOADS = [
  { step: 1, together: 100 },
  { step: 7, together: 50 },
  { step: 10, together: 50 },
  { step: 1000, together: 1 },
  { step: undefined, together: 1 },
  { step: { min: 1 }, together: 50 },
  { step: 1000, together: 50 },
  { step: 10, together: 100 },
];

function fleet(url, name, ids) {
  const common = { script: 'dated-worker.js', url, name, legs: [{ from: NOON, ids }] };
  return LOADS.map(({ step, together }) => ({ ...common, options: { ...OPTIONS, step }, together }));
}

const idsOf = ({ batches }) => batches.flatMap(({ ids }) => ids);

// All ids are of that day; those of each process grow.
function countsOfEach(reports) {
  return reports.map((report) => {
    const counts = countsOf(idsOf(report));
    expect(Object.keys(counts)).toEqual([String(DAY)]);
    expect(counts[DAY]).toEqual(counts[DAY].toSorted((a, b) => a - b));
    return counts[DAY];
  });
}

// Each count from 1 to `last` was given to somebody, once, or is lost, or waits for the next instance.
function expectAccounted(last, counts, reports, returned) {
  expect(new Set(counts).size).toBe(counts.length);
  expect(counts.reduce((a, b) => Math.min(a, b))).toBe(1);
  expect(counts.reduce((a, b) => Math.max(a, b))).toBeLessThanOrEqual(last);
  const lost = reports.reduce((sum, { stats }) => sum + stats.inMemory + stats.lost, 0);
  expect(last - counts.length).toBe(lost + returned);
}

beforeEach(() => setClock(NOON));

describeStores('8 processes on one day', (fixture) => {
  test.each([['without a name', ''], ['with a name', 'orders']])('%s', async (_, name) => {
    const url = fixture.freshUrl();
    const each = scaled(1500, 5000);
    const reports = await runTogether(fleet(url, name, each));
    const counts = countsOfEach(reports).flat();
    expect(counts.length).toBeGreaterThanOrEqual(8 * each);
    const counters = await fixture.readDated(url, name);
    expect(Object.keys(counters)).toEqual([String(DAY)]);
    expectAccounted(counters[DAY], counts, reports, await fixture.returned(url));
  });

  test('who come first all at once make one counter', async () => {
    const url = fixture.freshUrl();
    const reports = await runTogether(fleet(url, 'orders', 1));
    const counters = await fixture.readDated(url, 'orders');
    const returned = await fixture.returned(url);
    expectAccounted(counters[DAY], countsOfEach(reports).flat(), reports, returned);
  });
});

describeMongo('with programs that run the loop of the blog', (fixture) => {
  const blog = (url, count) => ({ script: 'blog-days-worker.js', url, prefix: DAY, count });

  test('8 processes of ours and 2 of theirs share one document', async () => {
    const url = fixture.freshUrl();
    const store = open(url);
    expect(await store.sequence(OPTIONS).nextId()).toBe(`${DAY}-0001`);
    await store.close();

    const reports = await runTogether([blog(url, 200), blog(url, 200), ...fleet(url, '', 3000)]);
    const [theirs, ours] = [reports.slice(0, 2), reports.slice(2)];
    const counts = [1, ...theirs.flatMap((report) => report.counts), ...countsOfEach(ours).flat()];
    expect(counts.length).toBeGreaterThan(2 * 200 + 8 * 3000);
    const { [DAY]: last } = await fixture.readDated(url, '');
    expectAccounted(last, counts, ours, await fixture.returned(url));

    const [{ counts: [next] }] = await runTogether([blog(url, 1)]);
    expect(next).toBe(last + 1);
    expect(await fixture.readDated(url, '')).toEqual({ [DAY]: next });
    const [document] = await fixture.collection(url).find({ prefix: DAY }).toArray();
    const { countReturned, ...others } = document; // which programs of the blog leave alone
    expect(Object.keys(others).sort()).toEqual(['_id', 'count', 'prefix']);
  });

  test('ours goes on with a document of theirs, and they with what we gave back', async () => {
    const url = fixture.freshUrl();
    await fixture.collection(url).insertOne({ prefix: DAY, count: 41 });
    const store = open(url);
    expect(await store.sequence({ period: 'day', step: 100 }).nextId()).toBe(`${DAY}-0042`);
    await store.close();
    expect(await runTogether([blog(url, 2)])).toEqual([{ counts: [43, 44] }]);
  });
});

describeMongo('the unique index of dated counters without a name', (fixture) => {
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
  });

  afterEach(() => store.close());

  async function prefixIndexes() {
    const indexes = await fixture.collection(url).indexes();
    return indexes.filter(({ key }) => 'prefix' in key).map(({ key, unique }) => ({ key, unique }));
  }

  const invalid = expect.objectContaining({ name: 'NextIdError', code: 'ERR_NEXTID_STORE_INVALID' });

  test('is made with the first counter', async () => {
    await store.sequence(OPTIONS).nextId();
    expect(await prefixIndexes()).toEqual([{ key: { prefix: 1 }, unique: true }]);
  });

  test('is not made for counters with a name', async () => {
    await store.sequence('orders', OPTIONS).nextId();
    expect(await prefixIndexes()).toEqual([]);
  });

  test('that is not unique is refused by name, until it is dropped', async () => {
    await fixture.collection(url).createIndex({ prefix: 1 }, { name: 'by_day' });
    const days = store.sequence(OPTIONS);
    await expect(days.nextId()).rejects.toEqual(invalid);
    await expect(days.nextId()).rejects.toThrow("'by_day'");
    expect(await fixture.readDated(url, '')).toEqual({});
    await fixture.collection(url).dropIndex('by_day');
    expect(await days.nextId()).toBe(`${DAY}-0001`);
    expect(await prefixIndexes()).toEqual([{ key: { prefix: 1 }, unique: true }]);
  });

  test('that two documents of one day keep from being made is refused', async () => {
    await fixture.collection(url).insertMany([{ prefix: DAY, count: 1 }, { prefix: DAY, count: 2 }]);
    await expect(store.sequence(OPTIONS).nextId()).rejects.toEqual(invalid);
  });

  test.each([
    ['a plain one', ['orders']], ['a dated one', ['orders', OPTIONS]],
  ])('is not made where a counter with a name is there: %s', async (_, named) => {
    await store.sequence(...named).nextId();
    const days = store.sequence(OPTIONS);
    await expect(days.nextId()).rejects.toEqual(invalid);
    await expect(days.nextId()).rejects.toThrow(/counters with names.*\?collection=NAME/);
    expect(await prefixIndexes()).toEqual([]);
    await store.sequence('users').nextId(); // as before
  });

  test('is made beside the marks of what was pruned', async () => {
    await fixture.collection(url).insertOne({ prefix: 150101, count: 1 });
    await store.prune({ before: 150102 });
    expect(await fixture.collection(url).countDocuments({ pruned: { $exists: true } })).toBe(1);
    expect(await store.sequence(OPTIONS).nextId()).toBe(`${DAY}-0001`);
  });

  test('in the way of a dated sequence with a name is refused, until it is dropped', async () => {
    await store.sequence(OPTIONS).nextId();
    const orders = store.sequence('orders', OPTIONS);
    await expect(orders.nextId()).rejects.toEqual(invalid);
    await expect(orders.nextId()).rejects.toThrow(/'orders'.*unique index.*prefix.*dropIndex\('prefix_1'\)/s);
    expect(orders.stats()).toMatchObject({ failures: 2, timeouts: 0 }); // not tried again and again
    await fixture.collection(url).dropIndex('prefix_1');
    expect(await orders.nextId()).toBe(`${DAY}-0001`);
  });

  test('in the way of a plain sequence is refused', async () => {
    await fixture.collection(url).createIndex({ prefix: 1 }, { unique: true });
    await fixture.collection(url).insertOne({ _id: 'without a prefix', index: 1 });
    const orders = store.sequence('orders');
    await expect(orders.nextId()).rejects.toEqual(invalid);
    await expect(orders.nextId()).rejects.toThrow(/'orders'.*unique index.*prefix/s);
    expect(orders.stats()).toMatchObject({ failures: 2, timeouts: 0 });
  });
});
