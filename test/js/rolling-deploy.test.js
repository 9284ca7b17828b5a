'use strict';

const { open } = require('../..');
const { readId } = require('../support/dated-ids');
const { olderCounter } = require('../support/older-version');
const { Process } = require('../support/processes');
const { scaled } = require('../support/scale');
const { setClock } = require('../support/set-clock');
const { describeMongo, describeNativeStores, describeStores } = require('../support/stores');

const INSTANCES = scaled(4, 8);
const REPLACEMENTS = scaled(1, 3); // of each instance
const NAME = 'orders';
const NOON = Date.parse('2024-02-29T12:00Z');

const KINDS = {
  plain: { options: { start: 1000 }, first: 1000, numberOf: (id) => id },
  dated: { options: { period: 'day' }, first: 1, numberOf: (id) => readId(id).count, prefix: 240229 },
};

// Loads and steps differ, as they do where a load balancer does not know how long requests take.
const LOADS = [
  { together: 5 }, { together: 20 }, { together: 5, step: 10 }, { together: 40, step: { max: 50 } },
];

let running;

beforeEach(() => {
  running = [];
  setClock(NOON);
});

afterEach(() => {
  for (const process of running) process.stop();
});

async function start(job) {
  const process = new Process(job);
  running.push(process);
  await process.ready;
  process.begin();
  return process;
}

function startInstance(number, { url, name = NAME, options }) {
  const { together, step } = LOADS[number % LOADS.length];
  const job = { script: 'rolling-worker.js', url, name, time: NOON, together };
  return start({ ...job, options: { ...options, step } });
}

// As Kubernetes does it: the new instance runs before the old one is told to end. Returns what all reported.
async function deploy(counter, instances, replacements) {
  const present = await Promise.all(Array.from({ length: instances }, (_, i) => startInstance(i, counter)));
  const reports = [];
  for (let i = 0; i < replacements * instances; i++) {
    present.push(await startInstance(i, counter));
    reports.push(endOf(present.shift()));
  }
  return Promise.all([...reports, ...present.map(endOf)]);
}

function endOf(process) {
  process.terminate();
  return process.result;
}

// The numbers that a fresh instance is given before it comes to those above `last`.
async function takeReturned({ url, name = NAME, options, numberOf }, last) {
  const store = open(url);
  const sequence = name === '' ? store.sequence(options) : store.sequence(name, options);
  const numbers = [];
  for (let number; (number = numberOf(await sequence.nextId())) <= last;) numbers.push(number);
  await store.close();
  return numbers;
}

const largest = (numbers) => numbers.reduce((a, b) => Math.max(a, b));
const sorted = (numbers) => numbers.toSorted((a, b) => a - b);
const repeats = (numbers) => sorted(numbers).filter((number, i, all) => number === all[i - 1]);
const missing = (numbers) => sorted(numbers).filter((number, i, all) => i > 0 && number > all[i - 1] + 1)
  .map((number) => number - 1);

describeStores(`a rolling deploy of ${INSTANCES} instances`, (fixture) => {
  test.each(Object.keys(KINDS))('leaves no gap, and gives no number twice: %s', async (kind) => {
    const counter = { ...KINDS[kind], url: fixture.freshUrl() };
    const reports = await deploy(counter, INSTANCES, REPLACEMENTS);
    expect(reports).toHaveLength(INSTANCES * (1 + REPLACEMENTS));
    for (const { stats } of reports) expect(stats).toMatchObject({ lost: 0, inMemory: 0 });

    const given = reports.map(({ ids }) => ids.map(counter.numberOf));
    for (const numbers of given) expect(numbers).toEqual(sorted(numbers));
    const last = largest(given.flat());
    const all = [...given.flat(), ...await takeReturned(counter, last)];
    expect({ repeats: repeats(all), missing: missing(all) }).toEqual({ repeats: [], missing: [] });
    expect(sorted(all)[0]).toBe(counter.first);
  });
});

describeNativeStores('a rolling deploy beside instances of an older version', (fixture) => {
  test.each(Object.keys(KINDS))('gives no number twice: %s', async (kind) => {
    const counter = { ...KINDS[kind], url: fixture.freshUrl() };
    const { url, prefix } = counter;
    const older = olderCounter(url, NAME, prefix);
    await older.make(counter.first);
    const job = { script: 'older-worker.js', url, name: NAME, prefix, step: 10 };
    const beside = await Promise.all([start(job), start(job)]);
    const reports = await deploy(counter, 4, 1);
    const theirs = (await Promise.all(beside.map(endOf))).map(({ numbers }) => numbers);
    expect(Math.min(...theirs.map(({ length }) => length))).toBeGreaterThan(0);

    const ours = reports.flatMap(({ ids }) => ids.map(counter.numberOf));
    const given = [...ours, ...theirs.flat()];
    const all = [...given, ...await takeReturned(counter, largest(given))];
    expect(repeats(all)).toEqual([]);
    expect(sorted(all)[0]).toBe(counter.first);

    // They go on where we have stopped.
    const next = await older.reserve(1);
    expect(next).toBeGreaterThan(largest(all));
    await older.close();
  });
});

describeMongo('a rolling deploy beside programs of the blog', (fixture) => {
  const { prefix } = KINDS.dated;
  test.each([
    ['plain', NAME, { script: 'callback-worker.js', library: 'blog', together: 25, count: 3000 }],
    ['dated', '', { script: 'blog-days-worker.js', prefix, count: 500 }],
  ])('gives no number twice: %s', async (kind, name, job) => {
    const counter = { ...KINDS[kind], name, url: fixture.freshUrl() };
    const { url, numberOf } = counter;
    // Of two programs of the blog that make a counter at once, one may fail.
    const first = await takeReturned(counter, counter.first);
    const beside = await Promise.all([job, job].map((each) => start({ ...each, url, name })));
    const reports = await deploy(counter, 4, 1);
    const theirs = await Promise.all(beside.map(({ result }) => result));

    const ours = reports.flatMap(({ ids }) => ids.map(numberOf));
    const given = [...ours, ...theirs.flatMap(({ ids, counts }) => ids ?? counts)];
    const all = [...first, ...given, ...await takeReturned(counter, largest(given))];
    expect(repeats(all)).toEqual([]);
    expect(sorted(all)[0]).toBe(counter.first);
  });
});
