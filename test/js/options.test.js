'use strict';

const { differingOptions, sequenceOptions, storeOptions } = require('../../lib/options');
const { count, nextNumber, sequenceName, signalOption } = require('../../lib/validators');
const { RANGE, TYPE, VALUE, expectError } = require('../support/argument-errors');

describe('the options of a store', () => {
  test.each([
    [undefined, 2], [{}, 2], [{ maxConcurrentRefills: undefined }, 2], [{ maxConcurrentRefills: 1 }, 1],
    [{ maxConcurrentRefills: 64 }, 64], [{ idle: undefined }, 2],
  ])('%p', (options, maxConcurrentRefills) => {
    expect(storeOptions(options)).toEqual({ maxConcurrentRefills });
    expect(storeOptions(options)).toBeFrozen();
  });

  test.each([
    [null, TYPE, 'a plain object', 'null'],
    ['fast', TYPE, 'a plain object', "'fast'"],
    [[], TYPE, 'a plain object', 'an array'],
    [new Map([['maxConcurrentRefills', 2]]), TYPE, 'a plain object', 'an instance of Map'],
    [{ maxConcurrentRefills: '2' }, TYPE, 'from 1 to 64', "'2'"],
    [{ maxConcurrentRefills: null }, TYPE, 'from 1 to 64', 'null'],
    [{ maxConcurrentRefills: 0 }, RANGE, 'from 1 to 64', '0'],
    [{ maxConcurrentRefills: 65 }, RANGE, 'from 1 to 64', '65'],
    [{ maxConcurrentRefills: 1.5 }, RANGE, 'integer', '1.5'],
    [{ maxConcurentRefills: 2 }, VALUE, "'maxConcurentRefills'", "did you mean 'maxConcurrentRefills'?"],
    [{ idle: '60 s' }, TYPE, "'idle'", 'milliseconds', "'60 s'"],
    [{ idle: 0 }, RANGE, "'idle'", 'from 1 to 2147483647', '0'],
    [{ idle: Infinity }, RANGE, "'idle'", 'Infinity'],
    [{ poolSize: 2 }, VALUE, "'poolSize'", 'maxConcurrentRefills'],
    [{ poolSize: undefined }, VALUE, "'poolSize'"],
  ])('%p is refused', (options, kind, ...words) => {
    expectError(() => storeOptions(options), kind, ...words);
  });
});

describe('the options of a sequence', () => {
  const defaults = {
    kind: 'plain',
    start: 1n,
    step: { min: 10, max: 1_000_000, target: 1000 },
    timeout: 10_000,
    maxWaiters: 100_000,
    bigint: false,
  };

  test.each([
    [undefined, {}],
    [{}, {}],
    [{ start: undefined, step: undefined, timeout: undefined, maxWaiters: undefined, bigint: undefined }, {}],
    [{ start: 0 }, { start: 0n }],
    [{ start: -0 }, { start: 0n }],
    [{ start: 2 ** 53 - 1 }, { start: 2n ** 53n - 1n }],
    [{ start: 5n }, { start: 5n }],
    [{ start: 5, bigint: true }, { start: 5n, bigint: true }],
    [{ start: 2n ** 63n - 2n, bigint: true }, { start: 2n ** 63n - 2n, bigint: true }],
    [{ step: 1 }, { step: { min: 1, max: 1, target: 1000 } }],
    [{ step: 1e9 }, { step: { min: 1e9, max: 1e9, target: 1000 } }],
    [{ step: {} }, {}],
    [{ step: { min: 1, max: 2, target: 3 } }, { step: { min: 1, max: 2, target: 3 } }],
    [{ step: { min: undefined, target: 3_600_000 } },
      { step: { min: 10, max: 1_000_000, target: 3_600_000 } }],
    [{ step: { max: 5 } }, { step: { min: 5, max: 5, target: 1000 } }],
    [{ step: { min: 2_000_000 } }, { step: { min: 2_000_000, max: 2_000_000, target: 1000 } }],
    [{ timeout: 1 }, { timeout: 1 }],
    [{ timeout: 2 ** 31 - 1 }, { timeout: 2 ** 31 - 1 }],
    [{ maxWaiters: 1 }, { maxWaiters: 1 }],
    [{ maxWaiters: 10_000_000 }, { maxWaiters: 10_000_000 }],
  ])('%p', (options, expected) => {
    const read = sequenceOptions(options);
    expect(read).toEqual({ ...defaults, ...expected });
    expect(read).toBeFrozen();
    expect(read.step).toBeFrozen();
  });

  test.each([
    [null, TYPE, 'a plain object'],
    [5, TYPE, 'a plain object', '5'],
    [{ start: '1' }, TYPE, "'start'", "'1'"],
    [{ start: -1 }, RANGE, "'start'", '-1'],
    [{ start: -1n, bigint: true }, RANGE, "'start'", '-1n'],
    [{ start: 1.5 }, RANGE, "'start'", '1.5'],
    [{ start: NaN }, RANGE, "'start'", 'NaN'],
    [{ start: 2 ** 53 }, RANGE, "'start'", '9007199254740991'],
    [{ start: 2 ** 53, bigint: true }, RANGE, "'start'", 'BigInt'],
    [{ start: 2n ** 53n }, RANGE, "'start'", 'bigint: true'],
    [{ start: 2n ** 63n - 1n, bigint: true }, RANGE, "'start'", '9223372036854775806'],
    [{ step: '10' }, TYPE, "'step'", '{ min, max, target }'],
    [{ step: null }, TYPE, "'step'"],
    [{ step: [1, 2] }, TYPE, "'step'"],
    [{ step: 10n }, TYPE, "'step'", '10n'],
    [{ step: 0 }, RANGE, "'step'", 'from 1 to 1000000000'],
    [{ step: 1e9 + 1 }, RANGE, "'step'"],
    [{ step: Infinity }, RANGE, "'step'", 'Infinity'],
    [{ step: { min: 0 } }, RANGE, "'step.min'"],
    [{ step: { max: 0 } }, RANGE, "'step.max'"],
    [{ step: { max: 1e9 + 1 } }, RANGE, "'step.max'"],
    [{ step: { max: '9' } }, TYPE, "'step.max'"],
    [{ step: { min: 10, max: 9 } }, VALUE, "'step.min'", "'step.max'", '10 and 9'],
    [{ step: { target: 0 } }, RANGE, "'step.target'", 'milliseconds'],
    [{ step: { target: 3_600_001 } }, RANGE, "'step.target'"],
    [{ step: { minimum: 5 } }, VALUE, "'minimum'", 'min, max, target'],
    [{ step: { tagret: 5 } }, VALUE, "did you mean 'target'?"],
    [{ timeout: 0 }, RANGE, "'timeout'", 'milliseconds', '2147483647'],
    [{ timeout: 2 ** 31 }, RANGE, "'timeout'"],
    [{ timeout: '10s' }, TYPE, "'timeout'", "'10s'"],
    [{ timeout: null }, TYPE, "'timeout'", 'null'],
    [{ maxWaiters: 0 }, RANGE, "'maxWaiters'"],
    [{ maxWaiters: 10_000_001 }, RANGE, "'maxWaiters'"],
    [{ bigint: 1 }, TYPE, "'bigint'", 'true or false'],
    [{ tiemout: 5 }, VALUE, "'tiemout'", "did you mean 'timeout'?"],
    [{ priod: 'day' }, VALUE, "did you mean 'period'?"],
    [{ period: 'day', cycle: 9 }, VALUE, "'period'", "'cycle'"],
    [{ cycle: 9, start: 1 }, VALUE, "'cycle'", "'start'", 'timeout, maxWaiters'],
    [{ timeZone: 'UTC' }, VALUE, "'timeZone'", "'period'"],
    [{ timestamp: true, digits: 3 }, VALUE, "'digits'", '{ timestamp: { digits: … } }'],
    [{ digits: 3 }, VALUE, "'digits'", '{ timestamp: { digits: … } }'],
    [{ period: 'day', maxAge: 5 }, VALUE, "'maxAge'", '{ timestamp: { maxAge: … } }'],
    [{ timestamp: { digits: 3 }, timeZone: 'UTC' }, VALUE, "'timeZone'", '{ timestamp: { timeZone: … } }'],
  ])('%p is refused', (options, kind, ...words) => {
    expectError(() => sequenceOptions(options), kind, ...words);
  });

  test('a password among them is not shown', () => {
    const url = 'mongodb://root:hunter2@localhost/shop';
    const wrongs = [url, new URL(url), { [url]: 1 }, { start: url }, { step: { [url]: 1 } }, { step: [url] }];
    for (const wrong of wrongs) {
      expect(() => sequenceOptions(wrong)).toThrow(expect.objectContaining({
        message: expect.not.stringContaining('hunter2'),
      }));
    }
  });

  test('that differ are named', () => {
    const differing = (a, b) => differingOptions(sequenceOptions(a), sequenceOptions(b));
    expect(differing(undefined, { start: 1n, step: {}, timeout: 10_000 })).toEqual([]);
    expect(differing({ step: 5 }, { step: { min: 5, max: 5 } })).toEqual([]);
    const defaultsOfDays = { period: 'day', timeZone: 'UTC', format: '{YYMMDD}-{count:4}' };
    expect(differing({ period: 'day' }, defaultsOfDays)).toEqual([]);
    expect(differing({ timestamp: true }, { timestamp: { digits: 2 } })).toEqual([]);
    expect(differing({ timestamp: true }, { timestamp: { digits: 1 } })).toContain('digits: 2 instead of 1');
    expect(differing({ cycle: 9 }, { cycle: 10 })).toEqual(['cycle: 9 instead of 10']);
    expect(differing({ cycle: 9 }, { period: 'day' })).toEqual(['a cyclic sequence instead of a dated one']);
    expect(differing({ start: 2, step: 7 }, { step: 8 })).toEqual([
      'start: 2 instead of 1',
      'step: { min: 7, max: 7, target: 1000 } instead of { min: 8, max: 8, target: 1000 }',
    ]);
    for (const other of [
      { start: 2 }, { step: 10 }, { step: { min: 9 } }, { step: { max: 9e4 } }, { step: { target: 9 } },
      { timeout: 9 }, { maxWaiters: 9 }, { bigint: true },
    ]) {
      expect(differing(other, { ...other })).toEqual([]);
      expect(differing(other, {})).toEqual(
        [expect.stringMatching(`^${Object.keys(other)[0]}: .+ instead of .+$`)]);
    }
  });
});

describe('the name of a sequence', () => {
  test.each(['orders', 'ä', ' ', '$x.y', 'x'.repeat(255), '🙂'.repeat(63)])('%p', (name) => {
    expect(sequenceName(name)).toBe(name);
  });

  test.each([
    [undefined, TYPE, 'a string', 'undefined'],
    [5, TYPE, 'a string', '5'],
    [new String('orders'), TYPE, 'a string', 'String'],
    ['', VALUE, 'empty'],
    ['a\0b', VALUE, 'NUL'],
    ['x'.repeat(256), VALUE, '255 bytes', '256 bytes'],
    ['🙂'.repeat(64), VALUE, '255 bytes', '256 bytes'],
    ['\ud83d', VALUE, 'well-formed'],
  ])('%p is refused', (name, kind, ...words) => {
    expectError(() => sequenceName(name), kind, ...words);
  });
});

test('a count is an integer from 1 to its maximum', () => {
  expect(count(1, 'n', 5)).toBe(1);
  expect(count(5, 'n', 5)).toBe(5);
  for (const n of [0, -1, 6, 1.5, NaN, Infinity]) expectError(() => count(n, 'n', 5), RANGE, "'n'", '1 to 5');
  for (const n of [undefined, null, '5', 5n, {}]) expectError(() => count(n, 'n', 5), TYPE, "'n'", '1 to 5');
});

test('the next number of a counter is a whole number of 63 bits', () => {
  expect(nextNumber(0)).toBe(0n);
  expect(nextNumber(2 ** 53 - 1)).toBe(2n ** 53n - 1n);
  expect(nextNumber(2n ** 63n - 2n)).toBe(2n ** 63n - 2n);
  for (const next of [-1, -1n, 1.5, 2 ** 53, 2n ** 63n - 1n, NaN]) {
    expectError(() => nextNumber(next), RANGE, "'next'", '9223372036854775806');
  }
  for (const next of [undefined, null, '5', {}]) expectError(() => nextNumber(next), TYPE, "'next'");
});

test('a signal is an AbortSignal', () => {
  const { signal } = new AbortController();
  expect(signalOption({ signal })).toBe(signal);
  expect(signalOption(undefined)).toBeUndefined();
  expect(signalOption({})).toBeUndefined();
  expectError(() => signalOption(signal.constructor), TYPE, 'a plain object');
  expectError(() => signalOption({ signal: {} }), TYPE, "'signal'", 'an AbortSignal');
  expectError(() => signalOption({ singal: signal }), VALUE, "did you mean 'signal'?");
});

expect.extend({
  toBeFrozen: (object) => ({ pass: Object.isFrozen(object), message: () => 'expected a frozen object' }),
});
