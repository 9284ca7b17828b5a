'use strict';

// Cyclic sequences with the option `step`, which keep numbers in memory.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { open } = require('../..');
const cyclic = require('../../lib/kinds/cyclic');
const { Process, runTogether } = require('../support/processes');
const { scaled } = require('../support/scale');
const { describeStores } = require('../support/stores');
const { until } = require('../support/until');

const NAME = 'serial';
const KIND = 'cyclic';
const CYCLE = 3000;
const STEP = 3;

const numbers = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

// The numbers that were reserved lie on a line without end, from 1 to some `last`. If none was given twice,
// no id was given more often than it lies there. Returns how many numbers were not given.
function expectNoneTwice(ids, cycle, val) {
  const times = new Uint32Array(cycle + 1);
  for (const id of ids) times[id]++;
  const last = ids.length + (val - ids.length % cycle + cycle) % cycle;
  expect(last - ids.length).toBeLessThan(cycle / 2); // else `last` would be a guess
  const most = (id) => Math.floor(last / cycle) + (id <= last % cycle ? 1 : 0);
  expect(numbers(0, cycle).filter((id) => times[id] > most(id))).toEqual([]);
  return last - ids.length;
}

describeStores('a cyclic sequence with a step', (fixture) => {
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await store.close();
  });

  const serialOf = (others) => store.sequence(NAME, { cycle: CYCLE, step: STEP, ...others });
  const readVal = async () => (await fixture.readCounter(url, KIND, NAME)).val;

  async function standAt(val, cycle = CYCLE) {
    await store.advance(NAME, 1, { cycle }); // creates it
    await fixture.writeCounter(url, KIND, NAME, { val, maxval: cycle });
  }

  async function idsOf(serial, count) {
    const ids = [];
    while (ids.length < count) ids.push(serial.tryNextId() ?? await serial.nextId());
    return ids;
  }

  test('gives ids from memory, in order, across the wrap', async () => {
    await standAt(CYCLE - 100);
    const serial = serialOf();
    await serial.ready();
    expect(serial.stats()).toMatchObject({ inMemory: STEP, step: STEP });
    expect(serial.tryNextId()).toBe(CYCLE - 99);
    expect(await idsOf(serial, 199)).toEqual([...numbers(CYCLE - 98, CYCLE), ...numbers(1, 100)]);
    expect(await serial.nextIds(CYCLE)).toEqual([...numbers(101, CYCLE), ...numbers(1, 100)]);
    expect(serial.stats().lost).toBe(0);
    expect(serial.stats().inMemory).toBeLessThanOrEqual(3 * STEP);
  });

  test('takes an adaptive step', async () => {
    const serial = serialOf({ step: { max: STEP } });
    await standAt(CYCLE - 1);
    expect(await serial.nextIds(3)).toEqual([CYCLE, 1, 2]);
    expect(serial.stats().step).toBe(STEP);
  });

  test('nextIds() may take more than a round', async () => {
    const ids = await serialOf().nextIds(2 * CYCLE + 1);
    expect(ids).toEqual([...numbers(1, CYCLE), ...numbers(1, CYCLE), 1]);
  });

  test('the largest cycle and the largest step', async () => {
    const cycle = 9_000_000_000_000_000;
    const serial = serialOf({ cycle, step: 1_000_000_000 });
    await standAt(cycle - 2, cycle);
    expect(await idsOf(serial, 4)).toEqual([cycle - 1, cycle, 1, 2]);
  });

  test('reserve() gives an unbroken block, wherever the numbers in memory wrap around', async () => {
    for (let left = 0; left < 2 * STEP; left++) {
      await standAt(CYCLE - left);
      const serial = serialOf();
      await serial.ready();
      serial.tryNextId(); // opens a window
      for (let n = 1; n <= STEP; n++) {
        try {
          const { first, last } = await serial.reserve(n);
          expect(last - first).toBe(n - 1);
          expect(last).toBeLessThanOrEqual(CYCLE);
        } catch (error) {
          expect(error).toMatchObject({ code: 'ERR_NEXTID_ACROSS_WRAP' });
        }
      }
      await serial.close();
    }
  });

  test('with a format, a series and encryption, beyond the wrap', async () => {
    const others = { cycle: 2 * CYCLE, series: { of: 2, index: 0 } };
    const encrypt = { key: Buffer.alloc(16, 1), digits: 6 };
    for (const how of [{ format: 'T{count:5}' }, { encrypt }]) {
      await standAt(CYCLE - 2); // of the series, every second id
      const serial = serialOf({ ...others, ...how });
      const ids = await idsOf(serial, 4);
      expect(ids.map((id) => serial.parse(id).count)).toEqual([2 * CYCLE - 2, 2 * CYCLE, 2, 4]);
      expect(new Set(ids).size).toBe(4);
      await serial.close();
    }
  });

  test('a burst with a format, beyond the wrap', async () => {
    const cycle = 100_000;
    await store.advance(NAME, cycle - 60, { cycle });
    const serial = store.sequence(NAME, { cycle, step: 100, format: 'T{count:4}' });
    await serial.ready();
    const ids = Array.from({ length: 90 }, () => serial.tryNextId());
    const expected = [...numbers(cycle - 60, cycle), ...numbers(1, 29)];
    expect(ids).toEqual(expected.map((count) => `T${String(count).padStart(4, '0')}`));
  });

  test('advance() drops the numbers in memory', async () => {
    const serial = serialOf();
    await idsOf(serial, 2);
    expect(await store.advance(NAME, 100, { cycle: CYCLE })).toBe(100);
    expect(await idsOf(serial, 3)).toEqual([100, 101, 102]);
    expect(serial.stats().returned).toBe(0);
  });

  test('close() loses the numbers in memory, and counts them', async () => {
    const serial = serialOf();
    await idsOf(serial, 2);
    await until(() => !serial.stats().refilling);
    const val = await readVal();
    await serial.close();
    expect(serial.stats()).toMatchObject({ inMemory: 0, returned: 0, lost: val - 2 });
    expect(await readVal()).toBe(val);
  });

  test('numbers are dropped when they get old', async () => {
    const { nativeOptions } = cyclic;
    const maxAge = 300;
    expect(nativeOptions({ cycle: CYCLE, step: { max: STEP } }).maxAge).toBe(10_000);
    jest.spyOn(cyclic, 'nativeOptions').mockImplementation((given) => ({ ...nativeOptions(given), maxAge }));
    const serial = serialOf();
    await serial.ready();
    const val = await readVal();
    await sleep(maxAge + 1);
    expect(serial.tryNextId()).toBeUndefined();
    expect(await serial.nextId()).toBeGreaterThan(val);
    expect(serial.stats().lost).toBeGreaterThanOrEqual(STEP);
  });

  test('a val past the maximum, and a counter that is moved while numbers are in memory', async () => {
    await standAt(CYCLE + 7);
    const serial = serialOf();
    expect(await serial.nextId()).toBe(1);
    await fixture.writeCounter(url, KIND, NAME, { val: 700, maxval: CYCLE });
    const ids = await idsOf(serial, 4 * STEP);
    expect(ids.slice(-1)[0]).toBeGreaterThan(700);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('beside instances without a step', async () => {
    await standAt(CYCLE - 300);
    const others = open(url);
    const [kept, exact] = [serialOf(), others.sequence(NAME, { cycle: CYCLE })];
    const ids = [];
    while (ids.length < 600) ids.push(await kept.nextId(), await exact.nextId());
    expect(new Set(ids).size).toBe(600);
    expect(ids).toContain(CYCLE);
    expect(ids).toContain(1);
    await others.close();
  });
});

describeStores('processes that keep numbers of one cyclic counter', (fixture) => {
  const options = { cycle: CYCLE, step: STEP };
  const readVal = async (url) => (await fixture.readCounter(url, KIND, NAME)).val;

  test('give no number twice, over several rounds', async () => {
    const url = fixture.freshUrl();
    const common = { script: 'id-worker.js', url, name: NAME, options, count: scaled(5000, 50_000) };
    const reports = await runTogether([1, 20, 100, 100].flatMap((together) => [
      { ...common, together, count: common.count / (together === 1 ? 10 : 1), end: 'close' },
    ]));
    const missing = expectNoneTwice(reports.flatMap(({ ids }) => ids), CYCLE, await readVal(url));
    expect(missing).toBe(reports.reduce((sum, { stats }) => sum + stats.lost, 0));
    expect(missing).toBeLessThanOrEqual(3 * STEP * reports.length);
  });

  test('nor if they are killed', async () => {
    const url = fixture.freshUrl();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-cyclic-'));
    const size = (file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const files = [0, 1, 2].map((i) => path.join(folder, String(i)));
    await Promise.all(files.map(async (file) => {
      for (let lives = scaled(3, 6); lives > 0; lives--) {
        const worker = new Process({
          script: 'cyclic-journal-worker.js', url, name: NAME, options, together: 20, file,
        });
        await worker.ready;
        const before = size(file);
        worker.begin();
        await until(() => size(file) > before + 6000);
        worker.stop();
        await worker.result.catch(() => {});
      }
    }));
    const ids = files.flatMap((file) => (
      fs.readFileSync(file, 'utf8').split('\n').slice(0, -1).map(Number))); // the last line may be cut off
    expect(ids.length).toBeGreaterThan(3 * CYCLE);
    expectNoneTwice(ids, CYCLE, await readVal(url));
    fs.rmSync(folder, { recursive: true });
  });
});
