'use strict';

// Memory runs out in the addon, at each of its allocations in turn, in real processes.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { needs } = require('../support/needs');
const { startProgram } = require('../support/run-program');
const { scarceMemoryEnvironment } = require('../support/scarce-memory');
const { scaled } = require('../support/scale');
const { describeNativeStores } = require('../support/stores');

// Allocations are counted by a library that is preloaded.
const describeWhereCounted = needs('linux').areMet
  ? describeStores
  : (title) => describe.skip(title, () => test('is counted on Linux', () => {}));

function describeStores(title, define) {
  describeNativeStores(title, define);
  describe(`${title} [memory]`, () => define({ freshUrl: () => 'memory:shared' })); // a store in JavaScript
}

// Runs in a process of its own: lets allocation number `n` fail, then every so-many-th after it, each in a
// round. Ids are written to `journal` before anything else is done. Reports the outcomes of calls after each
// round; the last is the one that has no allocation of its number.
async function program({ url, options, journal, n, every, gone }) {
  const { appendFileSync } = require('node:fs');
  const { open } = require('nextid');
  const { ScarceMemory } = require('./test/support/scarce-memory');

  const memory = new ScarceMemory();
  const outcomes = {};
  const count = (outcome) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  process.on('uncaughtException', (error) => {
    console.error(error);
    process.exit(1);
  });

  const write = (ids) => {
    const list = typeof ids === 'object' && !Array.isArray(ids) ? blockIds(ids) : [ids].flat();
    appendFileSync(journal, list.map((id) => `${id}\n`).join(''));
  };
  const blockIds = ({ first, last }) => (typeof first === 'number'
    ? Array.from({ length: last - first + 1 }, (_, i) => first + i) : [first, last]);

  // Resolves in any case, to what `make` made or undefined, and counts the outcome.
  const settled = async (make, use = () => {}) => {
    const LONG = 60_000; // ms; nothing here takes that long but a call that is lost
    let timer;
    const hang = new Promise((resolve, reject) => {
      timer = setTimeout(reject, LONG, new Error('hangs'));
    });
    try {
      const result = await Promise.race([make(), hang]);
      if (result !== undefined) use(result);
      count('done');
      return result;
    } catch (error) {
      count(`rejected: ${error.code ?? error.message}`);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  };

  const work = async (store, orders) => {
    const abort = new AbortController();
    const calls = [
      settled(() => orders.nextId(), write),
      settled(() => orders.nextIds(20), write),
      settled(() => orders.reserve(5), write),
      settled(() => orders.nextId({ signal: abort.signal }), write),
      settled(() => orders.tryNextId(), write),
      settled(() => store.list()),
      settled(() => orders.ready()),
    ];
    abort.abort();
    await Promise.all(calls);
    for (let i = 0; i < 8; i++) await settled(() => orders.nextId(), write);
  };

  // An id, if need be after the pause that follows failed refills, which may be longer than a call waits.
  const served = async (orders) => {
    const MOST_TRIES = 300;
    for (let tries = 1; ; tries++) {
      try {
        write(await orders.nextId());
        return;
      } catch (error) {
        if (error.code !== 'ERR_NEXTID_TIMEOUT' || tries === MOST_TRIES) throw error;
      }
    }
  };

  const begin = () => {
    const store = open(url);
    return { store, orders: store.sequence('orders', options) };
  };

  for (let round = n, ranOut = true; ranOut; round += every) {
    memory.runOut(round, gone);
    const opened = await settled(begin);
    if (opened === undefined) memory.comeBack();
    const { store, orders } = opened ?? begin();
    await work(store, orders);
    const closesWithout = ((round - 1) / every) % 2 === 1;
    if (closesWithout) await settled(() => store.close());
    ranOut = memory.comeBack() || opened === undefined;
    // Memory is back: no error sticks.
    if (!closesWithout) {
      await served(orders);
      await store.close();
    }
    const next = begin();
    await served(next.orders);
    await next.store.close();
    process.send({ round, outcomes, finished: !ranOut });
  }
  process.disconnect();
}

describeWhereCounted('out of memory in the addon', (fixture) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-'));
  let env;
  beforeAll(() => {
    env = scarceMemoryEnvironment(folder);
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  // In the long run each allocation of plain sequences, and every nth of the others.
  test.each([
    ['plain', 'one allocation', scaled(3, 1), {}],
    ['plain', 'one and all after it', scaled(40, 20), {}],
    ['dated', 'one allocation', scaled(10, 4), { period: 'day' }],
    ['cyclic', 'one allocation', 30, { cycle: 1_000_000 }],
    ['time-stamped', 'one allocation', scaled(10, 4), { timestamp: { maxAge: 100 } }],
  ])('%s: no id twice, no call hangs and no process crashes where %s fails', async (
    kind, failing, every, kindOptions,
  ) => {
    const gone = failing !== 'one allocation';
    const url = fixture.freshUrl();
    const journal = path.join(folder, `${fixture.kind} ${kind} ${gone}`);
    const options = { timeout: 150, ...kindOptions };
    const { outcomes, rounds, crashes } = await runAll({ url, options, journal, every, gone });
    const ids = fs.readFileSync(journal, 'utf8').split('\n').slice(0, -1);
    expect(new Set(ids).size).toBe(ids.length);
    expect(rounds).toBeGreaterThan(20);
    expect(Object.keys(outcomes)).toEqual(expect.arrayContaining(['done', 'rejected: std::bad_alloc']));
    expect(outcomes).not.toHaveProperty('rejected: hangs');
    expect(crashes).toEqual([]);
  });

  // Goes on in another process after one has crashed.
  async function runAll(job) {
    const outcomes = {};
    const crashes = [];
    for (let n = 1; ;) {
      const child = startProgram(program, [{ ...job, n }], { env });
      let last = { round: n - job.every, outcomes: {} };
      child.process.on('message', (message) => {
        last = message;
      });
      const { code, signal, stderr } = await child.ended;
      for (const [outcome, times] of Object.entries(last.outcomes)) {
        outcomes[outcome] = (outcomes[outcome] ?? 0) + times;
      }
      if (code === 0 && last.finished) return { outcomes, rounds: last.round, crashes };
      n = last.round + 2 * job.every;
      crashes.push(`${signal ?? code} at allocation ${last.round + job.every}: ${stderr}`);
    }
  }
});
