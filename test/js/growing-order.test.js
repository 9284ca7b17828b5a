'use strict';

const { setImmediate: nextTurn } = require('node:timers/promises');
const { open } = require('../..');
const { describeStores } = require('../support/stores');
const { until } = require('../support/until');

const NAME = 'orders';
const START = 100;
const ROUNDS = 4;
const CALLS = 250; // in a round

// Numbers from 0 to 1, the same ones for the same seed (mulberry32, by Tommy Ettinger).
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Makes CALLS calls of all kinds. Most do not wait for those before them. Returns what they gave: `inOrder`,
// in the order of the calls, and `inBlocks`, the numbers of reserve().
async function callAtRandom(sequence, random) {
  const ordered = [];
  const blocks = [];
  const some = (most) => 1 + Math.floor(most * random() ** 3); // small numbers more often
  const kinds = [
    () => ordered.push(sequence.nextId()),
    () => ordered.push(sequence.nextIds(some(60))),
    () => ordered.push(sequence.tryNextId() ?? []),
    () => blocks.push(sequence.reserve(some(60))),
  ];
  for (let i = 0; i < CALLS; i++) {
    kinds[Math.floor(random() * kinds.length)]();
    const pause = random();
    if (pause < 0.05) await Promise.all(ordered);
    else if (pause < 0.2) await nextTurn();
  }
  const inBlocks = (await Promise.all(blocks)).flatMap(({ first, last, count }) => {
    expect(last - first + 1).toBe(count);
    return Array.from({ length: count }, (_, i) => first + i);
  });
  return { inOrder: (await Promise.all(ordered)).flat(), inBlocks };
}

// The first two neighbours of which the later is not larger.
function firstFall(ids) {
  const at = ids.findIndex((id, i) => i > 0 && id <= ids[i - 1]);
  return at < 0 ? undefined : ids.slice(at - 1, at + 1);
}

function expectDistinct(ids) {
  expect(new Set(ids).size).toBe(ids.length);
}

const STEPS = [[1], [3], [10], [undefined]];

describeStores('calls of all kinds at once', (fixture) => {
  let url;
  const opened = [];

  // As another process would: nothing is shared but the counter.
  function connect(step) {
    const store = open(url);
    opened.push(store);
    return store.sequence(NAME, { start: START, step });
  }

  beforeEach(() => {
    url = fixture.freshUrl();
  });

  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));

  // Each number that the counter has moved by is in the stats of one of them, once. (Numbers that were given
  // back, `returned`, have moved the counter back.)
  async function expectBalance(...sequences) {
    await until(() => !sequences.some((sequence) => sequence.stats().refilling));
    const all = sequences.map((sequence) => sequence.stats());
    const kept = ({ handedOut, inMemory, lost }) => handedOut + inMemory + lost;
    const balance = all.reduce((sum, stats) => sum + kept(stats), 0) + await fixture.returned(url);
    expect(balance).toBe((await fixture.read(url, NAME)) - START);
  }

  test.each(STEPS)('give each number once, and growing ones but for reserve() (step %p)', async (step) => {
    const random = randomNumbers(1);
    const sequence = connect(step);
    const inOrder = [];
    const inBlocks = [];
    for (let round = 0; round < ROUNDS; round++) {
      const given = await callAtRandom(sequence, random);
      inOrder.push(...given.inOrder);
      inBlocks.push(...given.inBlocks);
      await expectBalance(sequence);
    }
    expect(firstFall(inOrder)).toBeUndefined();
    expectDistinct([...inOrder, ...inBlocks]);
    expect(sequence.stats()).toMatchObject({
      handedOut: inOrder.length + inBlocks.length, lost: 0, waiters: 0,
    });

    const { inMemory } = sequence.stats();
    await sequence.close();
    await expectBalance(sequence);
    const { inMemory: left, returned, lost } = sequence.stats();
    expect([left, returned + lost]).toEqual([0, inMemory]);
  });

  test.each(STEPS)('do so on two that take numbers in between each other (step %p)', async (step) => {
    const sequences = [connect(step), connect(10)];
    const randoms = [randomNumbers(2), randomNumbers(3)];
    const given = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      const both = await Promise.all(sequences.map((sequence, i) => callAtRandom(sequence, randoms[i])));
      both.forEach((numbers, i) => given[i].push(numbers));
      await expectBalance(...sequences);
    }
    for (const numbers of given) {
      expect(firstFall(numbers.flatMap(({ inOrder }) => inOrder))).toBeUndefined();
    }
    const all = given.flat().flatMap(({ inOrder, inBlocks }) => [...inOrder, ...inBlocks]);
    expectDistinct(all);
    expect(Math.min(...all)).toBe(START);

    for (const sequence of sequences) await sequence.close();
    await expectBalance(...sequences);
  });

  test('two loops over one sequence share its ids', async () => {
    const sequence = connect(7);
    const loop = async () => {
      const ids = [];
      for await (const id of sequence) {
        ids.push(id);
        if (ids.length === 100) break;
      }
      return ids;
    };
    const [left, right] = await Promise.all([loop(), loop()]);
    expect([firstFall(left), firstFall(right)]).toEqual([undefined, undefined]);
    expectDistinct([...left, ...right]);
    expect(await sequence.nextId()).toBe(START + 200);
  });

  test('a million ids are one refill, and keep their place', async () => {
    const million = 1_000_000;
    const sequence = connect(10);
    const [before, ids, after] =
      await Promise.all([sequence.nextId(), sequence.nextIds(million), sequence.nextId()]);
    expect([before, ids[0], ids.at(-1), after])
      .toEqual([START, START + 1, START + million, START + million + 1]);
    expect(ids).toHaveLength(million);
    expect(firstFall(ids)).toBeUndefined();
    expect(sequence.stats().refills).toBe(2); // of the first call, and of the two that came meanwhile
    await expectBalance(sequence);
  });

  test.each([
    ['one of', 1, false], ['less than', 19, false], ['all of', 20, false], ['more than', 21, true],
  ])('nextIds() of %s what is in memory (%p)', async (_, n, waits) => {
    const sequence = connect(20);
    await sequence.ready();
    const { waits: before } = sequence.stats();
    const ids = await sequence.nextIds(n);
    expect(ids).toEqual(Array.from({ length: n }, (_, i) => START + i));
    expect(sequence.stats()).toMatchObject({ handedOut: n, waits: before + (waits ? 1 : 0) });
    expect(await sequence.nextId()).toBe(START + n);
    await expectBalance(sequence);
  });
});
