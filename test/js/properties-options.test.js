'use strict';

// Any options are accepted or refused by one of the documented errors, and accepted ones are within bounds.

const fc = require('fast-check');

const { callbackOptions, sequenceOptions, storeOptions } = require('../../lib/options');
const { pruneOptions } = require('../../lib/prune-rules');
const { nextNumber, sequenceName, signalOption } = require('../../lib/validators');

const CHECKED = { seed: 20140625, numRuns: 500 };

const DOCUMENTED = {
  ERR_INVALID_ARG_TYPE: TypeError, ERR_INVALID_ARG_VALUE: TypeError, ERR_OUT_OF_RANGE: RangeError,
};

/** The result of `call`, or undefined if it throws a documented error. */
function accepted(call) {
  try {
    return call();
  } catch (error) {
    expect(Object.keys(DOCUMENTED)).toContain(error.code);
    expect(error).toBeInstanceOf(DOCUMENTED[error.code]);
    expect(error.message).not.toBe('');
    return undefined;
  }
}

// Values that are nearly right, and all others.
const number = fc.oneof(
  fc.integer(), fc.double(), fc.double({ min: 0, max: 100, noNaN: true }), fc.bigInt(),
  fc.constantFrom(0, -0, 1, -1, NaN, Infinity, 2 ** 31, 2 ** 53, 2 ** 53 - 1),
  fc.constantFrom(2n ** 63n, 2n ** 63n - 2n, '1'));
const step = fc.record({ min: number, max: number, target: number }, { requiredKeys: [] });
const timestamp = fc.record({
  digits: fc.oneof(fc.integer({ min: -1, max: 5 }), number),
  timeZone: fc.constantFrom('UTC', '+08:00', 'x', 1),
  format: fc.constantFrom('{YYYYMMDDhhmmssffffff}{digits}', '{YYYY}', 1), maxAge: number, maxSkew: number,
}, { requiredKeys: [] });
const some = (fields) => fc.record(fields, { requiredKeys: [] });
const common = { timeout: number, maxWaiters: number };
const format = fc.constantFrom('{YYMMDD}-{count:4}', '{count}', 'T{count:3}', 7);
const series = fc.record({ of: number, index: number }, { requiredKeys: [] });
const plain = { start: number, step: fc.oneof(step, number), bigint: fc.boolean(), format, series };
const dated = {
  period: fc.constantFrom('day', 'days', 1, 'hour', 'toString', '__proto__'),
  timeZone: fc.constantFrom('UTC', 'local', 'Europe/Berlin', '+01:00', ''),
  format, series,
};
const cyclic = { cycle: number, step: fc.oneof(step, number), format, series };
const timeStamped = { timestamp: fc.oneof(fc.constant(true), timestamp) };
const nearlyRight = fc.oneof(
  some({ ...plain, ...common }), some({ ...dated, step }), some({ ...cyclic, ...common }), some(timeStamped),
  some({ ...plain, ...dated, ...cyclic, ...timeStamped, ...common }));
const anything = fc.oneof(nearlyRight, fc.anything({ withBigInt: true, withDate: true, withMap: true,
  withNullPrototype: true, withTypedArray: true }));

test('of a sequence', () => {
  fc.assert(fc.property(anything, (given) => {
    const options = accepted(() => sequenceOptions(given));
    if (options === undefined) return;
    expect(['plain', 'dated', 'cyclic', 'time-stamped']).toContain(options.kind);
    const { timeout, maxWaiters, step: { min = 1, max = min, target = 1 } = {}, cycle = 1 } = options;
    for (const bound of [timeout, maxWaiters, min, max, target, cycle]) {
      expect(Number.isSafeInteger(bound)).toBe(true);
      expect(bound).toBeGreaterThanOrEqual(1);
    }
    expect(max).toBeGreaterThanOrEqual(min);
    if (options.kind === 'cyclic' && options.step) expect(1000 * max).toBeLessThanOrEqual(cycle);
    if (options.kind === 'plain') expect(options.start).toBeGreaterThanOrEqual(0n);
    if (options.kind === 'plain' && !options.bigint) expect(options.start).toBeLessThan(2n ** 53n);
    expect(Object.isFrozen(options)).toBe(true);
  }), CHECKED);
});

test('that are accepted say the same when given again', () => {
  fc.assert(fc.property(nearlyRight, (given) => {
    const options = accepted(() => sequenceOptions(given));
    if (options === undefined) return;
    expect(sequenceOptions({ ...given })).toEqual(options);
  }), CHECKED);
});

test('of a store, the callback interface, a call and prune()', () => {
  const ofPrune = fc.record({
    before: fc.oneof(number, fc.date({ noInvalidDate: false })), dryRun: fc.boolean(),
    keep: fc.record({ daily: number, weekly: number, hour: number }, { requiredKeys: [] }),
    timeZone: fc.constantFrom('UTC', 'Asia/Tokyo', '', 3),
  }, { requiredKeys: [] });
  fc.assert(fc.property(fc.oneof(anything, ofPrune), number, (given, n) => {
    accepted(() => storeOptions(given));
    accepted(() => storeOptions({ maxConcurrentRefills: n }));
    accepted(() => callbackOptions(given));
    accepted(() => callbackOptions({ start: n, step: n }));
    if (given !== undefined) accepted(() => signalOption(given));
    accepted(() => pruneOptions(given));
  }), CHECKED);
});

test('arguments: names and numbers', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  fc.assert(fc.property(fc.oneof(text, fc.anything()), number, (name, n) => {
    const taken = accepted(() => sequenceName(name));
    if (taken !== undefined) {
      const bytes = Buffer.from(taken);
      expect(bytes.toString()).toBe(name); // in UTF-8 it is the same name
      expect(bytes.length).toBeLessThanOrEqual(255);
      expect(bytes).not.toContain(0);
    }
    const next = accepted(() => nextNumber(n));
    if (next !== undefined) expect(next).toBe(BigInt(n));
  }), CHECKED);
});
