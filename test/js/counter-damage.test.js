'use strict';

const fs = require('node:fs');
const { open } = require('../..');
const { confirmAtOnce } = require('../support/confirm-at-once');
const { describeStores } = require('../support/stores');
const { until } = require('../support/until');

confirmAtOnce();

const STEP = 100;

describeStores('a counter that is damaged while it is in use', (fixture) => {
  let url;
  let ids;
  let orders;
  let given;

  beforeEach(async () => {
    url = fixture.freshUrl();
    ids = open(url);
    orders = ids.sequence('orders', { step: STEP });
    given = [await orders.nextId()];
  });

  afterEach(() => ids.close());

  // Takes ids up to the one that starts a refill, and waits for its end. Numbers are left in memory then.
  async function refillAheadOfNeed() {
    while (!orders.stats().refilling) given.push(orders.tryNextId());
    expect(orders.stats().inMemory).toBeGreaterThan(0);
    await until(() => !orders.stats().refilling);
  }

  function takeAllFromMemory() {
    for (let id = orders.tryNextId(); id !== undefined; id = orders.tryNextId()) given.push(id);
  }

  // Whatever happened, ids are given again, and none that were given.
  async function expectNewIds() {
    const more = [await orders.nextId(), ...await orders.nextIds(2 * STEP)];
    more.push((await orders.reserve(STEP)).first);
    expect(new Set([...given, ...more]).size).toBe(given.length + more.length);
    expect(Math.min(...more)).toBeGreaterThan(given.at(-1));
    expect(orders.stats().lastError).toBeUndefined();
  }

  async function expectAllCallsToReject(error) {
    const calls = [orders.nextId(), orders.nextIds(3), orders.reserve(3), orders.ready()];
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(error)));
    expect(orders.tryNextId()).toBeUndefined();
    await until(() => !orders.stats().refilling);
  }

  const MISSING = 'ERR_NEXTID_SEQUENCE_MISSING';
  const REWOUND = 'ERR_NEXTID_SEQUENCE_REWOUND';
  const remedy = 'nextid advance --store URL orders 101';
  describe.each([
    ['deleted', MISSING, /'orders'.* is gone: .* below 101; /, () => fixture.remove(url, 'orders')],
    ['set back', REWOUND, /'orders'.* stands at 50: .* below 101; /, () => fixture.write(url, 'orders', 50)],
  ])('%s', (_, code, message, damage) => {
    const error = { code, message: expect.stringMatching(message) };
    beforeEach(damage);

    test('numbers in memory are thrown away when it is found, and no call gets one', async () => {
      await refillAheadOfNeed();
      const { inMemory, lost, handedOut, lastError } = orders.stats();
      expect(inMemory).toBe(0);
      expect(handedOut).toBe(given.length);
      expect(lost).toBe(STEP - given.length);
      expect(lastError).toMatchObject(error);
      expect(lastError.message).toContain(remedy);
      await expectAllCallsToReject(error);
    });

    test('a waiter finds it too', async () => {
      const calls = Array.from({ length: 3 }, () => orders.nextIds(STEP));
      await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject(error)));
      expect(orders.stats().inMemory).toBe(0);
    });

    test('it is not mended behind anybody\'s back', async () => {
      const damaged = await fixture.read(url, 'orders');
      await expect(orders.nextIds(STEP)).rejects.toMatchObject(error);
      await ids.close();
      expect(await fixture.read(url, 'orders')).toBe(damaged);
    });

    test('advance() mends it', async () => {
      await refillAheadOfNeed();
      // The refill that looks again may reserve from it at once.
      expect([101, 201]).toContain(await ids.advance('orders', 101));
      await expectNewIds();
    });

    test('advance() to too low a number does not', async () => {
      await refillAheadOfNeed();
      await ids.advance('orders', 60);
      await expectAllCallsToReject({ code: REWOUND });
      await ids.advance('orders', 101);
      await expectNewIds();
    });

    test('a direct write mends it', async () => {
      await refillAheadOfNeed();
      await fixture.write(url, 'orders', 5000);
      expect(await orders.nextId()).toBe(5000);
      await expectNewIds();
    });

    test('mended before anybody saw it, it was never damaged', async () => {
      await fixture.write(url, 'orders', 101);
      await refillAheadOfNeed();
      expect(orders.stats()).toMatchObject({ failures: 0, lost: 0 });
      takeAllFromMemory();
      await expectNewIds();
    });
  });

  const INVALID = 'ERR_NEXTID_COUNTER_INVALID';
  const OVERFLOW = 'ERR_NEXTID_ID_OVERFLOW';
  const OTHER_TYPES = [ // which the column of an SQL table cannot hold
    ['made a string', 'many', INVALID, /'orders'.* holds .*'many' in \w+: expected an integer from 0 to /],
    ['made 1.5', 1.5, INVALID, /'orders'.* holds .*1\.5 in \w+: expected an integer from 0 to /],
  ];
  describe.each([
    ...(fixture.isSql ? [] : OTHER_TYPES),
    ['made negative', -1, INVALID, /'orders'.* holds .*-1 in \w+: expected an integer from 0 to /],
    ['pushed past 2^53', 2n ** 53n + 10n, OVERFLOW, /'orders'.* stands at 9007199254741002: .*bigint: true/],
    ['pushed to its end', 2n ** 63n - 1n, OVERFLOW, /'orders'.* stands at 9223372036854775807: .*bigint/],
  ])('%s', (_, damage, code, message) => {
    const error = { code, message: expect.stringMatching(message) };
    beforeEach(() => fixture.write(url, 'orders', damage));

    test('numbers in memory are good, and are given; then calls reject', async () => {
      await refillAheadOfNeed();
      expect(orders.stats().lastError).toMatchObject(error);
      takeAllFromMemory();
      expect(given).toEqual(Array.from({ length: STEP }, (_, i) => 1 + i));
      await until(() => !orders.stats().refilling);
      await expectAllCallsToReject(error);
    });

    test('a direct write mends it', async () => {
      await expect(orders.nextIds(STEP)).rejects.toMatchObject(error);
      takeAllFromMemory();
      await until(() => !orders.stats().refilling);
      await fixture.write(url, 'orders', 101);
      await expectNewIds();
    });

    test('list() shows it, with what is wrong with it', async () => {
      const [counter, ...others] = await ids.list();
      expect(others).toEqual([]);
      const wrong = code === INVALID
        ? { next: undefined, problem: expect.stringContaining('an integer from 0 to') }
        : { next: damage };
      expect(counter).toEqual({ name: 'orders', kind: 'plain', ...wrong });
    });

    test('close() leaves it as it is', async () => {
      const before = await ids.list();
      await ids.close();
      const others = open(url);
      const after = await others.list();
      expect(after.map(({ returned, ...counter }) => counter)).toEqual(before);
      await others.close();
    });
  });

  if (fixture.kind === 'sqlite') {
    test('the file is deleted: calls reject until it is put back', async () => {
      const file = url.slice('sqlite:'.length);
      const names = ['', '-wal', '-shm'].map((end) => file + end);
      for (const name of names) fs.renameSync(name, `${name}.away`);
      await refillAheadOfNeed();
      await expectAllCallsToReject({ code: MISSING, message: expect.stringContaining('put it back') });
      for (const name of names) expect(fs.existsSync(name)).toBe(false);
      for (const name of names) fs.renameSync(`${name}.away`, name);
      await expectNewIds();
    });
  }
});
