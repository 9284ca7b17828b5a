'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { open } = require('../..');
const callbackInterface = require('../../lib/callback');
const { startMongoProxy } = require('../support/mongo-proxy');
const { ROOT, runProgram } = require('../support/run-program');
const { describeMongo, describeStores } = require('../support/stores');

const NAME = 'orders';

describeStores('two stores on one URL', (fixture) => {
  let url;
  let ours;
  let theirs;

  beforeEach(() => {
    url = fixture.freshUrl();
    ours = open(url);
    theirs = open(url);
  });

  afterEach(() => Promise.all([ours.close(), theirs.close()]));

  test('have one counter, which begins with the start of the first to come', async () => {
    const first = ours.sequence(NAME, { start: 50, step: 10 });
    const second = theirs.sequence(NAME, { start: 1, step: 5 });
    expect(await first.nextId()).toBe(50);
    expect(await second.nextId()).toBe(60);
    expect(await first.nextId()).toBe(51);
    expect(await ours.list()).toEqual([{ name: NAME, kind: 'plain', next: 65 }]);
    expect(await theirs.list()).toEqual(await ours.list());
  });

  test('list what the other has returned, until it is given', async () => {
    const first = ours.sequence(NAME, { step: 10 });
    await first.nextIds(3);
    const second = theirs.sequence(NAME, { step: 10 });
    await second.nextId();
    await first.close();
    expect(await theirs.list()).toEqual([{ name: NAME, kind: 'plain', next: 21, returned: 7 }]);
    await ours.sequence(NAME, { step: 5 }).nextId();
    expect(await theirs.list()).toEqual([{ name: NAME, kind: 'plain', next: 21, returned: 2 }]);
  });

  test('have objects of their own for the same name', async () => {
    const first = ours.sequence(NAME);
    const second = theirs.sequence(NAME, { step: 3 });
    expect(second).not.toBe(first);
    await first.close();
    expect(await second.nextId()).toBe(1);
  });

  test('one advances: the other goes on with what it holds, and then from there', async () => {
    const orders = ours.sequence(NAME, { step: 10 });
    await orders.ready();
    expect(await theirs.advance(NAME, 5000)).toBe(5000);
    expect(await orders.nextIds(10)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(await orders.nextId()).toBe(5000);
  });

  test('one gives back on close(), the other goes on there', async () => {
    await ours.sequence(NAME, { step: 100 }).nextIds(7);
    await ours.close();
    expect(await theirs.sequence(NAME).nextId()).toBe(8);
  });
});

describeStores('advance() while numbers are taken', (fixture) => {
  let store;
  let orders;

  beforeEach(() => {
    store = open(fixture.freshUrl());
    orders = store.sequence(NAME, { step: 10 });
  });

  afterEach(() => store.close());

  const ways = {
    nextId: () => orders.nextId(),
    nextIds: () => orders.nextIds(25),
    reserve: () => orders.reserve(25),
    tryNextId: () => orders.tryNextId(),
  };

  // Whether the refill or advance() comes first is left to chance.
  test.each(Object.keys(ways))('calls after it get no lower number (%s is under way)', async (way) => {
    for (let round = 1; round <= 40; round++) {
      const border = 1000 * round;
      const underWay = ways[way]();
      expect(await store.advance(NAME, border)).toBeGreaterThanOrEqual(border);
      const [id, ids, { first }] =
        await Promise.all([orders.nextId(), orders.nextIds(12), orders.reserve(12)]);
      expect(Math.min(id, ...ids, first)).toBeGreaterThanOrEqual(border);
      await underWay;
    }
  });

  test('downwards drops nothing', async () => {
    await store.advance(NAME, 100);
    expect(await orders.nextIds(3)).toEqual([100, 101, 102]);
    expect(await store.advance(NAME, 5)).toBe(110);
    expect(await orders.nextIds(3)).toEqual([103, 104, 105]);
    expect(orders.stats().lost).toBe(0);
  });

  test('makes the counter that the sequence then does not make', async () => {
    const invoices = store.sequence('invoices', { start: 7 });
    expect(await store.advance('invoices', 0)).toBe(0);
    expect(await invoices.nextId()).toBe(0);
  });

  test('counts what it drops as lost, and leaves other sequences alone', async () => {
    const invoices = store.sequence('invoices', { step: 10 });
    await Promise.all([orders.nextId(), invoices.nextId()]);
    await store.advance(NAME, 5000);
    expect([await orders.nextId(), await invoices.nextId()]).toEqual([5000, 2]);
    expect([orders.stats().lost, invoices.stats().lost]).toEqual([9, 0]);
  });
});

describeMongo('advance() while the reply to a refill is on its way', (fixture) => {
  const ways = [
    ['nextId', (orders) => orders.nextId()],
    ['nextIds', async (orders) => (await orders.nextIds(25))[0]],
    ['reserve', async (orders) => (await orders.reserve(25)).first],
  ];

  test.each(ways)('throws its numbers away; %s() gets others', async (_, take) => {
    const proxy = await startMongoProxy(await fixture.address());
    const store = open(proxy.through(fixture.freshUrl()));
    const orders = store.sequence(NAME, { step: 10 });
    await store.advance(NAME, 100);

    let letGo;
    const held = new Promise((resolve) => {
      letGo = resolve;
    });
    const replied = new Promise((resolve) => {
      proxy.onReply = (command) => {
        if (command !== 'findAndModify') return undefined;
        proxy.onReply = undefined;
        resolve();
        return held;
      };
    });
    const taken = take(orders);
    await replied;
    await store.advance(NAME, 5000);
    letGo();

    expect(await taken).toBe(5000);
    expect(orders.stats().lost).toBeGreaterThanOrEqual(10);
    await store.close();
    await proxy.close();
  });
});

describeStores('Symbol.asyncDispose', (fixture) => {
  // What `await using` calls, which Node knows from version 24 on.
  test('of a sequence and of a store is close()', async () => {
    const url = fixture.freshUrl();
    const store = open(url);
    const orders = store.sequence(NAME, { step: 100 });
    const invoices = store.sequence('invoices', { step: 100 });
    await Promise.all([orders.nextId(), invoices.nextId()]);

    await orders[Symbol.asyncDispose]();
    expect(await fixture.read(url, NAME)).toBe(2);
    await expect(orders.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_CLOSED' });

    await store[Symbol.asyncDispose]();
    expect(await fixture.read(url, 'invoices')).toBe(2);
    await expect(store.list()).rejects.toMatchObject({ code: 'ERR_NEXTID_CLOSED' });
  });
});

describe('open() without a URL', () => {
  let folder;

  beforeEach(() => {
    folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-default-')));
  });

  afterEach(() => fs.rmSync(folder, { recursive: true }));

  // The next id of a process in the folder, and the URL of the store it is from.
  async function nextIdOfProcess(env, expectedStderr = '') {
    const { stdout, stderr } = await runProgram(
      async (packageFolder, name) => {
        const store = require(packageFolder).open();
        await require(packageFolder).open().close();
        const id = await store.sequence(name).nextId();
        await store.close();
        console.log(JSON.stringify({ id, url: store.url }));
      },
      [ROOT, NAME],
      { cwd: folder, env },
    );
    expect(stderr).toEqual(expectedStderr);
    return JSON.parse(stdout);
  }

  describeStores('with $NEXTID_STORE', (fixture) => {
    test('is that store', async () => {
      const url = fixture.freshUrl();
      expect(await nextIdOfProcess({ NEXTID_STORE: url, NODE_ENV: 'production' })).toMatchObject({ id: 1 });
      expect(await fixture.read(url, NAME)).toBe(2);
      expect(fs.readdirSync(folder)).toEqual([]);
    });
  });

  test('is nextid.db in the working directory, with a warning in production', async () => {
    const url = `sqlite:${path.join(folder, 'nextid.db')}`;
    const NEXTID_STORE = undefined;
    expect(await nextIdOfProcess({ NEXTID_STORE })).toEqual({ id: 1, url });
    const warning = /^\(node:\d+\) \[NEXTID_DEFAULT_STORE\] Warning: .* the file (\S+): .*\n(\(Use .*\)\n)?$/;
    const once = expect.stringMatching(warning);
    expect(await nextIdOfProcess({ NEXTID_STORE, NODE_ENV: 'production' }, once)).toEqual({ id: 2, url });
    expect(fs.readdirSync(folder)).toContain('nextid.db');
  });

  test.each([
    ['open(undefined)', () => open(undefined), /^the store is undefined: expected .*environment variable/],
    ['open(undefined, {})', () => open(undefined, {}), /^the store is undefined: expected /],
    ['callback(undefined)', () => callbackInterface(undefined), /^the store is undefined: expected /],
    ['callback(undefined, {})', () => callbackInterface(undefined, {}), /^the store is undefined: /],
    ["open('')", () => open(''), /^the URL of the store is empty: expected .*environment variable/],
    ['open()', () => open(), /^\$NEXTID_STORE is empty: expected /],
    ['callback()', () => callbackInterface(), /^\$NEXTID_STORE is empty: expected /],
  ])('%s is refused with an empty $NEXTID_STORE', (_, call, words) => {
    const { NEXTID_STORE } = process.env;
    process.env.NEXTID_STORE = '';
    try {
      const message = expect.stringMatching(words);
      expect(call).toThrow(
        expect.objectContaining({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE', message }));
    } finally {
      if (NEXTID_STORE === undefined) delete process.env.NEXTID_STORE;
      else process.env.NEXTID_STORE = NEXTID_STORE;
    }
  });

  test('callback() uses $NEXTID_STORE', async () => {
    const { stdout } = await runProgram((packageFolder) => {
      const { init_id, next_id, close } = require(`${packageFolder}/lib/callback`)();
      init_id('orders', (_, idstatus) => next_id(idstatus, (error, id) => {
        console.log(id);
        close();
      }));
    }, [ROOT], { cwd: folder, env: { NEXTID_STORE: 'sqlite:callback.db' } });
    expect(stdout).toBe('1000\n');
    expect(fs.readdirSync(folder)).toEqual(['callback.db']);
  });
});
