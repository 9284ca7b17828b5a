'use strict';

// A deposed leader that resumes answers for a moment from the data it had: reads, and writes that match
// nothing. Whatever else reaches it is not acknowledged.

const { promisify } = require('node:util');
const { open } = require('../..');
const callbackInterface = require('../../lib/callback');
const { confirmAtOnce } = require('../support/confirm-at-once');
const { startMongoProxy } = require('../support/mongo-proxy');
const { describeMongo } = require('../support/stores');
const { until } = require('../support/until');

const KINDS = [
  ['plain', 'ids', { step: 5 }],
  ['dated', 'ids', { period: 'year', step: 5 }],
  ['cyclic', 'counters', { cycle: 1_000_000 }],
  ['time-stamped', 'counters', { timestamp: true }],
];

describeMongo('a counter that is read from stale data', (fixture) => {
  let url;
  let proxy;
  let ids;

  beforeEach(async () => {
    proxy = await startMongoProxy(await fixture.address());
    url = fixture.freshUrl();
    ids = open(proxy.through(url));
  });

  afterEach(async () => {
    await ids.close();
    await proxy.close();
  });

  // The deposed leader answers the next `looks` at a counter, with the documents that a collection had.
  function answerFrom(documents, looks = Infinity) {
    let left = looks;
    let isStale = false;
    proxy.resetCounts();
    proxy.onRequest = (command, { filter }) => {
      if (command === 'findAndModify') {
        isStale = left-- > 0;
        return isStale ? { reply: { ok: 1, value: null } } : undefined;
      }
      if (command !== 'find' || !isStale) return undefined;
      const firstBatch = documents.filter(({ _id }) => _id === filter._id);
      return { reply: { ok: 1, cursor: { ns: 'shop.ids', id: 0n, firstBatch } } };
    };
  }

  describe.each(KINDS)('%s', (kind, collection, options) => {
    let sequence;
    let old;

    beforeEach(async () => {
      sequence = ids.sequence('orders', options);
      await sequence.nextIds(3);
      old = await fixture.collection(url, collection).find().toArray();
    });

    test.each(['gone', 'set back'].filter((how) => kind !== 'cyclic' || how === 'gone'))(
      '%s: no call hears of it, and the ids that come are new', async (how) => {
        const given = await sequence.nextIds(100);
        answerFrom(how === 'gone' ? [] : old, 2);
        const calls = [sequence.nextIds(100), sequence.nextId(), sequence.reserve(100), sequence.ready()];
        const [more, one, block] = await Promise.all(calls);
        expect(sequence.stats()).toMatchObject({ failures: 2, waiters: 0, lastError: undefined });
        expect(proxy.count('findAndModify')).toBeGreaterThan(2);
        const all = [...given, ...more, one, block.first, block.last];
        expect(new Set(all).size).toBe(all.length);
        expect(all.slice(100, 200).every((id) => id > given.at(-1))).toBe(true);
      });
  });

  test.each(KINDS.filter(([, , { step }]) => step !== undefined))(
    'a prefetch of a %s sequence looks again by itself', async (kind, _, options) => {
      const sequence = ids.sequence('orders', options);
      await sequence.nextIds(3);
      await until(() => !sequence.stats().refilling);
      answerFrom([], 1);
      while (!sequence.stats().refilling) sequence.tryNextId();
      await until(() => sequence.stats().failures > 0 && sequence.stats().inMemory > 0);
      expect(sequence.stats()).toMatchObject({ failures: 1, waits: 1, lastError: undefined });
    });

  test('init_id does not hear of it either', async () => {
    const { init_id, next_id, close } = callbackInterface(proxy.through(url), { start: 1000, step: 5 });
    const initId = promisify(init_id);
    const nextId = promisify(next_id);
    const idstatus = await initId('orders');
    const old = await fixture.collection(url).find().toArray();
    expect(await nextId(idstatus)).toBe(1000);
    answerFrom(old, 2);
    await initId('orders');
    expect(proxy.count('findAndModify')).toBeGreaterThan(2);
    expect(await nextId(idstatus)).toBeGreaterThan(1000);
    await close();
  });

  describe('that is so', () => {
    confirmAtOnce();

    test('it is refused, and is given again once it is read otherwise', async () => {
      const orders = ids.sequence('orders', { step: 5 });
      await orders.nextIds(3);
      answerFrom([]);
      await expect(orders.nextIds(100)).rejects.toMatchObject({ code: 'ERR_NEXTID_SEQUENCE_MISSING' });
      expect(orders.stats().failures).toBe(2);
      proxy.onRequest = undefined;
      expect(await orders.nextId()).toBeGreaterThan(5);
    });
  });
});
