'use strict';

// What dated, cyclic and time-stamped sequences have in common with plain ones.

const { open } = require('../..');
const { closeOutages, heldStore, lockedFile, refusedConnections } = require('../support/outages');
const { refusal, served } = require('../support/short-timeouts');
const { describeStores } = require('../support/stores');
const { until } = require('../support/until');

// [title, options, whether numbers are kept in memory]
const KINDS = [
  ['dated', { period: 'year' }, true],
  ['cyclic', { cycle: 1_000_000 }, false],
  ['cyclic with a step', { cycle: 1_000_000, step: 10 }, true],
  ['time-stamped', { timestamp: true }, false],
  ['time-stamped with maxAge', { timestamp: { maxAge: 60_000 } }, true],
];

const range = (first, last) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const many = (n, call) => Promise.all(range(1, n).map(call));
const isGrowing = (ids) => ids.every((id, i) => i === 0 || id > ids[i - 1]);

afterEach(closeOutages);

describeStores('each kind', (fixture) => {
  describe.each(KINDS)('%s', (_, options, keepsNumbers) => {
    let ids;
    afterEach(() => ids.close());

    test('a store that is down: calls wait, and are served in their order when it is back', async () => {
      const outage = await (fixture.kind === 'sqlite' ? lockedFile : refusedConnections)(fixture);
      ids = open(outage.url);
      const sequence = ids.sequence('orders', { ...options, timeout: 50_000 });
      const given = [await sequence.nextId()];
      await outage.begin();
      for (let id = sequence.tryNextId(); id !== undefined; id = sequence.tryNextId()) given.push(id);
      const waiting = many(30, () => sequence.nextId());
      await until(() => sequence.stats().failures > 0);
      expect(sequence.stats()).toMatchObject({ inMemory: 0, waiters: 30 });
      await outage.end();
      given.push(...await waiting);
      expect(isGrowing(given)).toBe(true);
      expect(sequence.stats()).toMatchObject({ waiters: 0, timeouts: 0, lastError: undefined });
    });

    test('past the timeout a call rejects with the reason, and a later one works', async () => {
      const outage = await (fixture.kind === 'sqlite' ? lockedFile : refusedConnections)(fixture);
      ids = open(outage.url);
      const sequence = ids.sequence('orders', { ...options, timeout: 500 });
      let last = await served(() => sequence.nextId());
      await outage.begin();
      for (let id = sequence.tryNextId(); id !== undefined; id = sequence.tryNextId()) last = id;
      expect(await refusal(() => sequence.nextIds(5))).toMatchObject({
        code: 'ERR_NEXTID_TIMEOUT',
        message: expect.stringContaining("'orders'"),
        cause: { name: fixture.errorName },
      });
      await outage.end();
      expect(await served(() => sequence.nextId()) > last).toBe(true);
    });

    test('too many callers, an aborted one and a closed sequence', async () => {
      const outage = await heldStore(fixture);
      ids = open(outage.url);
      const sequence = ids.sequence('orders', { ...options, maxWaiters: 3, timeout: 50_000 });
      await sequence.ready();
      await outage.begin();
      for (let id = ''; id !== undefined;) id = sequence.tryNextId();
      const abort = new AbortController();
      const aborted = sequence.nextId({ signal: abort.signal });
      const [block, call] = [sequence.reserve(5), sequence.nextId()];
      await expect(sequence.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_TOO_MANY_WAITERS' });
      abort.abort(new Error('not wanted any more'));
      await expect(aborted).rejects.toThrow('not wanted any more');
      expect(sequence.stats().waiters).toBe(2);
      const closing = sequence.close();
      for (const refused of [block, call, sequence.nextId(), sequence.ready()]) {
        await expect(refused).rejects.toMatchObject({ code: 'ERR_NEXTID_CLOSED' });
      }
      expect(() => sequence.tryNextId()).toThrow(expect.objectContaining({ code: 'ERR_NEXTID_CLOSED' }));
      await outage.end();
      await closing;
    });

    test('stats() tells of every number that was reserved', async () => {
      ids = open(fixture.freshUrl());
      const sequence = ids.sequence('orders', options);
      await sequence.ready();
      await sequence.nextIds(25);
      await many(40, () => sequence.nextId());
      await sequence.reserve(5);
      const iterator = sequence[Symbol.asyncIterator]();
      await iterator.next();
      expect(sequence.stats()).toMatchObject({ name: 'orders', handedOut: 71, lost: 0, waiters: 0 });
      if (!keepsNumbers) expect(sequence.stats()).toMatchObject({ inMemory: 0, step: 0 });
      await sequence.close();
      const { handedOut, inMemory, returned, lost } = sequence.stats();
      expect({ handedOut, inMemory }).toEqual({ handedOut: 71, inMemory: 0 });
      if (options.period !== undefined) {
        expect({ lost, next: (await ids.list())[0].next }).toEqual({ lost: 0, next: 72 });
        expect(returned).toBeGreaterThan(0);
      } else if (options.cycle !== undefined) {
        const { next } = (await ids.list())[0];
        expect({ lost, returned }).toEqual({ lost: next - 72, returned: 0 });
        if (!keepsNumbers) expect(next).toBe(72);
      }
    });

    test('the same name gives the same object; other options, or another kind, are refused', () => {
      ids = open(fixture.freshUrl());
      const sequence = ids.sequence('orders', options);
      expect(ids.sequence('orders')).toBe(sequence);
      expect(ids.sequence('orders', { ...options, timeout: 10_000 })).toBe(sequence);
      const conflict = (text) => {
        const message = expect.stringContaining(text);
        return expect.objectContaining({ code: 'ERR_NEXTID_OPTIONS_CONFLICT', message });
      };
      const slower = { ...options, timeout: 11_000 };
      expect(() => ids.sequence('orders', slower)).toThrow(
        conflict('expected timeout: 10000 instead of 11000;'));
      expect(() => ids.sequence('orders', {})).toThrow(conflict(' sequence instead of a plain one; '));
    });

    test('a counter of the same name and another kind is another counter', async () => {
      const url = fixture.freshUrl();
      ids = open(url);
      await ids.advance('orders', 500);
      const sequence = ids.sequence('orders', options);
      await sequence.nextId();
      const others = open(url);
      await others.advance('orders', 600);
      await sequence.nextId();
      expect(await others.sequence('orders').nextId()).toBe(600);
      await others.close();
      const kind = options.period ? 'dated' : options.cycle ? 'cyclic' : 'time-stamped';
      expect((await ids.list()).map((counter) => counter.kind)).toEqual(['plain', kind]);
    });
  });
});

describe('options of the kinds', () => {
  const ids = open('sqlite:never-made.db');
  afterAll(() => ids.close());

  test.each([
    [{ period: 'week' }, 'ERR_INVALID_ARG_VALUE', ["'period'", "'week'"]],
    [{ period: 5 }, 'ERR_INVALID_ARG_TYPE', ["'period'"]],
    [{ period: 'day', timeZone: 'Europe/Berlni' }, 'ERR_INVALID_ARG_VALUE', ['Berlni', "'Europe/Berlin'"]],
    [{ period: 'day', format: '{YYMM}-{count}' }, 'ERR_INVALID_ARG_VALUE', ["'format'", '{DD}']],
    [{ period: 'day', format: '{YYMMDD}' }, 'ERR_INVALID_ARG_VALUE', ["'format'", '{count}']],
    [{ period: 'day', step: 0 }, 'ERR_OUT_OF_RANGE', ["'step'"]],
    [{ period: 'day', start: 5 }, 'ERR_INVALID_ARG_VALUE', ['dated', "'start'"]],
    [{ period: 'day', bigint: true }, 'ERR_INVALID_ARG_VALUE', ['dated', "'bigint'"]],
    [{ period: 'day', cycle: 9 }, 'ERR_INVALID_ARG_VALUE', ["'period'", "'cycle'"]],
    [{ timeZone: 'UTC' }, 'ERR_INVALID_ARG_VALUE', ["'timeZone'", "'period'"]],
    [{ format: '{YYMMDD}-{count}' }, 'ERR_INVALID_ARG_VALUE', ["'format'", "'YYMMDD'", "'period'"]],
    [{ format: 'INV-' }, 'ERR_INVALID_ARG_VALUE', ["'format'", '{count}']],
    [{ format: 7 }, 'ERR_INVALID_ARG_TYPE', ["'format'", '{count:4}']],
    [{ cycle: 99, format: '{count}{count}' }, 'ERR_INVALID_ARG_VALUE', ["'format'", 'only once']],
    [{ cycle: 0 }, 'ERR_OUT_OF_RANGE', ["'cycle'", '9000000000000000']],
    [{ cycle: 2 ** 53 }, 'ERR_OUT_OF_RANGE', ["'cycle'"]],
    [{ cycle: '99' }, 'ERR_INVALID_ARG_TYPE', ["'cycle'", "'99'"]],
    [{ cycle: 99, start: 10 }, 'ERR_INVALID_ARG_VALUE', ['cyclic', "'start'"]],
    [{ cycle: 99, step: 1 }, 'ERR_INVALID_ARG_VALUE', ["'step' is 1", 'fewer than 1000 ids']],
    [{ cycle: 9999, step: 10 }, 'ERR_INVALID_ARG_VALUE', ["'step' is 10", 'at most 9']],
    [{ cycle: 9999, step: { min: 5 } }, 'ERR_INVALID_ARG_VALUE', ["'step.max' is 1000000", 'at most 9']],
    [{ cycle: 9999, step: 5, series: { of: 2, index: 0 } }, 'ERR_INVALID_ARG_VALUE', ['4999', 'at most 4']],
    [{ cycle: 9999, step: 0 }, 'ERR_OUT_OF_RANGE', ["'step'"]],
    [{ timestamp: 5 }, 'ERR_INVALID_ARG_TYPE', ["'timestamp'", 'true']],
    [{ timestamp: false }, 'ERR_INVALID_ARG_TYPE', ["'timestamp'"]],
    [{ timestamp: { digit: 2 } }, 'ERR_INVALID_ARG_VALUE', ["'digit'", "'digits'"]],
    [{ timestamp: { digits: 5 } }, 'ERR_OUT_OF_RANGE', ["'timestamp.digits'"]],
    [{ timestamp: { maxAge: 0 } }, 'ERR_OUT_OF_RANGE', ["'timestamp.maxAge'"]],
    [{ timestamp: { maxSkew: -1 } }, 'ERR_OUT_OF_RANGE', ["'timestamp.maxSkew'"]],
    [{ timestamp: { timeZone: 'Europe/Berlin' } }, 'ERR_INVALID_ARG_VALUE', ['timestamp.timeZone', 'twice']],
    [{ timestamp: { format: '{digits}' } }, 'ERR_INVALID_ARG_VALUE', ["'timestamp.format'"]],
    [{ timestamp: true, step: 5 }, 'ERR_INVALID_ARG_VALUE', ['time-stamped', "'step'"]],
  ])('%p is refused by name', (options, code, words) => {
    let error;
    try {
      ids.sequence('orders', options);
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ code });
    for (const word of words) expect(error.message).toContain(word);
  });

  test.each([[{}], [{ cycle: 9 }], [{ timestamp: true }], [{ step: 5 }]])('%p needs a name', (options) => {
    expect(() => ids.sequence(options)).toThrow(/name of a sequence.*'period'/);
  });
});
