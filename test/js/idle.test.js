'use strict';

// The option `idle` of open(): a sequence that is not used returns its numbers, and can be collected.

const { open } = require('../..');
const { clock } = require('../../lib/clock');
const { returnIdle } = require('../../lib/symbols');
const { runProgram } = require('../support/run-program');
const { setClock } = require('../support/set-clock');
const { describeStores } = require('../support/stores');
const { until } = require('../support/until');

const NEVER = 2_000_000_000; // ms; the tests call what the timer would
const STEP = { step: 100 };
const CLOSED = { code: 'ERR_NEXTID_CLOSED' };
const { now } = clock;

afterEach(() => {
  clock.now = now;
});

// Two checks: the first sees how many numbers were given.
async function rest(store) {
  await store[returnIdle]();
  await store[returnIdle]();
}

describeStores('an idle sequence', (fixture) => {
  let url;
  let ids;
  let orders;
  beforeEach(() => {
    url = fixture.freshUrl();
    ids = open(url, { idle: NEVER });
    orders = ids.sequence('orders', STEP);
  });
  afterEach(() => ids.close());

  const counter = () => fixture.read(url, 'orders');

  test('returns its numbers, and goes on where it stopped', async () => {
    expect(await orders.nextIds(7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    await rest(ids);
    expect(await counter()).toBe(8);
    expect(orders.stats()).toMatchObject({ handedOut: 7, released: 93, inMemory: 0, lost: 0, waiters: 0 });
    expect(orders.tryNextId()).toBe(undefined);
    expect(await orders.nextId()).toBe(8);
    expect(ids.sequence('orders')).toBe(orders);
    expect(await counter()).toBe(108);
  });

  test('returns them by a timer of its store', async () => {
    const store = open(url, { idle: 1 });
    const invoices = store.sequence('invoices', STEP);
    expect(await invoices.nextId()).toBe(1);
    await until(() => invoices.stats().released === 99);
    expect(await invoices.nextId()).toBe(2);
    await until(() => invoices.stats().released === 2 * 99);
    await store.close();
  });

  test('without the option, keeps them', async () => {
    const store = open(url);
    const invoices = store.sequence('invoices', STEP);
    await invoices.nextId();
    await rest(ids);
    expect(invoices.stats()).toMatchObject({ inMemory: 99, released: 0 });
    await store.close();
  });

  test('is one that has given no number', async () => {
    await orders.nextId();
    await ids[returnIdle]();
    for (let i = 0; i < 5; i++) {
      expect(orders.tryNextId()).toBe(i + 2);
      await ids[returnIdle]();
    }
    expect(orders.stats().released).toBe(0);
    await ids[returnIdle]();
    expect(orders.stats().released).toBe(94);
  });

  test('leaves its numbers to the next instance, and takes none below its own ids', async () => {
    const others = open(url, { idle: NEVER });
    const theirs = others.sequence('orders', STEP);
    expect(await orders.nextId()).toBe(1);
    expect(await theirs.nextId()).toBe(101);
    await rest(ids); // 2 to 100
    expect(await orders.nextId()).toBe(2);
    expect(await orders.nextIds(99)).toHaveLength(99); // up to 100, and 201
    await rest(others); // 102 to 200
    await rest(ids);
    expect(await orders.nextId()).toBeGreaterThan(201);
    await others.close();

    const fresh = open(url);
    expect(await fresh.sequence('orders', STEP).nextId()).toBe(102);
    await fresh.close();
  });

  test('that is called during the return gives none twice', async () => {
    const given = await orders.nextIds(3);
    await ids[returnIdle]();
    const returned = ids[returnIdle]();
    given.push(...await Promise.all([orders.nextId(), orders.nextId()]));
    await returned;
    given.push(await orders.nextId());
    await orders.close();
    const fresh = open(url);
    given.push(...await fresh.sequence('orders', STEP).nextIds(500));
    expect(new Set(given).size).toBe(given.length);
    expect(given.slice(0, 6)).toEqual(given.slice(0, 6).sort((a, b) => a - b));
    await fresh.close();
  });

  test.each([
    ['it', () => orders.close()], ['its store', () => ids.close()],
  ])('%s can be closed during the return', async (_, close) => {
    await orders.nextIds(3);
    await ids[returnIdle]();
    const returned = ids[returnIdle]();
    await close();
    await returned;
    expect(await counter()).toBe(4);
    await expect(orders.nextId()).rejects.toMatchObject(CLOSED);
  });

  test('can be closed, and so can its store, when nothing is in memory', async () => {
    const invoices = ids.sequence('invoices', STEP);
    await Promise.all([orders.nextId(), invoices.nextId()]);
    await rest(ids);
    await invoices.close();
    expect(ids.sequence('invoices')).not.toBe(invoices);
    await ids.close();
    await expect(orders.nextId()).rejects.toMatchObject(CLOSED);
    expect(await counter()).toBe(2);
  });

  test('advance() during the return is not undone', async () => {
    await orders.nextIds(3);
    await ids[returnIdle]();
    const returned = ids[returnIdle]();
    expect(await ids.advance('orders', 50)).toBeGreaterThanOrEqual(50);
    await returned;
    expect(await orders.nextId()).toBeGreaterThanOrEqual(50);
    await rest(ids);
    expect(await ids.advance('orders', 5000)).toBe(5000);
    expect(await orders.nextId()).toBe(5000);
  });

  test('keeps its options', async () => {
    await orders.nextId();
    await rest(ids);
    expect(() => ids.sequence('orders', { step: 5 })).toThrow('already open with other options');
    expect(ids.sequence('orders', STEP)).toBe(orders);
  });

  test('of another kind goes on, too', async () => {
    setClock('2014-06-25T12:00:00Z');
    const dated = ids.sequence('dated', { period: 'day', ...STEP });
    const cyclic = ids.sequence('cyclic', { cycle: 3 });
    const stamped = ids.sequence('stamped', { timestamp: { maxAge: 3_600_000 } });
    expect(await dated.nextId()).toBe('140625-0001');
    expect(await cyclic.nextIds(2)).toEqual([1, 2]);
    const first = await stamped.nextId();
    await rest(ids);
    expect(dated.stats()).toMatchObject({ prefix: 140625, inMemory: 0, released: 99 });
    expect(stamped.stats().inMemory).toBe(0);
    expect(await dated.nextId()).toBe('140625-0002');
    expect(await cyclic.nextIds(2)).toEqual([3, 1]);
    expect(await stamped.nextId() > first).toBe(true);
    await rest(ids);
    setClock('2014-06-26T12:00:00Z');
    expect(await dated.nextId()).toBe('140626-0001');
    await rest(ids);
    setClock('2014-06-25T13:00:00Z');
    expect(await dated.nextId()).toBe('140625-0003');
  });

  test('comes and goes with others, in two stores: none twice, and each instance counts up', async () => {
    const stores = [ids, open(url, { idle: NEVER })];
    const given = new Map();
    const work = async (store, name) => {
      let last = 0;
      for (let i = 0; i < 60; i++) {
        const got = i % 7 === 0 ? await store.sequence(name, STEP).nextIds(150)
          : [await store.sequence(name, STEP).nextId()];
        for (const id of got) {
          expect(id).toBeGreaterThan(last);
          last = id;
          expect(given.has(`${name} ${id}`)).toBe(false);
          given.set(`${name} ${id}`);
        }
        if (i % 3 === 0) await store[returnIdle]();
      }
    };
    const names = ['a', 'b', 'c'];
    await Promise.all(stores.flatMap((store) => names.map((name) => work(store, name))));
    await stores[1].close();
    for (const name of names) {
      await ids.sequence(name).close();
      const all = [...given.keys()].filter((key) => key[0] === name).length;
      expect(all).toBe(2 * (51 + 9 * 150));
    }
  });
});

describeStores('a sequence that nobody holds', (fixture) => {
  // Runs `program` with a store, rest(), collect() and the sequences that the store knows.
  async function run(program) {
    const source = `async (url) => {
      const ids = require('nextid').open(url, { idle: ${NEVER} });
      const known = () => ids[Symbol.for('nextid.openSequences')]().map(({ name }) => name).join();
      const collect = async () => {
        for (let i = 0; i < 5; i++) {
          await new Promise(setImmediate);
          gc();
        }
      };
      const rest = async () => {
        for (let i = 0; i < 2; i++) await ids[Symbol.for('nextid.returnIdle')]();
      };
      await (${program})({ ids, url, known, collect, rest });
      await ids.close();
    }`;
    const ended = await runProgram(source, [fixture.freshUrl()], { execArgv: ['--expose-gc'] });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return ended.stdout;
  }

  test('is collected when it is idle, not before', async () => {
    expect(await run(async ({ ids, known, collect, rest }) => {
      await ids.sequence('orders', { step: 10 }).nextId();
      await collect();
      console.log(known());
      await rest();
      await collect();
      console.log(`[${known()}]`);
      console.log(await ids.sequence('orders', { step: 20 }).nextId()); // other options are fine then
      await collect();
      console.log(known());
    })).toBe('orders\n[]\n2\norders\n');
  });

  test('is not collected while it is held, by for await too', async () => {
    expect(await run(async ({ ids, known, collect, rest }) => {
      const held = ids.sequence('held');
      const iterator = ids.sequence('iterated')[Symbol.asyncIterator]();
      await held.nextId();
      await iterator.next();
      await ids.sequence('lost').nextId();
      await rest();
      await collect();
      console.log(known(), held === ids.sequence('held'));
      console.log(await held.nextId(), (await iterator.next()).value);
    })).toBe('held,iterated true\n2 2\n');
  });

  test('is not collected while a call waits', async () => {
    expect(await run(async ({ ids, known, collect, rest }) => {
      await ids.sequence('orders', { step: 10 }).nextId();
      await rest();
      const waiting = Promise.all([ids.sequence('orders').nextId(), ids.sequence('orders').nextIds(30)]);
      await rest();
      await collect();
      console.log((await waiting).flat().length);
      await collect();
      console.log(known());
    })).toBe('31\norders\n');
  });

  test('goes on above its ids when it is opened again', async () => {
    expect(await run(async ({ ids, url, known, collect, rest }) => {
      const step = { step: 10 };
      const others = require('nextid').open(url);
      const theirs = others.sequence('orders', step);
      console.log(...await ids.sequence('orders', step).nextIds(10));
      console.log(await theirs.nextId());
      console.log(...await ids.sequence('orders').nextIds(5));
      await theirs.close(); // returns a range below the ids just given
      await rest();
      await collect();
      console.log(`[${known()}]`, await ids.sequence('orders', step).nextId());
      console.log(await others.sequence('orders', step).nextId());
      await others.close();
      const fresh = require('nextid').open(url);
      console.log(await fresh.sequence('orders', step).nextId());
      await fresh.close();
    })).toMatch(/^1 2 3 4 5 6 7 8 9 10\n11\n21 22 23 24 25\n\[\] 26\n12\n\d+\n$/);
  });

  test('of the kind dated is collected, and goes on', async () => {
    expect(await run(async ({ ids, known, collect, rest }) => {
      const options = { period: 'year', format: '{YYYY}-{count:2}', step: 10 };
      console.log((await ids.sequence('orders', options).nextId()).slice(4));
      await rest();
      await collect();
      console.log(`[${known()}]`, (await ids.sequence('orders', options).nextId()).slice(4));
    })).toBe('-01\n[] -02\n');
  });

  test('is collected with its store, if that is not held either', async () => {
    expect(await run(async ({ url, collect }) => {
      const useOnce = async () => {
        const store = require('nextid').open(url, { idle: 1 });
        await store.sequence('orders', { step: 10 }).nextId();
        return new WeakRef(store);
      };
      const reference = await useOnce();
      while (reference.deref() !== undefined) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        await collect();
      }
      console.log('gone');
    })).toBe('gone\n');
  });

  test('and its store let the process end', async () => {
    const program = async (url) => {
      const orders = require('nextid').open(url, { idle: 60_000 }).sequence('orders');
      console.log(await orders.nextId());
    };
    expect(await runProgram(program, [fixture.freshUrl()])).toMatchObject({ code: 0, stdout: '1\n' });
  });
});
