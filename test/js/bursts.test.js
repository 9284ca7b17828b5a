'use strict';

// Many ids within one turn of the event loop: the clock is not read for each of them. The date of an id may
// be late by the rest of the turn, but no number is given twice, and none is left out.

const { setImmediate: endOfTurn, setTimeout: sleep } = require('node:timers/promises');
const { open } = require('../..');
const { clock } = require('../../lib/clock');
const { blockIds, countsOf, readId } = require('../support/dated-ids');
const { randomNumbers } = require('../support/random');
const { runProgram } = require('../support/run-program');
const { describeNativeStores } = require('../support/stores');
const { until } = require('../support/until');

const MIDNIGHT = Date.parse('2024-03-01T00:00Z');
const BEFORE = MIDNIGHT - 3_600_000;
const [OLD, NEW] = [240229, 240301];
const MANY = 80; // more than are needed for a burst

const { now } = clock;
let shown; // what the clock of these tests shows

beforeEach(() => {
  shown = BEFORE;
  clock.now = () => shown;
});

afterEach(() => {
  clock.now = now;
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const take = (sequence, n) => Array.from({ length: n }, () => sequence.tryNextId());
const idsOf = (prefix, first, n) => (
  Array.from({ length: n }, (_, i) => `${prefix}-${String(first + i).padStart(4, '0')}`));

describeNativeStores('a burst of dated ids', (fixture) => {
  let url;
  let store;
  let orders;

  beforeEach(async () => {
    url = fixture.freshUrl();
    store = open(url);
    orders = store.sequence('orders', { period: 'day', step: 1000 });
    await orders.ready();
  });

  afterEach(() => store.close());

  test('has the day of the clock again after 100 ids at most', async () => {
    expect(take(orders, MANY)).toEqual(idsOf(OLD, 1, MANY));
    shown = MIDNIGHT;
    const late = take(orders, 101);
    const end = late.indexOf(undefined); // the counter of the new day is not open yet
    expect(end).toBeGreaterThan(0); // or this shows nothing
    expect(late.slice(0, end)).toEqual(idsOf(OLD, MANY + 1, end));
    expect(await orders.nextIds(2)).toEqual(idsOf(NEW, 1, 2));
    await store.close();
    expect(await fixture.readDated(url, 'orders')).toEqual({ [OLD]: MANY + end, [NEW]: 2 });
  });

  test('that crosses midnight between two turns has the new day at once', async () => {
    expect(take(orders, MANY)).toEqual(idsOf(OLD, 1, MANY));
    await endOfTurn();
    shown = MIDNIGHT;
    expect(orders.tryNextId()).toBeUndefined();
    expect(await orders.nextId()).toBe(`${NEW}-0001`);
    expect(take(orders, MANY)).toEqual(idsOf(NEW, 2, MANY));
    await endOfTurn();
    await until(async () => (await fixture.readDated(url, 'orders'))[OLD] === MANY); // the rest was returned
    shown = BEFORE;
    expect(await orders.nextId()).toBe(`${OLD}-00${MANY + 1}`);
  });

  test('a few ids are no burst', () => {
    expect(take(orders, 10)).toEqual(idsOf(OLD, 1, 10));
    shown = MIDNIGHT;
    expect(orders.tryNextId()).toBeUndefined();
    expect(orders.stats().prefix).toBe(NEW);
  });

  // As the other calls: no id of the old day comes after one of the new day.
  test('ends where another call of the turn finds the new day', async () => {
    take(orders, MANY);
    shown = MIDNIGHT;
    const both = orders.nextIds(2);
    expect(orders.tryNextId()).toBeUndefined();
    expect(await both).toEqual(idsOf(NEW, 1, 2));
  });

  test('has the faked date at once, and the true one again', async () => {
    clock.now = now;
    const others = store.sequence('others', { period: 'day', step: 1000 });
    await others.ready();
    const today = readId(take(others, MANY).at(-1)).prefix;
    jest.useFakeTimers({ now: BEFORE });
    expect(await others.nextId()).toBe(`${OLD}-0001`);
    expect(take(others, MANY)).toEqual(idsOf(OLD, 2, MANY));
    jest.setSystemTime(MIDNIGHT);
    expect(await others.nextId()).toBe(`${NEW}-0001`);
    expect(take(others, MANY)).toEqual(idsOf(NEW, 2, MANY));
    jest.useRealTimers();
    expect(readId(await others.nextId()).prefix).toBeGreaterThanOrEqual(today);
    take(others, MANY);
    await until(async () => (await fixture.readDated(url, 'others'))[OLD] === MANY + 1);
    jest.spyOn(Date, 'now').mockReturnValue(BEFORE);
    expect(await others.nextId()).toBe(`${OLD}-00${MANY + 2}`);
  });

  test('amid calls of all sorts and a clock that jumps over midnight: no number twice', async () => {
    const small = store.sequence('small', { period: 'day', step: { max: 150 } });
    const random = randomNumbers(19);
    const [inOrder, inBlocks] = [[], []];
    for (let i = 0; i < 300; i++) {
      const n = 1 + Math.floor(random() * 60);
      const calls = [
        () => inOrder.push(...take(small, n).filter((id) => id !== undefined)),
        async () => inOrder.push(...await Promise.all(Array.from({ length: n }, () => small.nextId()))),
        async () => inOrder.push(...await small.nextIds(n)),
        async () => inBlocks.push(...blockIds(await small.reserve(n))),
        () => { shown = random() < 0.5 ? BEFORE : MIDNIGHT; },
        endOfTurn,
      ];
      await calls[Math.floor(random() * calls.length)]();
    }
    const ids = [...inOrder, ...inBlocks];
    expect(new Set(ids).size).toBe(ids.length);
    for (const counts of Object.values(countsOf(inOrder))) {
      expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    }
    await store.close();
    const counters = await fixture.readDated(url, 'small');
    const passed = counters[OLD] + counters[NEW];
    expect(passed - ids.length).toBe(small.stats().lost + await fixture.returned(url));
  });
});

describeNativeStores('a burst of strings made of BigInts', (fixture) => {
  let store;

  beforeEach(() => {
    store = open(fixture.freshUrl());
  });

  afterEach(() => store.close());

  // In all ways, some of them over the ends of ranges. A block may be above the rest of a range that is given
  // after it, as the moment says at which the next range comes.
  async function takeAll(sequence) {
    const ids = [];
    const ends = []; // of blocks
    for (let i = 0; i < 20; i++) {
      ids.push(...take(sequence, MANY).filter((id) => id !== undefined), await sequence.nextId());
      ids.push(...await sequence.nextIds(30));
      ids.push(...take(sequence, MANY).filter((id) => id !== undefined));
      const { first, last } = await sequence.reserve(5);
      ends.push(first, last);
    }
    expect(new Set([...ids, ...ends]).size).toBe(ids.length + ends.length);
    return { ids, ends };
  }

  test('with a format, beyond 2^53: each number once', async () => {
    const start = 2n ** 53n - 50n;
    const big = store.sequence('big', { format: 'N{count}', bigint: true, start, step: 170 });
    await big.ready();
    const { ids, ends } = await takeAll(big);
    const byNumber = (a, b) => (a < b ? -1 : 1);
    const countsOfAll = (all) => all.map((id) => big.parse(id).count);
    expect(countsOfAll(ids)).toEqual(countsOfAll(ids).toSorted(byNumber));
    const counts = countsOfAll([...ids, ...ends]).toSorted(byNumber);
    const skipped = 20n * 3n; // inside the blocks
    expect([counts[0], counts.at(-1)]).toEqual([start, start + BigInt(counts.length) + skipped - 1n]);
  });

  test.each([0, 1, 2, 4])('time-stamped, %d digits: each id once, in order', async (digits) => {
    const trace = store.sequence('trace', { timestamp: { digits, maxAge: 1000 } });
    await trace.ready();
    const { ids } = await takeAll(trace);
    expect(ids).toEqual(ids.toSorted());
    expect(ids.length).toBeGreaterThan(20 * 31); // some came from memory
  });

  test('time-stamped: the next turn gives none that is too old', async () => {
    const trace = store.sequence('trace', { timestamp: { maxAge: 100 } });
    await until(() => take(trace, MANY).at(-1) !== undefined);
    await sleep(120);
    expect(trace.tryNextId()).toBeUndefined();
  });
});

describeNativeStores('a process', (fixture) => {
  test('ends by itself amid a burst, and after one as it exits', async () => {
    const program = async (url) => {
      const orders = require('nextid').open(url).sequence('orders', { period: 'year', step: 1000 });
      await orders.ready();
      const burst = () => {
        for (let i = 0; i < 100; i++) orders.tryNextId();
        console.log(orders.tryNextId().slice(3));
      };
      process.once('exit', burst);
      burst();
    };
    const { stdout, stderr, code } = await runProgram(program, [fixture.freshUrl()]);
    expect({ stdout, stderr, code }).toEqual({ stdout: '0101\n0202\n', stderr: '', code: 0 });
  });

  test('terminates a thread amid a burst', async () => {
    const program = async (url) => {
      const { Worker } = require('node:worker_threads');
      const { once } = require('node:events');
      const source = `
        const { parentPort, workerData } = require('node:worker_threads');
        const store = require('nextid').open(workerData);
        const orders = store.sequence('orders', { period: 'year', step: 100000 });
        orders.ready().then(() => {
          parentPort.postMessage('ready');
          for (;;) orders.tryNextId();
        });`;
      const worker = new Worker(source, { eval: true, workerData: url });
      await once(worker, 'message');
      console.log(await worker.terminate());
    };
    const { stdout, stderr, code } = await runProgram(program, [fixture.freshUrl()]);
    expect({ stdout, stderr, code }).toEqual({ stdout: '1\n', stderr: '', code: 0 });
  });
});
