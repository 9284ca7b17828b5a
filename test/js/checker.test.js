'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { check } = require('../soak/checker');
const { Journal, journalName, journalsIn } = require('../soak/journal');
const { PAGE_BITS } = require('../soak/paged-bitset');
const { randomNumbers } = require('../support/random');

const FEW_PAGES = 4; // so that ids far apart need many windows
const MANY = 300_000; // more than a block

let folder;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-checker-'));
});

afterEach(() => fs.rmSync(folder, { recursive: true }));

// A journal of 'orders' that holds these ids.
function write(process, ids, { ordered = true, counter = 'orders' } = {}) {
  const file = path.join(folder, journalName({ counter, process, instance: 1, ordered }));
  const journal = new Journal(file, ids.length);
  for (const id of ids) journal.add(id);
  journal.write();
  journal.close();
  return file;
}

function checkOrders({ start = 1, end, ...options }) {
  const journals = journalsIn(folder).get('orders') ?? [];
  return check({ journals, start: BigInt(start), end: BigInt(end), ...options });
}

const range = (first, end) => Array.from({ length: end - first }, (_, i) => first + i);

const NONE = { count: 0, first: [] };
const CLEAN = { duplicates: NONE, disorders: NONE, belowStart: NONE, pastCounter: NONE, cutOff: [] };

describe('journals without a fault', () => {
  test('are reported as such', () => {
    write(1, [...range(1, 500), ...range(1000, 1500)]);
    write(2, range(500, 1000));
    expect(checkOrders({ end: 1500 })).toEqual({ ...CLEAN, ids: 1499, distinct: 1499, lost: 0 });
  });

  test('that are empty: all numbers are lost', () => {
    write(1, []);
    expect(checkOrders({ start: 10, end: 25 })).toEqual({ ...CLEAN, ids: 0, distinct: 0, lost: 15 });
  });

  test('that are not there', () => {
    expect(checkOrders({ start: 10, end: 10 })).toEqual({ ...CLEAN, ids: 0, distinct: 0, lost: 0 });
  });

  test('with gaps: what is in no journal is lost', () => {
    write(1, [3, 4, 7, 9]);
    expect(checkOrders({ start: 1, end: 12 })).toEqual({ ...CLEAN, ids: 4, distinct: 4, lost: 7 });
  });

  test('of several blocks, taken in turns', () => {
    for (const process of [0, 1, 2]) write(process, range(0, MANY).map((i) => 1 + 3 * i + process));
    const count = 3 * MANY;
    expect(checkOrders({ end: count + 1 })).toEqual({ ...CLEAN, ids: count, distinct: count, lost: 0 });
  });

  test('of reserve() need not grow', () => {
    write(1, [8, 9, 1, 2], { ordered: false });
    expect(checkOrders({ end: 10 })).toMatchObject({ ...CLEAN, lost: 5 });
  });

  test('of another counter do not matter', () => {
    write(1, [1, 2]);
    write(1, [1, 2], { counter: 'invoices-26010203' });
    expect(checkOrders({ end: 3 })).toMatchObject({ ...CLEAN, ids: 2 });
    expect([...journalsIn(folder).keys()].sort()).toEqual(['invoices-26010203', 'orders']);
  });

  test.each([2n ** 53n, 2n ** 60n + 2n ** 31n, 2n ** 64n - 10n])('near %s', (start) => {
    write(1, [start, start + 1n, start + 5n]);
    write(2, [start + 2n, start + 3n]);
    expect(checkOrders({ start, end: start + 6n })).toEqual({ ...CLEAN, ids: 5, distinct: 5, lost: 1 });
  });
});

describe('planted faults:', () => {
  test('an id that two processes were given', () => {
    const one = write(1, [1, 2, 3]);
    const two = write(2, [3, 4]);
    const blocks = write(3, [9, 10, 3], { ordered: false });
    const places = [{ file: one, position: 2 }, { file: two, position: 0 }, { file: blocks, position: 2 }];
    const duplicates = { count: 2, first: [{ id: 3n, places: expect.arrayContaining(places) }] };
    const report = checkOrders({ end: 11 });
    expect(report).toEqual({ ...CLEAN, ids: 8, distinct: 6, lost: 4, duplicates });
    expect(report.duplicates.first[0].places).toHaveLength(3);
  });

  test('an id that one process was given twice, out of order', () => {
    const file = write(1, [1, 2, 3, 2, 4]);
    expect(checkOrders({ end: 5 })).toEqual({
      ...CLEAN, ids: 5, distinct: 4, lost: 0,
      disorders: { count: 1, first: [{ id: 2n, places: [{ file, position: 3 }] }] },
      duplicates: { count: 1, first: [{ id: 2n, places: [{ file, position: 1 }, { file, position: 3 }] }] },
    });
  });

  test('an id twice in a row', () => {
    write(1, [1, 1]);
    expect(checkOrders({ end: 2 })).toMatchObject({ duplicates: { count: 1 }, disorders: { count: 1 } });
  });

  test('one that falls from one block to the next', () => {
    const ids = range(1, MANY);
    [ids[2 ** 17 - 1], ids[2 ** 17]] = [ids[2 ** 17], ids[2 ** 17 - 1]];
    write(1, ids);
    const disorders = { count: 1, first: [{ id: 2n ** 17n, places: [{ position: 2 ** 17 }] }] };
    expect(checkOrders({ end: MANY })).toMatchObject({ ...CLEAN, lost: 0, disorders });
  });

  test('ids below start', () => {
    const file = write(1, [0, 99, 100, 101]);
    const belowStart = {
      count: 2,
      first: [{ id: 0n, places: [{ file, position: 0 }] }, { id: 99n, places: [{ file, position: 1 }] }],
    };
    expect(checkOrders({ start: 100, end: 105 }))
      .toEqual({ ...CLEAN, ids: 4, distinct: 2, lost: 3, belowStart });
  });

  test('ids that the counter has not reached', () => {
    const file = write(1, [1, 2, 5, 6]);
    const pastCounter = {
      count: 2,
      first: [{ id: 5n, places: [{ file, position: 2 }] }, { id: 6n, places: [{ file, position: 3 }] }],
    };
    expect(checkOrders({ end: 5 })).toEqual({ ...CLEAN, ids: 4, distinct: 2, lost: 2, pastCounter });
  });

  test('ids that are both past the counter and duplicates', () => {
    write(1, [1, 50, 51]);
    write(2, [50, 51]);
    expect(checkOrders({ end: 5 })).toMatchObject({ duplicates: { count: 2 }, pastCounter: { count: 4 } });
  });

  test('a file that is cut off within a number: what is whole of it counts', () => {
    const file = write(1, [1, 2, 3]);
    fs.truncateSync(file, 3 * 8 - 1);
    expect(checkOrders({ end: 4 })).toEqual({ ...CLEAN, ids: 2, distinct: 2, lost: 1, cutOff: [file] });
  });

  test.each([2n ** 53n, 2n ** 60n + 2n ** 32n - 2n])('near %s, where neighbours are told apart', (start) => {
    write(1, [start + 1n, start + 3n]);
    write(2, [start + 2n, start + 3n]);
    const report = checkOrders({ start, end: start + 4n });
    expect(report).toMatchObject({ distinct: 3, lost: 1, duplicates: { count: 1 } });
    expect(report.duplicates.first[0].id).toBe(start + 3n);
  });

  test('wild numbers are out of bounds, and no more than that', () => {
    write(1, [5, 2n ** 64n - 1n, 2n ** 63n]);
    expect(checkOrders({ end: 10 })).toMatchObject({
      duplicates: NONE, disorders: { count: 1 }, pastCounter: { count: 2 }, distinct: 1,
    });
    expect(checkOrders({ start: 2n ** 63n, end: 2n ** 63n + 1n }))
      .toMatchObject({ duplicates: NONE, belowStart: { count: 1 }, pastCounter: { count: 1 }, lost: 0 });
  });

  test('a range given to two processes shows its first ids only', () => {
    write(1, range(1, 1000));
    write(2, range(100, 200));
    const { duplicates } = checkOrders({ end: 1000 });
    expect(duplicates.count).toBe(100);
    expect(duplicates.first.map(({ id }) => id)).toEqual([100n, 101n, 102n, 103n, 104n]);
  });
});

test('a counter that gives numbers again that were not free is no counter to check against', () => {
  expect(() => checkOrders({ start: 5, end: 4 })).toThrow(RangeError);
  const returnedBefore = [[3n, 5n]];
  const returnedAfter = [[2n, 4n]];
  expect(() => checkOrders({ start: 9, end: 9, returnedBefore, returnedAfter })).toThrow(RangeError);
  expect(() => checkOrders({ start: 5, end: 2, returnedBefore })).toThrow(RangeError);
  expect(() => checkOrders({ start: 9, end: 9, returnedBefore: [[5n, 7n], [4n, 6n]] })).toThrow('overlap');
});

describe('returned ranges', () => {
  const returnedBefore = [[20n, 25n], [10n, 12n]];

  test('of before may come, those of after may not, and neither is lost', () => {
    write(1, [10, 20, 21, 30, 31]);
    const returnedAfter = [[11n, 12n], [22n, 25n], [32n, 35n]];
    const orders = { start: 30, end: 35, returnedBefore, returnedAfter };
    expect(checkOrders(orders)).toEqual({ ...CLEAN, ids: 5, distinct: 5, lost: 0 });
    write(2, [11, 33, 34]);
    expect(checkOrders(orders)).toMatchObject({ pastCounter: { count: 3 }, belowStart: NONE });
  });

  test('of before that nobody was given are lost', () => {
    write(1, [11, 24, 30]);
    expect(checkOrders({ start: 30, end: 32, returnedBefore }))
      .toEqual({ ...CLEAN, ids: 3, distinct: 3, lost: 6 });
  });

  test('come once, and nothing beside them does', () => {
    write(1, [10, 11, 20, 30]);
    write(2, [9, 11, 12, 19, 25]);
    const report = checkOrders({ start: 30, end: 31, returnedBefore });
    expect(report).toMatchObject({ duplicates: { count: 1 }, belowStart: { count: 4 } });
    expect(report.duplicates.first[0].id).toBe(11n);
  });

  test('that end at the counter let it go down', () => {
    write(1, [20, 21]);
    const orders = { start: 25, end: 22, returnedBefore, returnedAfter: [[10n, 12n]] };
    expect(checkOrders(orders)).toEqual({ ...CLEAN, ids: 2, distinct: 2, lost: 0 });
  });
});

describe('with ids that need many windows', () => {
  // Against a plain Map, which needs memory for each id.
  test.each([1, 2, 3, 4, 5])('the same faults are found (random, seed %d)', (seed) => {
    const random = randomNumbers(seed);
    const pick = (limit) => Math.floor(random() * limit);
    const times = new Map();
    for (let process = 0; process < 3; process++) {
      const ids = Array.from({ length: 500 }, () => pick(20) * PAGE_BITS * 7 + pick(400));
      for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
      write(process, ids, { ordered: process === 0 });
    }
    const [start, end] = [1000, 100 * PAGE_BITS];
    const given = [...times.keys()].sort((a, b) => a - b);
    const twice = given.filter((id) => times.get(id) > 1);
    const inside = given.filter((id) => id >= start && id < end).length;

    const report = checkOrders({ start, end, pages: FEW_PAGES });
    expect(report.duplicates.count).toBe(1500 - given.length);
    expect(report.duplicates.first.map(({ id, places }) => [Number(id), places.length]))
      .toEqual(twice.slice(0, 5).map((id) => [id, times.get(id)]));
    expect(report).toMatchObject({ ids: 1500, distinct: inside, lost: end - start - inside });
    expect(report).toEqual(checkOrders({ start, end }));
  });
});
