'use strict';

// Sequences over a store that answers late, in another order, or never. It is a fake, because a real database
// cannot be made to do each of these at a given moment.

const path = require('node:path');
const { runProgram } = require('../support/run-program');

const FAKE = path.join(__dirname, '..', '..', 'build', 'fake_async_store.node');
const ADDON = path.join(__dirname, '..', '..', 'lib', 'addon.js');
const STORE = path.join(__dirname, '..', '..', 'lib', 'store.js');

const { addon } = require(ADDON);
const { Store } = require(STORE);
const { make } = require(FAKE);

let fake;
let store;

beforeEach(() => {
  fake = make();
  store = new Store({
    sequence: (...others) => new addon.Sequence(fake.store, ...others),
    close: async () => {},
  }, 'fake:');
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

// Ends the reservation `i` with as many numbers as it asks for, from `first`. Returns the end.
function serve(i, first) {
  const end = first + fake.begin(i);
  fake.done(i, first, end);
  return end;
}

test('a call waits until the store answers, and calls after it are served in their order', async () => {
  const orders = store.sequence('orders', { step: 3 });
  const calls = [orders.nextId(), orders.nextIds(2), orders.nextId()];
  expect(fake.reserves()).toBe(1);
  expect(serve(0, 7)).toBe(11); // four are waited for: more than the step
  expect(await Promise.all(calls)).toEqual([7, [8, 9], 10]);
});

test('numbers that come after the call has timed out go to the next call', async () => {
  const orders = store.sequence('orders', { step: 3, timeout: 1 });
  const late = orders.nextId();
  fake.begin(0);
  await expect(late).rejects.toMatchObject({ code: 'ERR_NEXTID_TIMEOUT' });
  fake.done(0, 1, 4);
  expect(await orders.nextIds(3)).toEqual([1, 2, 3]);
});

test('of a reservation that nobody wants when its turn comes, nothing is asked', async () => {
  const orders = store.sequence('orders', { timeout: 1 });
  await expect(orders.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_TIMEOUT' });
  const closed = orders.close();
  expect(fake.begin(0)).toBeUndefined();
  await closed;
  expect(fake.releases()).toEqual([]);
});

test('sequences are independent: the store may answer them in any order', async () => {
  const names = ['a', 'b', 'c'];
  const calls = names.map((name) => store.sequence(name, { step: 2 }).nextIds(2));
  for (const i of [2, 0, 1]) fake.begin(i);
  for (const i of [1, 2, 0]) fake.done(i, 10 * i + 1, 10 * i + 3);
  expect(await Promise.all(calls)).toEqual([[1, 2], [11, 12], [21, 22]]);
});

test('close() waits for the reservation under way, and gives its numbers back', async () => {
  const orders = store.sequence('orders', { step: 5 });
  const call = orders.nextId();
  fake.begin(0);
  let isClosed = false;
  const closed = orders.close().then(() => {
    isClosed = true;
  });
  await expect(call).rejects.toMatchObject({ code: 'ERR_NEXTID_CLOSED' });
  await settled();
  expect(isClosed).toBe(false);
  fake.done(0, 1, 6);
  expect(fake.releases()).toEqual([[1, 6]]);
  await settled();
  expect(isClosed).toBe(false);
  fake.released(0, true);
  await closed;
  expect(orders.stats()).toMatchObject({ lost: 0, returned: 5 });
});

test('a reservation that fails, or for which there is no memory, is made again', async () => {
  const orders = store.sequence('orders', { step: 2 });
  const call = orders.nextIds(2);
  fake.begin(0);
  fake.done(0);
  while (fake.reserves() < 2) await settled();
  fake.notBegun(1);
  while (fake.reserves() < 3) await settled();
  serve(2, 1);
  expect(await call).toEqual([1, 2]);
});

test('numbers of a period that has ended meanwhile are given back to it', async () => {
  const RealDate = Date;
  const noon = RealDate.UTC(2026, 0, 31, 12);
  jest.useFakeTimers({ now: noon, doNotFake: ['setTimeout', 'setImmediate', 'performance', 'nextTick'] });
  try {
    const tickets = store.sequence('tickets', { period: 'day', step: 4 });
    const call = tickets.nextId();
    fake.begin(0);
    jest.setSystemTime(noon + 86_400_000);
    const another = tickets.nextId();
    expect(fake.reserves()).toBe(2);
    fake.begin(1);
    fake.done(1, 1, 5); // that of the new day comes first
    expect(await call).toBe('260201-0001');
    expect(await another).toBe('260201-0002');
    fake.done(0, 1, 5);
    expect(fake.releases()).toEqual([[1, 5]]);
    expect(await tickets.nextId()).toBe('260201-0003');
  } finally {
    jest.useRealTimers();
  }
});

describe('a store that never answers', () => {
  const program = async (files, isBegun) => {
    const [{ addon: native }, { Store: StoreClass }, { make: makeFake }] = files.map(require);
    const { Worker, isMainThread } = require('node:worker_threads');
    const hang = () => {
      const silent = makeFake();
      const open = { sequence: (...others) => new native.Sequence(silent.store, ...others), close() {} };
      const orders = new StoreClass(open, 'fake:').sequence('orders', { timeout: 60_000 });
      orders.nextId().catch(() => {});
      if (isBegun) silent.begin(0);
      return orders;
    };
    if (!isMainThread) return hang().nextId();
    const source = `(${program})(${JSON.stringify(files)}, ${isBegun})`;
    const worker = new Worker(source, { eval: true });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await worker.terminate();
    hang();
    setTimeout(() => process.exit(0), 10);
  };

  test.each([[true], [false]])('harms no process or worker_thread that ends (begun: %s)', async (isBegun) => {
    const named = `const program = ${program}; program`;
    const ended = await runProgram(`(...args) => { ${named}(...args); }`, [[ADDON, STORE, FAKE], isBegun]);
    expect(ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });

  test('keeps the sequence in memory only until it answers', async () => {
    const collected = async (files) => {
      const [{ addon: native }, { Store: StoreClass }, { make: makeFake }] = files.map(require);
      const silent = makeFake();
      const open = { sequence: (...others) => new native.Sequence(silent.store, ...others), close() {} };
      const begin = () => {
        const orders = new StoreClass(open, 'fake:').sequence('orders', { timeout: 1 });
        orders.nextId().catch(() => {});
        silent.begin(0);
        return new WeakRef(orders);
      };
      const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
      const weak = begin();
      await pause();
      global.gc();
      console.log(weak.deref() !== undefined);
      silent.done(0, 1, 11);
      while (weak.deref() !== undefined) {
        await pause();
        global.gc();
      }
      console.log(weak.deref() !== undefined);
    };
    const ended = await runProgram(collected, [[ADDON, STORE, FAKE]], { execArgv: ['--expose-gc'] });
    expect(ended).toEqual({ code: 0, signal: null, stdout: 'true\nfalse\n', stderr: '' });
  });
});
