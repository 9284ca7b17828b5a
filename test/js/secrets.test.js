'use strict';

// What the soak looks for in all that it sees.

const { open } = require('../..');
const { refusal } = require('../support/short-timeouts');
const { secretsOf, shows } = require('../soak/secrets');

const PASSWORD = 'p@ss/w:rd%1';
const URL = 'mongodb://me:p%40ss%2Fw%3Ard%251@127.0.0.1:1/shop?serverSelectionTimeoutMS=100';
const secrets = secretsOf(URL);

test('of a URL are its password as it is written and as it is meant', () => {
  expect(secrets).toEqual(['p%40ss%2Fw%3Ard%251', PASSWORD]);
  expect(secretsOf('sqlite:ids.db')).toEqual([]);
});

test.each([
  ['a message', new Error(`no login with ${PASSWORD}`)],
  ['a message, as in a URL', new Error(`cannot reach ${URL}`)],
  ['a cause', new Error('no login', { cause: new Error('no', { cause: new Error(PASSWORD) }) })],
  ['a property', Object.assign(new Error('no login'), { options: { auth: { password: PASSWORD } } })],
  ['a property that is not enumerable', Object.defineProperty({}, 'url', { value: URL })],
  ['a list of lines', ['all is well', `but for ${PASSWORD}`]],
])('are found in %s', (_, value) => {
  expect(shows(secrets, value)).toBe(true);
});

test('are not found where there are none: a store, a sequence, and what they are refused with', async () => {
  const ids = open(URL);
  const orders = ids.sequence('orders', { timeout: 300 });
  const error = await refusal(() => orders.nextId());
  expect(error.code).toBe('ERR_NEXTID_TIMEOUT');
  expect(shows(secrets, [ids, orders, orders.stats(), error])).toBe(false);
  await ids.close();
});
