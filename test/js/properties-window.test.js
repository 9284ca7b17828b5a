'use strict';

// Two instances take numbers from one file in any order of calls, with small steps, so that windows,
// prefetches and releases meet all the time. No number comes twice, those of one instance grow, and what is
// missing at the end is what stats() says was lost.

const fc = require('fast-check');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout } = require('node:timers/promises');

const { open } = require('../../lib');

const CHECKED = { seed: 20140625, numRuns: 100 };

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-properties-'));
let files = 0;
const freshUrl = () => `sqlite:${path.join(folder, `${++files}.db`)}`;

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** One store and its sequence, which may be closed and opened again, and what it gave. */
class Instance {
  #store;
  #sequence;
  #options;
  #pending = [];
  #opened = []; // all sequences so far
  inOrder = []; // promises of arrays of numbers, in the order of the calls
  blocks = [];

  constructor(url, options) {
    this.#store = open(url);
    this.#options = options;
    this.#reopen();
  }

  async act({ what, n }) {
    switch (what) {
      case 'nextId':
        for (let i = 0; i < n; i++) this.#add(this.#sequence.nextId().then((id) => [id]));
        break;
      case 'nextIds':
        this.#add(this.#sequence.nextIds(n));
        break;
      case 'reserve':
        this.#addBlock(this.#sequence.reserve(n));
        break;
      case 'tryNextId': {
        const id = this.#sequence.tryNextId();
        if (id !== undefined) this.#add(Promise.resolve([id]));
        break;
      }
      case 'abort':
        this.#addAborted(n);
        break;
      case 'settle': // and let the prefetch come, so that there are numbers in memory
        await Promise.all(this.#pending);
        while (this.#sequence.stats().refilling) await setTimeout(1);
        break;
      case 'reopen':
        await Promise.all(this.#pending); // else they are refused
        await this.#sequence.close();
        this.#reopen();
        break;
      case 'reopenAtOnce':
        await Promise.all(this.#pending);
        this.#sequence.close();
        this.#reopen();
        break;
    }
  }

  /** Closes the store and returns how many numbers it lost. */
  async end() {
    await Promise.all(this.#pending);
    await this.#store.close();
    let lost = 0;
    for (const sequence of this.#opened) {
      const stats = sequence.stats();
      expect(stats).toMatchObject({ inMemory: 0, waiters: 0, failures: 0 });
      lost += stats.lost;
    }
    return lost;
  }

  #reopen() {
    this.#sequence = this.#store.sequence('orders', this.#options);
    this.#opened.push(this.#sequence);
  }

  #add(promise) {
    this.inOrder.push(promise);
    this.#pending.push(promise);
  }

  #addBlock(promise) {
    this.blocks.push(promise);
    this.#pending.push(promise);
  }

  // A call that is taken back right away; it may have been served before.
  #addAborted(n) {
    const controller = new AbortController();
    const ids = this.#sequence.nextIds(n, { signal: controller.signal });
    this.#add(ids.catch((error) => {
      expect(error.name).toBe('AbortError');
      return [];
    }));
    controller.abort();
  }
}

const action = fc.record({
  who: fc.nat({ max: 1 }),
  what: fc.constantFrom('nextId', 'nextId', 'nextId', 'nextIds', 'reserve', 'tryNextId', 'tryNextId', 'abort',
    'settle', 'settle', 'reopen', 'reopenAtOnce'),
  n: fc.integer({ min: 1, max: 12 }),
});
const step = fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constant({ min: 1, max: 20, target: 1 }));

async function play(actions, steps, bigint) {
  const url = freshUrl();
  const instances = steps.map((each) => new Instance(url, { step: each, bigint }));
  for (const { who, ...rest } of actions) await instances[who].act(rest);
  let lost = 0;
  for (const instance of instances) lost += await instance.end();

  const given = new Set();
  const wrong = [];
  const take = (id) => {
    if (typeof id !== (bigint ? 'bigint' : 'number') || given.has(id)) wrong.push(id);
    given.add(id);
  };
  for (const { inOrder, blocks } of instances) {
    const ids = (await Promise.all(inOrder)).flat();
    ids.forEach((id, i) => {
      if (i > 0 && !(id > ids[i - 1])) wrong.push(id);
      take(id);
    });
    for (const { first, last, count } of await Promise.all(blocks)) {
      expect(Number(last - first) + 1).toBe(count);
      for (let id = first; id <= last; id++) take(id);
    }
  }
  expect(wrong).toEqual([]);
  const store = open(url);
  const [counter] = await store.list();
  await store.close();
  expect((counter?.next ?? 1) - 1).toBe(given.size + lost + (counter?.returned ?? 0));
}

const actions = fc.array(action, { minLength: 1, maxLength: 60, size: 'max' });

test('no number twice, growing, and nothing lost that is not counted', async () => {
  await fc.assert(fc.asyncProperty(actions, fc.tuple(step, step), fc.boolean(), play), CHECKED);
});
