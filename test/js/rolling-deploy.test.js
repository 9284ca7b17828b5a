'use strict';

const { open } = require('../..');
const { readId } = require('../support/dated-ids');
const { Process } = require('../support/processes');
const { setClock } = require('../support/set-clock');
const { describeStores } = require('../support/stores');

const INSTANCES = 8;
const REPLACEMENTS = 3; // of each instance
const NOON = Date.parse('2024-02-29T12:00Z');

const KINDS = {
  plain: { options: { start: 1000 }, first: 1000, numberOf: (id) => id },
  dated: { options: { period: 'day' }, first: 1, numberOf: (id) => readId(id).count },
};

// Loads and steps differ, as they do where a load balancer does not know how long requests take.
const LOADS = [
  { together: 5 }, { together: 20 }, { together: 5, step: 10 }, { together: 40, step: { max: 50 } },
];

describeStores('a rolling deploy', (fixture) => {
  let running;

  beforeEach(() => {
    running = [];
    setClock(NOON);
  });

  afterEach(() => {
    for (const instance of running) instance.stop();
  });

  async function start(number, job) {
    const { together, step } = LOADS[number % LOADS.length];
    const options = { ...job.options, step };
    const instance = new Process({ ...job, script: 'rolling-worker.js', time: NOON, together, options });
    running.push(instance);
    await instance.ready;
    instance.begin();
    return instance;
  }

  // As Kubernetes does it: the new instance runs before the old one is told to end.
  async function deploy(job) {
    const instances = await Promise.all(Array.from({ length: INSTANCES }, (_, i) => start(i, job)));
    const reports = [];
    for (let i = 0; i < REPLACEMENTS * INSTANCES; i++) {
      instances.push(await start(i, job));
      const oldest = instances.shift();
      oldest.terminate();
      reports.push(oldest.result);
    }
    for (const instance of instances) instance.terminate();
    return Promise.all([...reports, ...instances.map(({ result }) => result)]);
  }

  // All numbers that a fresh instance is given before it comes to those that nobody had.
  async function takeReturned({ url, name, options }, last, numberOf) {
    const store = open(url);
    const sequence = store.sequence(name, options);
    const numbers = [];
    for (let number; (number = numberOf(await sequence.nextId())) <= last;) numbers.push(number);
    await store.close();
    return numbers;
  }

  test.each(Object.keys(KINDS))('of %s sequences leaves no gap and gives nothing twice', async (kind) => {
    const { options, first, numberOf } = KINDS[kind];
    const job = { url: fixture.freshUrl(), name: 'orders', options };
    const reports = await deploy(job);
    expect(reports).toHaveLength(INSTANCES * (1 + REPLACEMENTS));
    for (const { stats } of reports) expect(stats).toMatchObject({ lost: 0, inMemory: 0 });

    const given = reports.map(({ ids }) => ids.map(numberOf));
    for (const numbers of given) expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    const last = given.flat().reduce((a, b) => Math.max(a, b));
    const all = [...given.flat(), ...await takeReturned(job, last, numberOf)].sort((a, b) => a - b);
    const wrong = all.findIndex((number, i) => number !== first + i);
    expect(all.slice(Math.max(0, wrong - 1), wrong + 1)).toEqual([]); // where a gap or a repeat is
    expect(all.length).toBe(last - first + 1);
  }, 120_000);
});
