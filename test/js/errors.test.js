'use strict';

const { inspect } = require('node:util');

const {
  NextIdError, didYouMean, nearest, outOfRange, show, wrongType, wrongValue,
} = require('../../lib/errors');

describe('NextIdError', () => {
  const cause = new Error('connection refused');
  const error = new NextIdError('the store does not answer', { code: 'ERR_NEXTID_STORE_UNAVAILABLE', cause });

  test('is an Error with a code and a cause', () => {
    expect(error).toBeInstanceOf(NextIdError);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: 'NextIdError', message: 'the store does not answer', code: 'ERR_NEXTID_STORE_UNAVAILABLE', cause,
    });
    expect(String(error)).toBe('NextIdError: the store does not answer');
    expect(Object.keys(error)).toEqual(['code']);
  });

  test('without a cause has no such property', () => {
    expect(new NextIdError('closed', { code: 'ERR_NEXTID_CLOSED' })).not.toHaveProperty('cause');
  });

  test('shows its code in the stack, which begins where it was made', () => {
    const [headline, place] = error.stack.split('\n');
    expect(headline).toBe('NextIdError [ERR_NEXTID_STORE_UNAVAILABLE]: the store does not answer');
    expect(place).toContain(__filename);
    expect(inspect(error)).toContain('connection refused');
  });
});

describe('argument errors look like those of Node', () => {
  test.each([
    [wrongType('the step', 'a number', 'ten'), TypeError, 'ERR_INVALID_ARG_TYPE',
      "the step is 'ten': expected a number"],
    [wrongValue('the name is empty', 'a name', 'name it'), TypeError, 'ERR_INVALID_ARG_VALUE',
      'the name is empty: expected a name; name it'],
    [outOfRange('the step', 'at least 1', 0), RangeError, 'ERR_OUT_OF_RANGE',
      'the step is 0: expected at least 1'],
  ])('%s', (error, type, code, message) => {
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ name: type.name, code, message });
    const [headline, place] = error.stack.split('\n');
    expect(headline).toBe(`${type.name} [${code}]: ${message}`);
    expect(place).toContain(__filename);
  });
});

describe('show', () => {
  class Options {}
  test.each([
    ['orders', "'orders'"],
    ["it's", '"it\'s"'],
    ['line\nend', "'line\\nend'"],
    ['x'.repeat(41), `'${'x'.repeat(40)}…'`],
    [5, '5'], [-0, '-0'], [NaN, 'NaN'], [5n, '5n'], [true, 'true'], [undefined, 'undefined'], [null, 'null'],
    [Symbol('id'), 'Symbol(id)'], [() => {}, 'a function'], [[1], 'an array'], [{ a: 1 }, 'an object'],
    [Object.create(null), 'an object'], [new Options(), 'an instance of Options'],
  ])('of %p', (value, shown) => {
    expect(show(value)).toBe(shown);
  });

  test.each([
    'mongodb://root:hunter2@localhost/shop', 'mongodb://root:hunter2', 'root:hunter2@localhost',
    `${'x'.repeat(30)}root:hunter2@localhost`, 'root:hunt\ner2@localhost', 'root:hunter2@@localhost',
    { password: 'hunter2' }, ['hunter2'], new URL('mongodb://root:hunter2@localhost/shop'), () => 'hunter2',
  ])('hides what may be a password: %p', (value) => {
    expect(show(value)).not.toMatch(/hunt|er2/);
  });
});

describe('nearest', () => {
  const known = ['start', 'step', 'timeout', 'maxWaiters', 'bigint'];

  test.each([
    ['stpe', 'step'], ['strat', 'start'], ['tiemout', 'timeout'], ['time-out', 'timeout'],
    ['maxwaiters', 'maxWaiters'], ['maxWaiter', 'maxWaiters'], ['bigInt', 'bigint'], ['TIMEOUT', 'timeout'],
  ])('of %p is %p', (typo, meant) => {
    expect(nearest(typo, known)).toBe(meant);
    expect(didYouMean(typo, known)).toBe(`did you mean '${meant}'?`);
  });

  test.each(['', 's', 'period', 'cycle', 'x'.repeat(1_000_000)])('of another word is nothing', (name) => {
    expect(nearest(name, known)).toBeUndefined();
    expect(didYouMean(name, known)).toBeUndefined();
    expect(didYouMean(name, known, 'no idea')).toBe('no idea');
  });

  test('is the closest of several', () => {
    expect(nearest('tlsCAFil', ['tlsCertFile', 'tlsCAFile', 'tlsCAFiles'])).toBe('tlsCAFile');
  });
});
