'use strict';

const { promisify } = require('node:util');

const { open } = require('../..');
const callbackInterface = require('../../lib/callback');
const { runNextid } = require('../support/run-nextid');
const { describeMongo, describeStores, sqlite } = require('../support/stores');
const { until } = require('../support/until');

const NAME = 'orders';
const LAST_NUMBER = Number.MAX_SAFE_INTEGER; // 2^53-1
const BORDER = 2n ** 53n;
const LAST_BIGINT = 2n ** 63n - 2n;

const OVERFLOW = { name: 'NextIdError', code: 'ERR_NEXTID_ID_OVERFLOW' };

/** `n` BigInts from `first` on. */
function bigints(first, n) {
  return Array.from({ length: n }, (_, i) => first + BigInt(i));
}

function expectRefused(calls, message) {
  const error = { ...OVERFLOW, message: expect.stringMatching(message) };
  return Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(error)));
}

describeStores('past 2^53', (fixture) => {
  let url;
  let store;
  const opened = [];

  // As another process would: nothing is shared but the counters.
  function connect() {
    const other = open(url);
    opened.push(other);
    return other;
  }

  // Where the counter stands, to the last digit, and not by nextid's word.
  async function standsAt() {
    if (fixture.kind === 'sqlite') {
      return BigInt(sqlite(url.slice('sqlite:'.length), `SELECT next FROM counters WHERE name = '${NAME}'`));
    }
    if (fixture.isSql) return BigInt((await fixture.readCounter(url, 'plain', NAME)).index);
    const { index } = await fixture.collection(url).findOne({ _id: NAME }, { useBigInt64: true });
    return index;
  }

  beforeEach(() => {
    url = fixture.freshUrl();
    store = connect();
  });

  afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

  describe('a sequence of numbers', () => {
    const refusal = /'orders'.* 90071992547409\d\d.*bigint: true.* or begin /;

    const expectEnd = async (orders) => {
      const calls = [
        orders.nextId(), orders.nextIds(1), orders.nextIds(2), orders.reserve(1), orders.reserve(2),
        orders.ready(),
      ];
      await expectRefused(calls, refusal);
      expect(orders.tryNextId()).toBeUndefined();
      await until(() => !orders.stats().refilling);
    };

    test.each([1, 7, 10, undefined])('ends with 2^53-1 (step %p)', async (step) => {
      const orders = store.sequence(NAME, { start: LAST_NUMBER - 24, step });
      const ids = [];
      while (ids.length < 25) ids.push(await orders.nextId());
      expect(ids).toEqual(Array.from({ length: 25 }, (_, i) => LAST_NUMBER - 24 + i));
      await expectEnd(orders);
    });

    test('may begin with 2^53-1', async () => {
      const orders = store.sequence(NAME, { start: LAST_NUMBER });
      expect(await orders.nextId()).toBe(LAST_NUMBER);
      await expectEnd(orders);
    });

    test('does not begin past it', async () => {
      await store.advance(NAME, BORDER);
      await expectEnd(store.sequence(NAME));
      expect(await standsAt()).toBe(BORDER);
    });

    test('gives its last numbers to tryNextId() and for await, too', async () => {
      const orders = store.sequence(NAME, { start: LAST_NUMBER - 3, step: 4 });
      await orders.ready();
      expect([orders.tryNextId(), orders.tryNextId()]).toEqual([LAST_NUMBER - 3, LAST_NUMBER - 2]);
      const ids = [];
      const takeAll = async () => {
        for await (const id of orders) ids.push(id);
      };
      await expectRefused([takeAll()], refusal);
      expect(ids).toEqual([LAST_NUMBER - 1, LAST_NUMBER]);
    });

    test('gives numbers in memory after a refill has failed', async () => {
      const orders = store.sequence(NAME, { start: LAST_NUMBER - 99, step: 100 });
      const ids = [await orders.nextId()];
      while (!orders.stats().refilling) ids.push(orders.tryNextId());
      await until(() => !orders.stats().refilling);
      expect(orders.stats().lastError).toMatchObject(OVERFLOW);
      expect(orders.stats().inMemory).toBeGreaterThan(0);
      while (ids.length < 100) ids.push(await orders.nextId());
      expect(ids).toEqual(Array.from({ length: 100 }, (_, i) => LAST_NUMBER - 99 + i));
      await expectEnd(orders);
    });

    test.each(['nextIds', 'reserve'])('refuses %s() over the end, which takes no number', async (method) => {
      const orders = store.sequence(NAME, { start: LAST_NUMBER - 4, step: 10 });
      await expectRefused([orders[method](6), orders[method](1000)], refusal);
      expect(await orders.nextId()).toBe(LAST_NUMBER - 4);
      await expectRefused([orders[method](5)], refusal);
      expect(await orders.nextIds(2)).toEqual([LAST_NUMBER - 3, LAST_NUMBER - 2]);
      expect(await orders.reserve(2)).toEqual({ first: LAST_NUMBER - 1, last: LAST_NUMBER, count: 2 });
      await expectEnd(orders);
    });

    test('reserves a block up to the end', async () => {
      const orders = store.sequence(NAME, { start: LAST_NUMBER - 999 });
      const block = await orders.reserve(1000);
      expect(block).toEqual({ first: LAST_NUMBER - 999, last: LAST_NUMBER, count: 1000 });
      await expectEnd(orders);
    });

    test('accounts for every number that it reserved', async () => {
      const orders = store.sequence(NAME, { start: LAST_NUMBER - 4, step: 10 });
      await orders.nextIds(3);
      await store.close();
      const { handedOut, inMemory, lost } = orders.stats();
      expect({ handedOut, inMemory }).toEqual({ handedOut: 3, inMemory: 0 });
      const returned = await fixture.returned(url);
      expect(await standsAt() - BigInt(LAST_NUMBER - 4)).toBe(BigInt(handedOut + lost + returned));
    });

    test('does not move the counter by calls that it refuses', async () => {
      const orders = store.sequence(NAME, { start: LAST_NUMBER - 2, step: 10 });
      await orders.nextIds(3);
      await expectEnd(orders);
      const end = await standsAt();
      await expectEnd(orders);
      await expectEnd(connect().sequence(NAME));
      expect(await standsAt()).toBe(end);
    });

    test('ends when others have passed it', async () => {
      const orders = store.sequence(NAME, { start: LAST_NUMBER - 50, step: 10 });
      expect(await orders.nextId()).toBe(LAST_NUMBER - 50);
      await connect().sequence(NAME, { bigint: true }).reserve(100);
      expect(await orders.nextIds(9)).toEqual(Array.from({ length: 9 }, (_, i) => LAST_NUMBER - 49 + i));
      await expectEnd(orders);
    });
  });

  describe('a sequence of BigInts', () => {
    test.each([1, 7, 10, 1000, undefined])('goes on without a gap (step %p)', async (step) => {
      const orders = store.sequence(NAME, { start: BORDER - 50n, step, bigint: true });
      const ids = [];
      while (ids.length < 100) ids.push(await orders.nextId());
      expect(ids).toEqual(bigints(BORDER - 50n, 100));
    });

    test('takes whatever call it is over the border', async () => {
      const orders = store.sequence(NAME, { start: BORDER - 5n, step: 100, bigint: true });
      expect(await orders.nextIds(10)).toEqual(bigints(BORDER - 5n, 10));
      expect([orders.tryNextId(), await orders.nextId()]).toEqual(bigints(BORDER + 5n, 2));
      for await (const id of orders) {
        expect(id).toBe(BORDER + 7n);
        break;
      }
      expect(await orders.reserve(3)).toEqual({ first: BORDER + 8n, last: BORDER + 10n, count: 3 });
      await orders.ready();
      expect(await orders.nextId()).toBe(BORDER + 11n);
    });

    test('goes over it by nextIds() that is more than a range', async () => {
      const orders = store.sequence(NAME, { start: BORDER - 100n, step: 10, bigint: true });
      await orders.nextId();
      expect(await orders.nextIds(1000)).toEqual(bigints(BORDER - 99n, 1000));
    });

    test.each([10, 100_000])('goes over it by reserve() of a block of its own (%p)', async (n) => {
      const orders = store.sequence(NAME, { start: BORDER - 8n, step: 5, bigint: true });
      await orders.nextId();
      await store.advance(NAME, BORDER - 2n); // so that the block does not fit what is in memory
      const block = await orders.reserve(n);
      expect(block).toEqual({ first: BORDER - 2n, last: BORDER - 3n + BigInt(n), count: n });
      expect(await orders.nextId()).toBeGreaterThan(block.last);
    });

    test('goes on where numbers have ended, and where others are', async () => {
      await store.sequence(NAME, { start: LAST_NUMBER - 1 }).nextIds(2);
      await store.close();
      const end = await standsAt();
      const sequences = [3, 5, 10].map((step) => connect().sequence(NAME, { step, bigint: true }));
      const calls = Array.from({ length: 100 }, (_, i) => sequences[i % 3].nextIds(1 + (i % 7)));
      const ids = (await Promise.all(calls)).flat();
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => id < end)).toEqual([]);
      await Promise.all(opened.map((each) => each.close()));
      const lost = sequences.reduce((sum, sequence) => sum + sequence.stats().lost, 0);
      expect(await standsAt() - end).toBe(BigInt(ids.length + lost));
    });

    test('gives back on close(), to the last digit', async () => {
      const orders = store.sequence(NAME, { start: BORDER - 1n, step: 100, bigint: true });
      await orders.nextIds(5);
      expect(await standsAt()).toBe(BORDER + 99n);
      await orders.close();
      expect(await standsAt()).toBe(BORDER + 4n);
      expect(await store.sequence(NAME, { bigint: true }).nextId()).toBe(BORDER + 4n);
    });

    test('goes on after advance(), to the last digit', async () => {
      const orders = store.sequence(NAME, { step: 100, bigint: true });
      await orders.nextId();
      expect(await store.advance(NAME, BORDER + 1n)).toBe(BORDER + 1n);
      expect(await orders.nextId()).toBe(BORDER + 1n);
    });
  });

  describe('the end of the BigInts', () => {
    const refusal = /'orders'.* 92233720368547758\d\d.*begin another sequence/;

    test('is 2^63-2', async () => {
      const orders = store.sequence(NAME, { start: LAST_BIGINT - 4n, step: 1, bigint: true });
      const ids = [await orders.nextId(), ...await orders.nextIds(2), (await orders.reserve(1)).last];
      expect([...ids, await orders.nextId()]).toEqual(bigints(LAST_BIGINT - 4n, 5));
      const calls = [orders.nextId(), orders.nextIds(2), orders.reserve(1), orders.ready()];
      await expectRefused(calls, refusal);
      expect(orders.tryNextId()).toBeUndefined();
      await until(() => !orders.stats().refilling);
      expect(await standsAt()).toBe(LAST_BIGINT + 1n);
    });

    test('is reached by one block', async () => {
      const orders = store.sequence(NAME, { start: LAST_BIGINT - 999n, bigint: true });
      const block = await orders.reserve(1000);
      expect(block).toEqual({ first: LAST_BIGINT - 999n, last: LAST_BIGINT, count: 1000 });
      await expectRefused([orders.reserve(1)], refusal);
    });

    test('may be the start', async () => {
      const orders = store.sequence(NAME, { start: LAST_BIGINT, step: 1, bigint: true });
      expect(await orders.nextId()).toBe(LAST_BIGINT);
      await expectRefused([orders.nextId()], refusal);
    });

    test('is not passed by a step or a call that is too large: nothing is reserved', async () => {
      await store.advance(NAME, LAST_BIGINT - 4n);
      const orders = store.sequence(NAME, { step: 10, bigint: true });
      await expectRefused([orders.nextId(), orders.nextIds(6), orders.reserve(6)], refusal);
      expect(await standsAt()).toBe(LAST_BIGINT - 4n);
      expect(await orders.reserve(5)).toEqual({ first: LAST_BIGINT - 4n, last: LAST_BIGINT, count: 5 });
    });

    test('is where advance() ends, too', async () => {
      expect(await store.advance(NAME, LAST_BIGINT)).toBe(LAST_BIGINT);
      await expect(store.advance(NAME, LAST_BIGINT + 1n)).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
      expect(await store.sequence(NAME, { step: 1, bigint: true }).nextId()).toBe(LAST_BIGINT);
      expect(await store.advance(NAME, 1)).toBe(LAST_BIGINT + 1n);
    });
  });

  test('list() gives numbers up to 2^53-1 and exact BigInts from there', async () => {
    const counters = [[1n, 1], [BORDER - 1n, LAST_NUMBER], [BORDER, BORDER], [BORDER + 1n, BORDER + 1n],
      [LAST_BIGINT, LAST_BIGINT]];
    for (const [i, [next, shown]] of counters.entries()) {
      expect(await store.advance(`sequence ${i}`, next)).toBe(shown);
    }
    expect(await store.list()).toEqual(
      counters.map(([, next], i) => ({ name: `sequence ${i}`, kind: 'plain', next })));
    await store.advance(NAME, LAST_BIGINT);
    await store.sequence(NAME, { step: 1, bigint: true }).nextId();
    expect((await store.list())[0]).toEqual({ name: NAME, kind: 'plain', next: LAST_BIGINT + 1n });
  });

  test('stats() counts in numbers, which JSON can hold', async () => {
    const orders = store.sequence(NAME, { start: BORDER - 3n, step: 100, bigint: true });
    await orders.nextIds(6);
    orders.tryNextId();
    const stats = orders.stats();
    expect(stats).toMatchObject({ name: NAME, handedOut: 7, inMemory: 93, lost: 0, refills: 1, step: 100 });
    expect(JSON.parse(JSON.stringify(stats))).toEqual(stats);
    await orders.close();
    expect(orders.stats()).toMatchObject({ handedOut: 7, inMemory: 0, lost: 0, returned: 93 });
  });

  describe('the callback interface', () => {
    const connectCallbacks = (options) => {
      const { init_id, next_id, close } = callbackInterface(url, options);
      opened.push({ close });
      return { initId: promisify(init_id), nextId: promisify(next_id) };
    };

    test('ends with 2^53-1', async () => {
      const ids = connectCallbacks({ start: LAST_NUMBER - 14 });
      const idstatus = await ids.initId(NAME);
      const given = [];
      while (given.length < 15) given.push(await ids.nextId(idstatus));
      expect(given).toEqual(Array.from({ length: 15 }, (_, i) => LAST_NUMBER - 14 + i));
      for (let call = 0; call < 3; call++) {
        await expect(ids.nextId(idstatus)).rejects.toMatchObject(OVERFLOW);
      }
      expect(idstatus).toMatchObject({ waiters: [], infetch: false });
    });

    test('hands the error to the callback of init_id where the counter has passed it', async () => {
      await store.advance(NAME, BORDER);
      await expectRefused([connectCallbacks().initId(NAME)], /'orders'/);
      expect(await standsAt()).toBe(BORDER);
    });
  });

  if (fixture.isByDriver) return; // the command line is the same

  describe('the command line', () => {
    const nextid = async (...args) => {
      const { code, stdout, stderr } = await runNextid([...args, '--store', url]);
      expect({ code, stderr: stderr.replace(/^nextid: created .*\n/, '') }).toEqual({ code: 0, stderr: '' });
      return stdout;
    };

    test('prints every digit', async () => {
      expect(await nextid('next', NAME, '--count', '4', '--start', '9007199254740990'))
        .toBe('9007199254740990\n9007199254740991\n9007199254740992\n9007199254740993\n');
      expect(await nextid('next', NAME)).toBe('9007199254740994\n');
      expect(await nextid('list')).toMatch(/^orders +plain +9007199254740995$/m);
      expect(await nextid('next', NAME, '--json')).toBe('{"name":"orders","id":"9007199254740995"}\n');
      expect(await nextid('advance', NAME, '9007199254740999')).toBe('9007199254740999\n');
      expect(await nextid('advance', NAME, '9007199254741001', '--json'))
        .toBe('{"name":"orders","next":"9007199254741001"}\n');
      expect(await nextid('list', '--json'))
        .toBe('[{"name":"orders","kind":"plain","next":"9007199254741001"}]\n');
    });

    test('prints 2^63-2 and then fails', async () => {
      expect(await nextid('advance', NAME, String(LAST_BIGINT))).toBe('9223372036854775806\n');
      expect(await nextid('next', NAME)).toBe('9223372036854775806\n');
      const { code, stdout, stderr } = await runNextid(['next', NAME, '--store', url]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^nextid: .*'orders'.* 9223372036854775807.* \[ERR_NEXTID_ID_OVERFLOW\]\n$/);
    });
  });
});

describeMongo('a counter that a shell wrote as a double', (fixture) => {
  let url;
  let ids;

  beforeEach(() => {
    url = fixture.freshUrl();
    ids = open(url);
  });

  afterEach(() => ids.close());

  test('below 2^53 becomes an int64 and is counted over the border', async () => {
    const { Double } = require('mongodb');
    await fixture.collection(url).insertOne({ _id: NAME, index: new Double(LAST_NUMBER - 4) });
    const orders = ids.sequence(NAME, { step: 10, bigint: true });
    expect(await orders.nextIds(25)).toEqual(bigints(BORDER - 5n, 25));
  });

  test('from 2^53 on is refused, since it is not exact', async () => {
    const { Double } = require('mongodb');
    const index = new Double(2 ** 53);
    await fixture.collection(url).insertOne({ _id: NAME, index });
    for (const bigint of [false, true]) {
      const orders = ids.sequence(NAME, { bigint });
      await expectRefused([orders.nextId()], /'orders'.* double .*2\^53.*--restore/);
      await orders.close();
    }
    const document = await fixture.collection(url).findOne({ _id: NAME }, { promoteValues: false });
    expect(document.index).toEqual(index);
  });
});
