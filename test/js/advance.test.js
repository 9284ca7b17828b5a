'use strict';

// advance() of every kind, and the commands that messages print to mend a counter.

const { open } = require('../..');
const { readArguments } = require('../../lib/cli/arguments');
const commands = require('../../lib/cli/commands');
const { clock } = require('../../lib/clock');
const { confirmAtOnce } = require('../support/confirm-at-once');
const { startMongoProxy } = require('../support/mongo-proxy');
const { runTogether } = require('../support/processes');
const { setClock } = require('../support/set-clock');
const { describeMongo, describeStores } = require('../support/stores');
const { until } = require('../support/until');

const NAME = 'orders';
const NEW_YEAR = '2014-12-31T23:30:00Z'; // in Berlin it is 2015
const FUTURE = 4_102_444_800_000_000_000n; // a slot with 3 digits: 2100-01-01
const { now } = clock;

// of: the number of an id. far: a number that only advance() comes to.
const COUNTS = { far: 50, of: (id) => Number(id.split('-')[1]) };
const KINDS = {
  plain: { given: undefined, options: {}, far: 50, of: (id) => id },
  hourly: { given: { period: 'hour' }, options: { period: 'hour' }, ...COUNTS },
  yearly: { given: { prefix: 14 }, options: { period: 'year' }, ...COUNTS },
  cyclic: { given: { cycle: 99 }, options: { cycle: 99 }, far: 50, of: (id) => id },
  stamped: {
    given: { timestamp: { digits: 3 } }, options: { timestamp: { digits: 3 } }, far: FUTURE,
    of: (id) => FUTURE + BigInt(id) - 21000101000000000000000n,
  },
};
const CASES = Object.entries(KINDS);
const INVALID = 'ERR_NEXTID_COUNTER_INVALID';
const CONFLICT = 'ERR_NEXTID_OPTIONS_CONFLICT';

confirmAtOnce();
beforeEach(() => setClock(NEW_YEAR));
afterEach(() => {
  clock.now = now;
});

const conflict = (...words) => ({
  code: CONFLICT, message: expect.stringMatching(new RegExp(words.join('.*'))),
});

describeStores('advance()', (fixture) => {
  let url;
  let ids;

  beforeEach(() => {
    url = fixture.freshUrl();
    ids = open(url);
  });

  afterEach(() => ids.close());

  test.each(CASES)('%s: makes the counter, moves it up, never down', async (_, row) => {
    const { given, options, far, of } = row;
    const sooner = far - (typeof far === 'bigint' ? 20n : 20);
    expect(await ids.advance(NAME, sooner, given)).toBe(sooner);
    expect(await ids.advance(NAME, far, given)).toBe(far);
    expect(await ids.advance(NAME, sooner, given)).toBe(far);
    expect(await ids.list()).toEqual([expect.objectContaining({ name: NAME, next: far })]);
    const sequence = ids.sequence(NAME, options);
    expect(of(await sequence.nextId())).toBe(far);
    await sequence.close();
    const standsAt = await ids.advance(NAME, sooner, { ...given, restore: true });
    expect(BigInt(standsAt) > BigInt(far)).toBe(true);
  });

  test.each(CASES)('%s: what was given before is not given again', async (_, { given, options, far, of }) => {
    const sequence = ids.sequence(NAME, options);
    await sequence.nextIds(3);
    await ids.advance(NAME, far, given);
    expect(of(await sequence.nextId())).toBe(far);
    expect(of((await sequence.nextIds(3))[2])).toBe(far + (typeof far === 'bigint' ? 3n : 3));
  });

  test('of the counters without a name', async () => {
    expect(await ids.advance(421, { period: 'year' })).toBe(421);
    expect(await ids.advance(7n, { prefix: 141231 })).toBe(7);
    expect(await fixture.readDated(url, '')).toEqual({ 14: 420, 141231: 6 });
    expect(await ids.sequence({ period: 'year' }).nextId()).toBe('14-0421');
  });

  test('the period is that of the time zone: the one given, that of the open sequence, or UTC', async () => {
    await ids.advance('a', 5, { period: 'year', timeZone: 'Europe/Berlin' });
    await ids.advance('b', 5, { period: 'year' });
    const berlin = ids.sequence('c', { period: 'year', timeZone: 'Europe/Berlin' });
    await ids.advance('c', 5, { period: 'year' });
    expect(await berlin.nextId()).toBe('15-0005');
    const next = Object.fromEntries((await ids.list()).map(({ name, prefix }) => [name, prefix]));
    expect(next).toEqual({ a: 15, b: 14, c: 15 });
  });

  test('cyclic: within its round', async () => {
    const serial = ids.sequence(NAME, { cycle: 9 });
    await serial.nextIds(9);
    expect(await ids.advance(NAME, 5, { cycle: 9 })).toBe(1);
    expect(await ids.advance(NAME, 9, { cycle: 9 })).toBe(1);
    expect(await serial.nextIds(2)).toEqual([1, 2]);
    expect(await ids.advance(NAME, 9, { cycle: 9 })).toBe(9);
    expect(await serial.nextIds(3)).toEqual([9, 1, 2]);
  });

  describe('refuses what no sequence would use', () => {
    test.each(CASES.slice(1))('without options, where the name is %s', async (_, row) => {
      const { options } = row;
      await ids.sequence(NAME, options).nextId();
      const error = conflict(`'${NAME}' is (dated|cyclic|time-stamped)`, 'advance\\(\\) with \\{ ', '--');
      await expect(ids.advance(NAME, 500)).rejects.toMatchObject(error); // it is open
      await ids.close();
      ids = open(url);
      const before = await ids.list();
      await expect(ids.advance(NAME, 500)).rejects.toMatchObject(error);
      expect(await ids.list()).toEqual(before);
      expect(await ids.advance('another', 500)).toBe(500);
    });

    test('without options, where the sequence is open and has no counter yet', async () => {
      ids.sequence(NAME, { cycle: 9 });
      await expect(ids.advance(NAME, 5)).rejects.toMatchObject(conflict('cycle: 9', '--cycle 9'));
      expect(await ids.list()).toEqual([]);
    });

    test('another period; a prefix says it all', async () => {
      await ids.sequence(NAME, { period: 'day' }).nextId();
      await ids.close();
      ids = open(url);
      const error = conflict("period: 'day'", "period: 'year'", '--period day', 'prefix: 14');
      await expect(ids.advance(NAME, 5, { period: 'year' })).rejects.toMatchObject(error);
      expect(await fixture.readDated(url, NAME)).toEqual({ 141231: 1 });
      expect(await ids.advance(NAME, 5, { prefix: 14 })).toBe(5);
      expect(await ids.advance(NAME, 6, { period: 'year' })).toBe(6);
    });

    test('options that are not those of the open sequence', async () => {
      ids.sequence('a', { period: 'day', timeZone: 'Europe/Berlin' });
      const berlin = conflict("timeZone: 'Europe/Berlin'", '--time-zone Europe/Berlin');
      await expect(ids.advance('a', 5, { period: 'day', timeZone: 'UTC' })).rejects.toMatchObject(berlin);
      await expect(ids.advance('a', 5, { prefix: 14 })).rejects.toMatchObject(berlin);
      ids.sequence('b', { timestamp: { digits: 3, timeZone: '+08:00' } });
      const stamped = conflict('digits: 3', '--timestamp --digits 3 --time-zone \\+08:00');
      for (const timestamp of [{ digits: 2 }, { timeZone: '+07:00' }]) {
        await expect(ids.advance('b', 5, { timestamp })).rejects.toMatchObject(stamped);
      }
      expect(await ids.advance('b', 5, { timestamp: true })).toBe(5);
      ids.sequence('c');
      await expect(ids.advance('c', 5, { cycle: 9 })).rejects.toMatchObject(conflict('no options'));
    });

    test.each([
      ['cycle', { cycle: 9 }, { cycle: 8 }, '9.*8'],
      ['digits', { timestamp: { digits: 3 } }, { timestamp: true }, 'digits: 3.*digits: 2'],
      ['zone', { timestamp: true }, { timestamp: { timeZone: '+08:00' } }, 'UTC.*\\+08:00'],
    ])('another %s than that of the counter', async (_, options, given, words) => {
      await ids.sequence(NAME, options).nextId();
      await ids.close();
      ids = open(url);
      const before = await ids.list();
      for (const restore of [false, true]) {
        await expect(ids.advance(NAME, 5, { ...given, restore })).rejects.toMatchObject(conflict(words));
      }
      expect(await ids.list()).toEqual(before);
    });
  });

  describe('of numbers that this process holds, those below are not given', () => {
    const day = (count) => `141231-${String(count).padStart(4, '0')}`;

    test('dated, of the present period and of the one that is prepared', async () => {
      setClock('2014-12-31T23:59:55Z');
      const orders = ids.sequence(NAME, { period: 'day', step: 20 });
      await orders.nextIds(2);
      await until(() => orders.stats().inMemory === 18 + 20); // the next day is prepared
      await ids.advance(NAME, 15, { prefix: 150101 });
      expect(await orders.nextId()).toBe(day(3));
      await ids.advance(NAME, 10, { period: 'day' });
      expect(orders.tryNextId()).toBe(day(10));
      expect(await orders.nextId()).toBe(day(11));
      await ids.advance(NAME, 100, { prefix: 150102 });
      expect(orders.tryNextId()).toBe(day(12));
      setClock('2015-01-01T00:00:00Z');
      expect(orders.tryNextId()).toBe('150101-0015');
    });

    test('time-stamped with maxAge', async () => {
      const traces = ids.sequence(NAME, { timestamp: { digits: 3, maxAge: 60_000 } });
      await traces.nextIds(2);
      await ids.advance(NAME, FUTURE, { timestamp: { digits: 3 } });
      expect(KINDS.stamped.of(await traces.nextId())).toBe(FUTURE);
    });

    test('nor those that it gives back as the period changes', async () => {
      for (let round = 0; round < 10; round++) {
        const name = `${NAME} ${round}`;
        setClock('2014-12-31T23:59:00Z');
        const orders = ids.sequence(name, { period: 'day', step: 20 });
        await orders.nextId();
        const advanced = ids.advance(name, 10, { prefix: 141231 }); // no change to one that stands at 21
        setClock('2015-01-01T00:00:00Z');
        if (round % 2 === 0) await new Promise(setImmediate);
        orders.tryNextId();
        await advanced;
        await orders.close();
        expect((await fixture.readDated(url, name))[141231]).toBeGreaterThanOrEqual(9);
      }
    });
  });

  describe('a period that was pruned', () => {
    const pruned = { code: 'ERR_NEXTID_PERIOD_PRUNED', message: expect.stringContaining('--restore') };

    test.each([[NAME], ['']])('is not made anew, unless with restore (name %p)', async (name) => {
      const advance = (...args) => (name === '' ? ids.advance(...args) : ids.advance(name, ...args));
      await advance(11, { prefix: 141230 });
      await ids.prune(...(name === '' ? [] : [name]), { before: 141231 });
      await expect(advance(11, { prefix: 141230 })).rejects.toMatchObject(pruned);
      await expect(advance(11, { prefix: 141229 })).rejects.toMatchObject(pruned);
      expect(await fixture.readDated(url, name)).toEqual({});
      setClock('2014-12-30T12:00Z');
      const orders = name === ''
        ? ids.sequence({ period: 'day' }) : ids.sequence(name, { period: 'day', step: 1 });
      await expect(orders.nextId()).rejects.toMatchObject(pruned);
      expect(await advance(11, { prefix: 141230, restore: true })).toBe(11);
      expect(await orders.nextId()).toBe('141230-0011');
      expect(await advance(11, { prefix: 141230, restore: true })).toBeGreaterThan(11);
    });
  });

  describe('a damaged counter', () => {
    const damage = {
      plain: () => fixture.write(url, NAME, 'many'),
      yearly: () => fixture.damageDated(url, NAME, 14),
      cyclic: () => fixture.writeCounter(url, 'cyclic', NAME, { val: 'many', maxval: 99 }),
      stamped: () => fixture.writeCounter(url, 'time-stamped', NAME, { slot: 'many', digits: 3 }),
    };

    test.each(Object.keys(damage))('%s: is left as it is, unless with restore', async (kind) => {
      const { given, options, far, of } = KINDS[kind];
      await ids.advance(NAME, 5, given);
      await damage[kind]();
      const before = await ids.list();
      await expect(ids.advance(NAME, far, given)).rejects.toMatchObject({ code: INVALID });
      expect(await ids.list()).toEqual(before);
      expect(await ids.advance(NAME, far, { ...given, restore: true })).toBe(far);
      expect(of(await ids.sequence(NAME, options).nextId())).toBe(far);
    });

    test('a number that is larger is not replaced', async () => {
      await ids.advance(NAME, 5);
      if (fixture.isSql) return; // the column cannot hold it
      await fixture.write(url, NAME, 60.5);
      await expect(ids.advance(NAME, 60, { restore: true })).rejects.toMatchObject({ code: INVALID });
      expect(await fixture.read(url, NAME)).toBe(60.5);
      expect(await ids.advance(NAME, 61, { restore: true })).toBe(61);
    });

    test('and what says how it counts, with the number it stands at', async () => {
      await ids.advance(NAME, 5, { cycle: 99 });
      await fixture.writeCounter(url, 'cyclic', NAME, { val: 70, maxval: 'many' });
      expect(await ids.advance(NAME, 5, { cycle: 99, restore: true })).toBe(71);
      await ids.advance('trace', 5, { timestamp: { digits: 3 } });
      await fixture.writeCounter(url, 'time-stamped', 'trace', { slot: 70, digits: 'many' });
      expect(await ids.advance('trace', 5, { timestamp: { digits: 3 }, restore: true })).toBe(71);
      expect(await fixture.readCounter(url, 'time-stamped', 'trace')).toEqual({ slot: 70, digits: 3 });
    });
  });

  describe('what a message says to run', () => {
    async function commandIn(promise, code) {
      const error = await promise.then(() => undefined, (reason) => reason);
      expect(error).toMatchObject({ code });
      expect(error.message).not.toMatch(/updateOne|UPDATE|INSERT/);
      const [, command] = /(nextid advance --store URL [^(]*) \(/.exec(error.message);
      return command;
    }

    // What the command line does with it, with N where the message leaves that open.
    async function run(command, number) {
      const args = command.replace(/^nextid /, '').replace(/\bN$/, number).replace('URL', url).split(' ');
      const request = readArguments(args);
      const store = open(request.store);
      let printed;
      const output = { write: (text) => (printed = text) };
      await commands.advance.run(store, request, { output, warn() {} });
      await store.close();
      return Number(printed);
    }

    const lost = CASES.filter(([kind]) => kind !== 'cyclic');
    test.each(lost)('%s: mends a counter that was set back; again it moves nothing', async (kind, row) => {
      const { options } = row;
      const sequence = ids.sequence(NAME, { ...options, ...(kind === 'stamped' ? {} : { step: 10 }) });
      const given = await sequence.nextIds(10);
      await setBack(kind);
      const command = await commandIn(sequence.nextIds(50), 'ERR_NEXTID_SEQUENCE_REWOUND');
      await run(command);
      const more = await sequence.nextIds(10);
      expect(new Set([...given, ...more]).size).toBe(20);
      const before = await ids.list();
      await run(command);
      expect(await ids.list()).toEqual(before);
    });

    test.each(CASES)('%s: makes a counter that is gone', async (kind, { options }) => {
      const keepsNone = kind === 'cyclic' || kind === 'stamped';
      const sequence = ids.sequence(NAME, { ...options, ...(keepsNone ? {} : { step: 10 }) });
      const given = await sequence.nextIds(10);
      await remove(kind);
      const command = await commandIn(sequence.nextIds(50), 'ERR_NEXTID_SEQUENCE_MISSING');
      await run(command, 11);
      const more = await sequence.nextIds(10);
      expect(new Set([...given, ...more]).size).toBe(20);
    });

    test('restores a damaged counter, and moves none that is sound', async () => {
      await ids.advance(NAME, 5, { cycle: 99 });
      await fixture.writeCounter(url, 'cyclic', NAME, { val: 'many', maxval: 99 });
      const serial = ids.sequence(NAME, { cycle: 99 });
      const command = await commandIn(serial.nextId(), INVALID);
      expect(command).toBe(`nextid advance --store URL --restore --cycle 99 ${NAME} N`);
      expect(await run(command, 7)).toBe(7);
      expect(await serial.nextIds(5)).toEqual([7, 8, 9, 10, 11]);
      expect(await run(command, 7)).toBe(12);
    });

    async function setBack(kind) {
      if (kind === 'plain') return fixture.write(url, NAME, 2);
      if (kind === 'stamped') return fixture.writeCounter(url, 'time-stamped', NAME, { slot: 5, digits: 3 });
      const [prefix] = Object.keys(await fixture.readDated(url, NAME));
      return fixture.writeDated(url, NAME, { [prefix]: 2 });
    }

    function remove(kind) {
      if (kind === 'plain') return fixture.remove(url, NAME);
      const stored = { stamped: 'time-stamped', cyclic: 'cyclic' }[kind];
      return stored === undefined ? fixture.removeDated(url, NAME) : fixture.removeCounter(url, stored, NAME);
    }
  });

  const several = ['yearly', 'cyclic', 'stamped'];
  test.each(several)('%s: processes that advance and take ids at once', async (kind) => {
    const { given, options } = KINDS[kind];
    const [count, cycle] = [60, 9_000_000];
    const job = {
      script: 'advance-worker.js', url, name: NAME, count,
      options: kind === 'cyclic' ? { cycle } : options,
      given: kind === 'cyclic' ? { cycle } : given,
      clock: NEW_YEAR,
    };
    const reports = await runTogether([job, job]);
    const taken = reports.flatMap((report) => report.ids);
    expect(new Set(taken).size).toBe(2 * count);
    for (const { below } of reports) expect(below).toEqual([]);
  });
});

describeMongo('advance()', (fixture) => {
  const toClose = [];
  afterEach(async () => {
    for (const one of toClose.splice(0)) await one.close();
  });

  test('leaves the document of another program alone', async () => {
    const url = fixture.freshUrl();
    const ids = open(url);
    const foreign = { _id: NAME, seq: 17 };
    await fixture.collection(url).insertOne(foreign);
    await fixture.collection(url, 'counters').insertOne({ ...foreign });
    for (const restore of [false, true]) {
      for (const given of [{}, { cycle: 99 }, { timestamp: true }]) {
        await expect(ids.advance(NAME, 5, { ...given, restore })).rejects.toMatchObject({ code: INVALID });
      }
    }
    expect(await fixture.collection(url).find().toArray()).toEqual([foreign]);
    expect(await fixture.collection(url, 'counters').find().toArray()).toEqual([foreign]);
    await ids.close();
  });

  test.each(CASES.slice(1))('%s: while the reply to a refill is on its way', async (_, row) => {
    const { given, options, far, of } = row;
    setClock(NEW_YEAR);
    const proxy = await startMongoProxy(await fixture.address());
    const ids = open(proxy.through(fixture.freshUrl()));
    toClose.push(ids, proxy);
    const sequence = ids.sequence(NAME, options);
    await ids.advance(NAME, 5, given);
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
    const taken = sequence.nextId();
    await replied;
    await ids.advance(NAME, far, given);
    letGo();
    expect(of(await taken)).toBe(far);
  });
});

describe('the arguments of advance()', () => {
  const ids = open('sqlite:never-made.db');
  afterAll(() => ids.close());

  const [TYPE, VALUE, RANGE] = ['ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_VALUE', 'ERR_OUT_OF_RANGE'];
  test.each([
    [[], TYPE, ['name of a sequence']],
    [[5], TYPE, ['name of a sequence']],
    [[undefined, 5], TYPE, ['name of a sequence']],
    [[undefined, 5, { period: 'day' }], TYPE, ['name of a sequence']],
    [[5, { cycle: 9 }], TYPE, ['name of a sequence', "'period'"]],
    [[5, {}], TYPE, ['name of a sequence', "'prefix'"]],
    [['', 5], VALUE, ['empty']],
    [['a', '5'], TYPE, ["'next'", "'5'"]],
    [['a', -1], RANGE, ["'next'", 'from 0']],
    [['a', 0, { period: 'day' }], RANGE, ["'next'", 'from 1 to 9007199254740991']],
    [['a', 2n ** 53n, { prefix: 14 }], RANGE, ["'next'", 'from 1 to 9007199254740991']],
    [['a', 10, { cycle: 9 }], RANGE, ["'next'", 'from 1 to 9']],
    [['a', 0, { cycle: 9 }], RANGE, ["'next'"]],
    [['a', 2n ** 63n - 1n, { timestamp: true }], RANGE, ["'next'", 'BigInt']],
    [['a', 5, 'day'], TYPE, ["'options' is 'day'", 'options of advance()']],
    [['a', 5, { preiod: 'day' }], VALUE, ["'preiod'", "did you mean 'period'?"]],
    [['a', 5, { period: 'week' }], VALUE, ["'period'", "'week'"]],
    [['a', 5, { period: 'day', prefix: 14 }], VALUE, ["'period'", "'prefix'"]],
    [['a', 5, { cycle: 9, timestamp: true }], VALUE, ["'cycle'", "'timestamp'"]],
    [['a', 5, { timeZone: 'UTC' }], VALUE, ["'timeZone'", "'period'"]],
    [['a', 5, { prefix: 14, timeZone: 'UTC' }], VALUE, ["'timeZone'", "'period'"]],
    [['a', 5, { period: 'day', timeZone: 'Europe/Berln' }], VALUE, ["'Europe/Berlin'"]],
    [['a', 5, { prefix: '14' }], TYPE, ["'prefix'", "'14'"]],
    [['a', 5, { prefix: 1413 }], VALUE, ["'prefix'", '1413']],
    [['a', 5, { cycle: 0 }], RANGE, ["'cycle'"]],
    [['a', 5, { timestamp: 3 }], TYPE, ["'timestamp'"]],
    [['a', 5, { timestamp: { digits: 5 } }], RANGE, ["'timestamp.digits'"]],
    [['a', 5, { timestamp: { digitz: 3 } }], VALUE, ["'digitz'", "'digits'"]],
    [['a', 5, { timestamp: true, digits: 3 }], VALUE, ["'digits'", "'timestamp'"]],
    [['a', 5, { restore: 'yes' }], TYPE, ["'restore'"]],
  ])('%p are refused by name', async (args, code, words) => {
    const error = await ids.advance(...args).then(() => undefined, (reason) => reason);
    expect(error).toMatchObject({ code });
    for (const word of words) expect(error.message).toContain(word);
  });
});
