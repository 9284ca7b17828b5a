'use strict';

const { open } = require('../..');
const { DatedFormat } = require('../../lib/formats/dated-format');
const { confirmAtOnce } = require('../support/confirm-at-once');
const { blockIds, countsOf, readId, utcPrefix } = require('../support/dated-ids');
const { runTogether } = require('../support/processes');
const { randomNumbers } = require('../support/random');
const { setClock } = require('../support/set-clock');
const { describeStores } = require('../support/stores');
const { until } = require('../support/until');

confirmAtOnce();

const HOUR = 3_600_000; // ms
const MIDNIGHT = Date.parse('2024-03-01T00:00Z');
const BEFORE = MIDNIGHT - HOUR;
const AFTER = MIDNIGHT + HOUR;
const [OLD, NEW] = [240229, 240301];

const lost = ({ stats }) => stats.lost + stats.inMemory;

// Of each period, each count that its counter has passed was given to somebody, once, or to nobody. Those
// that nobody got are `unused` in all.
function expectAccounted(counters, ids, unused, returned) {
  expect(new Set(ids).size).toBe(ids.length);
  const counts = countsOf(ids);
  expect(Object.keys(counters)).toEqual(Object.keys(counts));
  let missing = 0;
  for (const [prefix, last] of Object.entries(counters)) {
    expect(counts[prefix].reduce((a, b) => Math.max(a, b))).toBeLessThanOrEqual(last);
    missing += last - counts[prefix].length;
  }
  expect(missing).toBe(unused + returned);
}

function expectGrowing(ids) {
  for (const counts of Object.values(countsOf(ids))) {
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  }
}

describeStores('a clock that is set back over midnight and forward again', (fixture) => {
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
  });

  afterEach(() => store.close());

  // Or the new day's counts would be given with the old day's prefix.
  test('a call that runs out of stack just then leaves no id of the wrong day', async () => {
    const orders = store.sequence('orders', { period: 'day', step: 1 });
    setClock(BEFORE);
    expect(await orders.nextIds(2)).toEqual(['240229-0001', '240229-0002']);
    setClock(AFTER);
    jest.spyOn(DatedFormat.prototype, 'for').mockImplementationOnce(() => {
      throw new RangeError('Maximum call stack size exceeded');
    });
    expect(() => orders.tryNextId()).toThrow('stack');
    expect(await orders.nextIds(2)).toEqual(['240301-0001', '240301-0002']);
  });

  test('each day goes on where it was', async () => {
    const orders = store.sequence('orders', { period: 'day', step: 10 });
    setClock(AFTER);
    expect(await orders.nextIds(25)).toHaveLength(25);
    setClock(BEFORE);
    expect(await orders.nextIds(3)).toEqual(['240229-0001', '240229-0002', '240229-0003']);
    await until(async () => (await fixture.readDated(url, 'orders'))[NEW] === 25); // given back
    setClock(AFTER);
    expect(await orders.nextId()).toBe('240301-0026');
    await until(async () => (await fixture.readDated(url, 'orders'))[OLD] === 3);
    setClock(BEFORE);
    expect(await orders.nextId()).toBe('240229-0004');
  });

  test('100 times in one process, with all sorts of calls', async () => {
    const orders = store.sequence('orders', { period: 'day', step: 10 });
    const inOrder = [];
    const inBlocks = [];
    for (let i = 0; i < 100; i++) {
      const time = i % 2 === 0 ? AFTER : BEFORE;
      setClock(time);
      const calls = [orders.nextId(), orders.nextIds(7), orders.reserve(4)];
      const [one, several, block] = await Promise.all(calls);
      const ids = [one, ...several, orders.tryNextId() ?? await orders.nextId(), ...blockIds(block)];
      expect(new Set(ids.map((id) => readId(id).prefix))).toEqual(new Set([utcPrefix('day', time)]));
      inOrder.push(...ids.slice(0, 9));
      inBlocks.push(...ids.slice(9));
    }
    await store.close();
    const ids = [...inOrder, ...inBlocks];
    expect(ids).toHaveLength(100 * 13);
    expectAccounted(await fixture.readDated(url, 'orders'), ids, lost({ stats: orders.stats() }),
      await fixture.returned(url));
    expectGrowing(inOrder);
  });

  test('100 times while calls wait', async () => {
    const orders = store.sequence('orders', { period: 'day', step: 10 });
    const random = randomNumbers(5);
    const waiting = [];
    for (let i = 0; i < 100; i++) {
      setClock(i % 2 === 0 ? AFTER : BEFORE);
      waiting.push(orders.nextIds(1 + Math.floor(random() * 20)), orders.nextId());
      const pause = [() => {}, () => new Promise(setImmediate), () => waiting.at(-1)];
      await pause[Math.floor(random() * 3)]();
    }
    const ids = (await Promise.all(waiting)).flat();
    await store.close();
    expectAccounted(await fixture.readDated(url, 'orders'), ids, lost({ stats: orders.stats() }),
      await fixture.returned(url));
    expectGrowing(ids);
  });

  test('at random in 4 processes at once, over four days', async () => {
    const job = { script: 'dated-worker.js', url, name: 'orders', together: 5 };
    const steps = [1, 10, 100, undefined];
    const reports = await runTogether(steps.map((step, i) => {
      const random = randomNumbers(i);
      const legs = Array.from({ length: 100 }, () => ({ from: MIDNIGHT + (random() * 4 - 2) * 24 * HOUR }));
      return { ...job, options: { period: 'day', step }, legs };
    }));
    const idsOf = ({ batches }) => batches.flatMap(({ ids }) => ids);
    for (const report of reports) expectGrowing(idsOf(report));
    const ids = reports.flatMap(idsOf);
    expect(ids).toHaveLength(4 * 100 * 7);
    const unused = reports.reduce((sum, report) => sum + lost(report), 0);
    expectAccounted(await fixture.readDated(url, 'orders'), ids, unused, await fixture.returned(url));
  });

  test('a sequence that was closed and opened again goes on too', async () => {
    const options = { period: 'day', step: 10 };
    const ids = [];
    for (let i = 0; i < 20; i++) {
      setClock(i % 2 === 0 ? AFTER : BEFORE);
      const orders = store.sequence('orders', options);
      ids.push(...await orders.nextIds(3));
      await orders.close();
    }
    expect(countsOf(ids)).toEqual({
      [OLD]: Array.from({ length: 30 }, (_, i) => i + 1), [NEW]: Array.from({ length: 30 }, (_, i) => i + 1),
    });
  });

  test('a counter of an earlier day that came back lower is refused', async () => {
    const orders = store.sequence('orders', { period: 'day', step: 10 });
    setClock(BEFORE);
    await orders.nextIds(20);
    setClock(AFTER);
    await orders.nextId();
    await until(async () => (await fixture.readDated(url, 'orders'))[OLD] === 20);
    await fixture.writeDated(url, 'orders', { [OLD]: 15 });
    setClock(BEFORE);
    await expect(orders.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_SEQUENCE_REWOUND' });
    await orders.close();
    const again = store.sequence('orders', { period: 'day' });
    await expect(again.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_SEQUENCE_REWOUND' });
    setClock(AFTER);
    expect(await again.nextId()).toBe('240301-0002');
    await fixture.writeDated(url, 'orders', { [OLD]: 20 });
    setClock(BEFORE);
    expect(await again.nextId()).toBe('240229-0021');
  });
});
