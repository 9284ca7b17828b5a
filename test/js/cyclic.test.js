'use strict';

const { open } = require('../..');
const { confirmAtOnce } = require('../support/confirm-at-once');
const { closeOutages, heldStore } = require('../support/outages');
const { runTogether } = require('../support/processes');
const { describeMongo, describeStores } = require('../support/stores');
const { Thread } = require('../support/threads');
const { startMongoProxy } = require('../support/mongo-proxy');
const { postCounter } = require('../support/post-counter');
const { scaled } = require('../support/scale');
const { until } = require('../support/until');

confirmAtOnce();

const NAME = 'serial';
const KIND = 'cyclic';

const WRAP = 'ERR_NEXTID_ACROSS_WRAP';
const MISSING = 'ERR_NEXTID_SEQUENCE_MISSING';
const INVALID = 'ERR_NEXTID_COUNTER_INVALID';
const CONFLICT = 'ERR_NEXTID_OPTIONS_CONFLICT';

afterEach(closeOutages);

const byNumber = (a, b) => a - b;
const numbers = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

// 1…cycle, each of them so many times, in order.
const eachOf = (cycle, times) => numbers(1, cycle).flatMap((id) => new Array(times).fill(id));

// The two tests of the post on counters that wrap around: the largest id, and how often each comes up.
const CALLERS = scaled(8, 20);
const IDS_OF_EACH = scaled(25, 100);
const TESTS_OF_THE_POST = [[CALLERS * IDS_OF_EACH, 1], [scaled(20, 100), scaled(10, 20)]];

// How callers run at the same time. Each takes IDS_OF_EACH ids, one after the other.
const alone = (job) => job.callers.map((library) => ({ ...job, callers: [library] }));
const WAYS = [
  ['processes', (job) => runTogether(alone(job))],
  ['worker_threads', (job) => runTogether(alone(job), Thread)],
  ['concurrent callers in one process', (job) => runTogether([job])],
];

async function idsOf(run, { url, cycle, callers }) {
  const reports = await run({
    script: 'cyclic-worker.js', url, name: NAME, cycle, count: IDS_OF_EACH, callers,
  });
  return reports.flatMap(({ ids }) => ids);
}

describeStores(`${CALLERS} callers × ${IDS_OF_EACH} ids`, (fixture) => {
  const callers = new Array(CALLERS).fill('nextid');

  describe.each(WAYS)('%s', (_, run) => {
    test.each(TESTS_OF_THE_POST)('with maximum %d: each id exactly %d times', async (cycle, times) => {
      const url = fixture.freshUrl();
      const ids = await idsOf(run, { url, cycle, callers });
      expect(ids.sort(byNumber)).toEqual(eachOf(cycle, times));
      expect(await fixture.readCounter(url, KIND, NAME)).toEqual({ val: cycle, maxval: cycle });
    });
  });
});

describeMongo(`as many callers with the loop of the post as with nextid, × ${IDS_OF_EACH} ids`, (fixture) => {
  const half = new Array(CALLERS / 2);
  const callers = [...half.fill('nextid'), ...half.slice().fill('post')];

  describe.each(WAYS)('%s', (_, run) => {
    test.each(TESTS_OF_THE_POST)('with maximum %d: each id exactly %d times', async (cycle, times) => {
      const url = fixture.freshUrl();
      await postCounter(fixture.collection(url, 'counters')).make(NAME, cycle);
      const ids = await idsOf(run, { url, cycle, callers });
      expect(ids.sort(byNumber)).toEqual(eachOf(cycle, times));
      expect(await fixture.readCounter(url, KIND, NAME)).toEqual({ val: cycle, maxval: cycle });
    });
  });
});

describeStores('a cyclic sequence', (fixture) => {
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
  });

  afterEach(() => store.close());

  const serialOf = (cycle) => store.sequence(NAME, { cycle });
  const readVal = async () => (await fixture.readCounter(url, KIND, NAME)).val;

  test('nextId() begins with 1, and again after the largest', async () => {
    const serial = serialOf(3);
    const ids = [];
    while (ids.length < 8) ids.push(await serial.nextId());
    expect(ids).toEqual([1, 2, 3, 1, 2, 3, 1, 2]);
  });

  test('nextIds() goes round, also several times', async () => {
    const serial = serialOf(5);
    expect(await serial.nextIds(4)).toEqual([1, 2, 3, 4]);
    expect(await serial.nextIds(3)).toEqual([5, 1, 2]);
    expect(await serial.nextIds(13)).toEqual([3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
    expect(await readVal()).toBe(5);
    expect(await serial.nextIds(5)).toEqual([1, 2, 3, 4, 5]);
    expect(await serial.nextId()).toBe(1);
  });

  test('a cycle of 1 gives nothing but 1', async () => {
    const serial = serialOf(1);
    expect(await serial.nextIds(3)).toEqual([1, 1, 1]);
    expect(await serial.reserve(1)).toEqual({ first: 1, last: 1, count: 1 });
    expect(await serial.nextId()).toBe(1);
  });

  test('the largest cycle goes round too', async () => {
    const cycle = 9_000_000_000_000_000;
    await serialOf(cycle).ready();
    await fixture.writeCounter(url, KIND, NAME, { val: cycle - 2, maxval: cycle });
    expect(await serialOf(cycle).nextIds(5)).toEqual([cycle - 1, cycle, 1, 2, 3]);
  });

  test('two sequences have counters of their own', async () => {
    const [days, hours] = [store.sequence('days', { cycle: 31 }), store.sequence('hours', { cycle: 24 })];
    expect(await days.nextIds(40)).toHaveLength(40);
    expect([await days.nextId(), await hours.nextId()]).toEqual([10, 1]);
    expect(await store.list()).toEqual([
      { name: 'days', kind: KIND, cycle: 31, next: 11 }, { name: 'hours', kind: KIND, cycle: 24, next: 2 },
    ]);
  });

  test('can be iterated over, round after round', async () => {
    const ids = [];
    for await (const id of serialOf(3)) {
      ids.push(id);
      if (ids.length === 7) break;
    }
    expect(ids).toEqual([1, 2, 3, 1, 2, 3, 1]);
    expect(await readVal()).toBe(1); // and none was taken beyond
  });

  describe('reserve()', () => {
    test('across the wrap is refused and moves nothing; the caller gets it after the wrap', async () => {
      const serial = serialOf(10);
      await serial.nextIds(8);
      await expect(serial.reserve(3)).rejects.toMatchObject({
        code: WRAP, message: expect.stringMatching(/'serial'.* has 2 ids left .* block of 3 /),
      });
      expect(await readVal()).toBe(8);
      expect(await serial.nextIds(2)).toEqual([9, 10]);
      expect(await serial.reserve(3)).toEqual({ first: 1, last: 3, count: 3 });
      expect(await serial.nextId()).toBe(4);
      expect(serial.stats()).toMatchObject({ lost: 0, inMemory: 0, lastError: undefined });
    });

    test('may end at the largest id, and may be the whole cycle', async () => {
      const serial = serialOf(10);
      expect(await serial.reserve(10)).toEqual({ first: 1, last: 10, count: 10 });
      expect(await serial.reserve(10)).toEqual({ first: 1, last: 10, count: 10 });
      await serial.nextIds(7);
      expect(await serial.reserve(3)).toEqual({ first: 8, last: 10, count: 3 });
      expect(await serial.nextId()).toBe(1);
    });

    test('of the whole cycle is refused where one id of it is given', async () => {
      const serial = serialOf(10);
      await serial.nextId();
      await expect(serial.reserve(10)).rejects.toMatchObject({ code: WRAP });
      expect(await readVal()).toBe(1);
    });

    test('of more than the cycle is refused by name, without asking the store', async () => {
      const serial = serialOf(10);
      await expect(serial.reserve(11)).rejects.toMatchObject({
        name: 'RangeError', code: 'ERR_OUT_OF_RANGE',
        message: expect.stringMatching(/'n' is 11: expected at most 10, the ids of a round/),
      });
      expect(serial.stats()).toMatchObject({ refills: 0, failures: 0 });
      for (const n of [0, -1, 1.5, '3', NaN]) {
        await expect(serial.reserve(n)).rejects.toMatchObject({ message: expect.stringContaining("'n'") });
      }
    });

    test('that is refused is nobody else\'s refusal', async () => {
      const serial = serialOf(10);
      await serial.nextIds(7);
      const outcomes = await Promise.allSettled([
        serial.nextId(), serial.reserve(5), serial.reserve(1), serial.nextIds(2), serial.reserve(4),
      ]);
      // Blocks go before those who wait in the order of nextId().
      const [one, tooLong, shortBlock, two, lateBlock] = outcomes;
      expect(tooLong).toMatchObject({ status: 'rejected', reason: { code: WRAP } });
      const given = [
        one.value, shortBlock.value.first, ...two.value,
        ...(lateBlock.status === 'fulfilled' ? numbers(lateBlock.value.first, lateBlock.value.last) : []),
      ];
      expect(new Set(given).size).toBe(given.length);
      expect(given.slice(0, 4).sort(byNumber)).toEqual([1, 8, 9, 10]);
    });
  });

  test('ready() takes no number, and makes the counter', async () => {
    const serial = serialOf(10);
    await serial.ready();
    expect(await fixture.readCounter(url, KIND, NAME)).toEqual({ val: 0, maxval: 10 });
    await serial.ready();
    expect(await serial.nextId()).toBe(1);
    await serial.ready();
    expect(await readVal()).toBe(1);
    expect(serial.stats()).toMatchObject({ handedOut: 1, lost: 0 });
  });

  test('tryNextId() is undefined, and takes no number', async () => {
    const serial = serialOf(10);
    expect(await serial.nextId()).toBe(1);
    for (let i = 0; i < 5; i++) expect(serial.tryNextId()).toBeUndefined();
    expect(serial.stats()).toMatchObject({ refilling: false, inMemory: 0, refills: 1 });
    expect(await serial.nextId()).toBe(2);
    await serial.close();
    expect(() => serial.tryNextId()).toThrow(expect.objectContaining({ code: 'ERR_NEXTID_CLOSED' }));
  });

  test('of another store on the same counter goes on where this one is', async () => {
    const other = open(url);
    const [ours, theirs] = [serialOf(4), other.sequence(NAME, { cycle: 4 })];
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push(await ours.nextId(), await theirs.nextId());
    expect(ids).toEqual([1, 2, 3, 4, 1, 2]);
    await other.close();
  });
});

describeStores('a refill of a cyclic sequence takes exactly as many as wait', (fixture) => {
  let url;
  let store;
  let serial;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
    serial = store.sequence(NAME, { cycle: 7000 });
  });

  afterEach(() => store.close());

  test('after 1000 calls at once the counter has moved by 1000', async () => {
    await serial.nextIds(6500);
    const ids = await Promise.all(Array.from({ length: 1000 }, () => serial.nextId()));
    expect(ids).toEqual([...numbers(6501, 7000), ...numbers(1, 500)]);
    expect(await fixture.readCounter(url, KIND, NAME)).toEqual({ val: 500, maxval: 7000 });
    expect(serial.stats()).toMatchObject({ handedOut: 7500, inMemory: 0, lost: 0, step: 0, waiters: 0 });
  });

  test('also where calls come one after the other, whatever the load was', async () => {
    await Promise.all(Array.from({ length: 500 }, () => serial.nextId()));
    for (let id = 501; id <= 520; id++) {
      expect(await serial.nextId()).toBe(id);
      expect(serial.stats().refilling).toBe(false);
    }
    expect(await fixture.readCounter(url, KIND, NAME)).toMatchObject({ val: 520 });
  });

  test('all who wait share one round trip', async () => {
    const outage = await heldStore(fixture);
    const held = open(outage.url);
    const sequence = held.sequence(NAME, { cycle: 7000, timeout: 50_000 });
    await sequence.nextId();
    const { refills } = sequence.stats();
    await outage.begin();
    const first = sequence.nextId();
    await until(() => sequence.stats().refilling);
    const others = Array.from({ length: 5000 }, () => sequence.nextId());
    await outage.end();
    expect([await first, ...(await Promise.all(others))]).toEqual(numbers(2, 5002));
    expect(sequence.stats().refills - refills).toBe(2); // the first one's, and that of 5000
    await held.close();
  });
});

describeMongo('a refill of a cyclic sequence', (fixture) => {
  test('is one findAndModify, as the server sees it', async () => {
    const url = fixture.freshUrl();
    const proxy = await startMongoProxy(await fixture.address());
    const store = open(proxy.through(url));
    const serial = store.sequence(NAME, { cycle: 3000 });
    await serial.nextId();
    proxy.resetCounts();

    expect(await serial.nextIds(5000)).toEqual([
      ...numbers(2, 3000), ...numbers(1, 2001),
    ]);
    expect(proxy.count('findAndModify')).toBe(1);
    await Promise.all(Array.from({ length: 5000 }, () => serial.nextId()));
    expect(proxy.count('findAndModify')).toBe(3); // the first one's, and that of those behind it
    expect(['find', 'update', 'insert'].map((command) => proxy.count(command))).toEqual([0, 0, 0]);

    await store.close();
    await proxy.close();
  });
});

describeStores('a cyclic sequence whose store answers late', (fixture) => {
  let outage;
  let store;
  let serial;

  beforeEach(async () => {
    outage = await heldStore(fixture);
    store = open(outage.url);
    serial = store.sequence(NAME, { cycle: 10, timeout: 50_000 });
    await serial.nextIds(8);
  });

  afterEach(async () => {
    await outage.end();
    await store.close();
  });

  // What another program finds next.
  async function nextOfOthers() {
    const others = open(outage.url);
    const id = await others.sequence(NAME, { cycle: 10 }).nextId();
    await others.close();
    return id;
  }

  test('a call that is aborted while it waits for a refill is not reserved for', async () => {
    const controller = new AbortController();
    await outage.begin();
    const first = serial.nextId();
    await until(() => serial.stats().refilling);
    const calls = [serial.nextIds(3, { signal: controller.signal }), serial.nextId(), serial.nextId()];
    const aborted = expect(calls[0]).rejects.toMatchObject({ name: 'AbortError' });
    controller.abort();
    await aborted;
    await outage.end();
    expect(await Promise.all([first, ...calls.slice(1)])).toEqual([9, 10, 1]);
    expect(serial.stats()).toMatchObject({ lost: 0, inMemory: 0, waiters: 0 });
    expect(await nextOfOthers()).toBe(2);
  });

  // Others may have been given larger ones before the second call.
  test('the number of a call aborted during its refill is not for who came after that began', async () => {
    const controller = new AbortController();
    await outage.begin();
    const first = expect(serial.nextId({ signal: controller.signal })).rejects.toThrow();
    await until(() => serial.stats().refilling);
    const second = serial.nextId();
    controller.abort();
    await first;
    await outage.end();
    expect(await second).toBe(10);
    await until(() => !serial.stats().refilling);
    expect(serial.stats()).toMatchObject({ lost: 1, inMemory: 0 });
  });

  test('and is lost where nobody waits: it is not kept for the next round', async () => {
    const controller = new AbortController();
    await outage.begin();
    const call = expect(serial.nextIds(2, { signal: controller.signal })).rejects.toThrow();
    await until(() => serial.stats().refilling);
    controller.abort();
    await call;
    await outage.end();
    await until(() => !serial.stats().refilling);
    expect(serial.stats()).toMatchObject({ lost: 2, inMemory: 0, handedOut: 8 });
    expect(await serial.nextId()).toBe(1);
  });

  test('an aborted reserve() leaves those behind it alone', async () => {
    const controller = new AbortController();
    await outage.begin();
    const first = serial.nextId();
    await until(() => serial.stats().refilling);
    const block = expect(serial.reserve(2, { signal: controller.signal })).rejects.toThrow();
    const last = serial.reserve(1);
    controller.abort();
    await block;
    await outage.end();
    expect([await first, await last]).toEqual([9, { first: 10, last: 10, count: 1 }]);
    expect(serial.stats().lost).toBe(0);
  });

  test('close() refuses who waits, and gives nothing back', async () => {
    await outage.begin();
    const calls = [serial.nextId(), serial.nextIds(3), serial.reserve(1), serial.ready()];
    const refused = calls.map((call) => expect(call).rejects.toMatchObject({ code: 'ERR_NEXTID_CLOSED' }));
    await until(() => serial.stats().refilling);
    const closed = serial.close();
    await Promise.all(refused);
    await outage.end();
    await closed;
    const { lost, returned, inMemory, handedOut } = serial.stats();
    expect({ returned, inMemory, handedOut }).toEqual({ returned: 0, inMemory: 0, handedOut: 8 });
    // What the refill under way brought is nobody's, to the number. (It had reached the store or not.)
    expect(await nextOfOthers()).toBe((8 + lost) % 10 + 1);
    expect(lost).toBeLessThanOrEqual(1);
  });
});

describeStores('the counter of a cyclic sequence', (fixture) => {
  let url;
  let store;
  let serial;

  beforeEach(async () => {
    url = fixture.freshUrl();
    store = open(url);
    serial = store.sequence(NAME, { cycle: 10 });
    await serial.nextIds(8);
  });

  afterEach(() => store.close());

  const calls = () => [serial.nextId(), serial.nextIds(3), serial.reserve(1), serial.ready()];

  async function expectAllCallsToReject(error) {
    await Promise.all(calls().map((call) => expect(call).rejects.toMatchObject(error)));
    expect(serial.stats()).toMatchObject({ waiters: 0, lastError: error });
  }

  describe('that is deleted while it is in use', () => {
    const message = expect.stringMatching(/'serial'.* is gone.*--cycle 10 serial N/);
    const error = { code: MISSING, message };
    beforeEach(() => fixture.removeCounter(url, KIND, NAME));

    test('is missed, and not made anew', async () => {
      await expectAllCallsToReject(error);
      expect(await fixture.readCounter(url, KIND, NAME)).toBeUndefined();
    });

    test('is missed by a sequence that is opened after it was closed, too', async () => {
      await serial.close();
      serial = store.sequence(NAME, { cycle: 10 });
      await expectAllCallsToReject(error);
      expect(await fixture.readCounter(url, KIND, NAME)).toBeUndefined();
    });

    test('may be put back, wherever it stands', async () => {
      await expectAllCallsToReject(error);
      await fixture.writeCounter(url, KIND, NAME, { val: 3, maxval: 10 });
      expect(await serial.nextIds(3)).toEqual([4, 5, 6]);
      expect(serial.stats().lastError).toBeUndefined();
    });
  });

  test('may be set to another place by hand: there is no lower and higher on a circle', async () => {
    await fixture.writeCounter(url, KIND, NAME, { val: 1, maxval: 10 });
    expect(await serial.nextId()).toBe(2);
    await fixture.writeCounter(url, KIND, NAME, { val: 0, maxval: 10 });
    expect(await serial.nextId()).toBe(1);
  });

  test('of another maximum is an error that names both', async () => {
    const others = open(url);
    const message = expect.stringMatching(/'serial'.*\b10\b.*\b99\b.*cycle: 10/);
    const error = { name: 'NextIdError', code: CONFLICT, message };
    const wrong = others.sequence(NAME, { cycle: 99 });
    await expect(wrong.nextId()).rejects.toMatchObject(error);
    await expect(wrong.reserve(3)).rejects.toMatchObject(error);
    await expect(wrong.ready()).rejects.toMatchObject(error);
    expect(await fixture.readCounter(url, KIND, NAME)).toEqual({ val: 8, maxval: 10 });
    await wrong.close();
    expect(await others.sequence(NAME, { cycle: 10 }).nextId()).toBe(9);
    await others.close();
  });

  test('whose maximum is changed while it is in use is one, too', async () => {
    await fixture.writeCounter(url, KIND, NAME, { val: 8, maxval: 20 });
    await expectAllCallsToReject({ code: CONFLICT, message: expect.stringMatching(/\b20\b.*\b10\b/) });
    expect(await fixture.readCounter(url, KIND, NAME)).toEqual({ val: 8, maxval: 20 });
  });

  test('whose val is past the maximum gives 1 next', async () => {
    await fixture.writeCounter(url, KIND, NAME, { val: 12, maxval: 10 });
    expect(await store.list()).toEqual([{ name: NAME, kind: KIND, cycle: 10, next: 1 }]);
    expect(await serial.reserve(10)).toEqual({ first: 1, last: 10, count: 10 });
    await fixture.writeCounter(url, KIND, NAME, { val: 12, maxval: 10 });
    expect(await serial.nextIds(2)).toEqual([1, 2]);
  });

  const OTHER_TYPES = [ // which the column of an SQL table cannot hold
    ['val', 'a string', { val: 'many', maxval: 10 }, /'serial'.* holds .*many/],
    ['val', '1.5', { val: 1.5, maxval: 10 }, /'serial'.* holds .*1\.5/],
  ];
  describe.each([
    ...(fixture.isSql ? [] : OTHER_TYPES),
    ['val', 'negative', { val: -1, maxval: 10 }, /'serial'.* holds .*-1/],
    ['maxval', 'a string', { val: 8, maxval: 'ten' }, /'serial'.* holds .*ten/],
    ['maxval', '10.5', { val: 8, maxval: 10.5 }, /'serial'.* holds .*10\.5/],
    ['maxval', '0', { val: 8, maxval: 0 }, /'serial'.* holds .*0/],
  ])('whose %s is %s', (field, _, damaged, message) => {
    beforeEach(() => fixture.writeCounter(url, KIND, NAME, damaged));

    test('is refused by name, left as it is, and shown by list()', async () => {
      await expectAllCallsToReject({ code: INVALID, message: expect.stringMatching(message) });
      expect(serial.stats().lastError.message).toContain(field);
      expect(await fixture.readCounter(url, KIND, NAME)).toEqual(damaged);
      const [{ next, problem }] = await store.list();
      expect(next).toBeUndefined();
      expect(problem).toContain(field);
    });

    test('may be mended', async () => {
      await expect(serial.nextId()).rejects.toMatchObject({ code: INVALID });
      await fixture.writeCounter(url, KIND, NAME, { val: 8, maxval: 10 });
      expect(await serial.nextId()).toBe(9);
    });
  });
});

describeMongo('documents that other programs wrote', (fixture) => {
  const { Double, Int32, Long } = require('mongodb');
  let url;
  let counters;
  let store;
  let serial;

  beforeEach(() => {
    url = fixture.freshUrl();
    counters = fixture.collection(url, 'counters');
    store = open(url);
    serial = store.sequence(NAME, { cycle: 10 });
  });

  afterEach(() => store.close());

  test.each([
    ['int32', Int32], ['double', Double], ['int64', Long.fromNumber],
  ])('val and maxval of type %s are used as they are', async (_, type) => {
    const number = (value) => (type === Long.fromNumber ? type(value) : new type(value));
    await counters.insertOne({ _id: NAME, val: number(8), maxval: number(10), note: 'kept' });
    expect(await serial.nextId()).toBe(9);
    expect(await serial.nextIds(3)).toEqual([10, 1, 2]);
    expect(await serial.reserve(8)).toEqual({ first: 3, last: 10, count: 8 });
    await expect(postCounter(counters).nextId(NAME)).resolves.toBe(1);
    expect(await serial.nextId()).toBe(2);
    expect(await counters.findOne({ _id: NAME })).toEqual({ _id: NAME, val: 2, maxval: 10, note: 'kept' });
  });

  test('one that the post\'s program made and counts in', async () => {
    const post = postCounter(counters);
    await post.make(NAME, 10);
    const ids = [];
    for (let i = 0; i < 12; i++) ids.push(await post.nextId(NAME), await serial.nextId());
    expect(ids).toEqual([...eachOf(10, 1), ...eachOf(10, 1), 1, 2, 3, 4]);
  });

  test('one between the two steps of the post, with val 0, gives 1 next', async () => {
    await counters.insertOne({ _id: NAME, val: 0, maxval: 10 });
    expect(await serial.nextId()).toBe(1);
  });

  test('the post\'s program counts in one that nextid made', async () => {
    await serial.nextIds(9);
    const post = postCounter(counters);
    expect([await post.nextId(NAME), await post.nextId(NAME)]).toEqual([10, 1]);
    expect(await serial.nextId()).toBe(2);
  });

  test.each([
    ['no val', { maxval: 10 }, 'val'],
    ['no maxval', { val: 8 }, 'maxval'],
    ['a val past 2^53', { val: new Double(2 ** 60), maxval: 10 }, 'val'],
  ])('one with %s is refused by name and left as it is', async (_, fields, field) => {
    await counters.insertOne({ _id: NAME, ...fields });
    const before = await counters.findOne({ _id: NAME }, { promoteValues: false });
    await expect(serial.nextId()).rejects.toMatchObject({
      code: INVALID,
      message: expect.stringMatching(new RegExp(`'${NAME}'.* (holds|has no field) .*\\b${field}\\b`)),
    });
    expect(await counters.findOne({ _id: NAME }, { promoteValues: false })).toEqual(before);
  });
});
