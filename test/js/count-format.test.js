'use strict';

// The option `format` of plain and cyclic sequences. (Any format: properties-templates.test.js)

const { open } = require('../..');
const { runNextid } = require('../support/run-nextid');
const { describeNativeStores } = require('../support/stores');

describeNativeStores('a sequence with a format', (fixture) => {
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
  });

  afterEach(() => store.close());

  test('every call of a plain one gives texts, which grow wider past the width', async () => {
    const orders = store.sequence('orders', { format: 'ORD-{count:2}', start: 98, step: 5 });
    expect(orders.tryNextId()).toBeUndefined();
    await orders.ready();
    expect(orders.tryNextId()).toBe('ORD-98');
    expect(await orders.nextId()).toBe('ORD-99');
    expect(await orders.nextIds(2)).toEqual(['ORD-100', 'ORD-101']);
    const { first, last, count } = await orders.reserve(200);
    expect(count).toBe(200);
    expect(orders.parse(last).count - orders.parse(first).count).toBe(199);
    for await (const id of orders) {
      expect(id).toMatch(/^ORD-\d{3}$/);
      break;
    }
    expect(orders.parse('ORD-100')).toEqual({ count: 100 });
    expect(() => orders.parse('ORD-0100')).toThrow(/'ORD-0100'.* such as 'ORD-42'/);
    expect(() => orders.parse(100)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }));
  });

  test('with BigInts', async () => {
    const start = 2n ** 60n;
    const orders = store.sequence('orders', { format: '{count}!', start, bigint: true });
    expect(await orders.nextIds(2)).toEqual([`${start}!`, `${start + 1n}!`]);
    expect(orders.parse(`${start}!`)).toEqual({ count: start });
  });

  test('a cyclic one', async () => {
    const serial = store.sequence('serial', { cycle: 3, format: 'T{count:3}' });
    expect(await serial.nextIds(4)).toEqual(['T001', 'T002', 'T003', 'T001']);
    expect(await serial.reserve(2)).toEqual({ first: 'T002', last: 'T003', count: 2 });
    expect(serial.parse('T002')).toEqual({ count: 2 });
  });

  test('the counter is that of the sequence without it', async () => {
    await store.sequence('orders', { format: 'A{count}' }).nextIds(20);
    await store.close();
    store = open(url);
    expect(await store.list()).toEqual([{ name: 'orders', kind: 'plain', next: 21 }]);
    expect(await store.sequence('orders').nextId()).toBe(21);
    expect(() => store.sequence('orders', { format: 'A{count}' })).toThrow(
      /format: undefined instead of 'A\{count\}'/);
    expect(await store.advance('orders', 500)).toBe(500);
  });

  test('on the command line', async () => {
    const args = ['next', 'orders', '--format', 'A{count:3}', '--store', url];
    const created = expect.stringContaining("created the plain counter 'orders'");
    expect(await runNextid([...args, '--count', '2'])).toEqual(
      { code: 0, stdout: 'A001\nA002\n', stderr: created });
    expect(await runNextid([...args, '--json'])).toEqual(
      { code: 0, stdout: '{"name":"orders","id":"A003"}\n', stderr: '' });
  });
});

test('a sequence of numbers has nothing to parse', () => {
  const store = open('sqlite:never-made.db');
  expect(store.sequence('orders').parse).toBeUndefined();
  expect(() => store.sequence('serial', { cycle: 9 }).parse('5')).toThrow(/'format'/);
});
