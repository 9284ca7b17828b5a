'use strict';

// A call that ends in the middle of its work: an exception where none was expected, or execution that is
// terminated (a vm timeout, Ctrl-C in the REPL). Numbers may be lost; no id is given twice.

const vm = require('node:vm');
const { open } = require('../..');
const { native } = require('../../lib/symbols');
const { setClock } = require('../support/set-clock');
const { describeStores } = require('../support/stores');
const { until } = require('../support/until');

const MIDNIGHT = Date.parse('2024-03-01T00:00Z');
const [BEFORE, AFTER] = [MIDNIGHT - 3_600_000, MIDNIGHT + 3_600_000];

const failure = new Error('in the middle of a call');
const fail = () => {
  throw failure;
};

// Terminates the execution of `call` as soon as it comes back from the native `method`.
function terminateAfter(sequence, method, call) {
  const nativeSequence = sequence[native];
  let returned = false;
  nativeSequence[method] = (...args) => {
    delete nativeSequence[method];
    nativeSequence[method](...args);
    returned = true;
    for (;;);
  };
  const run = () => vm.runInNewContext('call()', { call }, { timeout: 50 });
  while (!returned) expect(run).toThrow(expect.objectContaining({ code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' }));
}

describeStores('a call of a dated sequence that is cut off', (fixture) => {
  let url;
  let store;
  let orders;

  beforeEach(async () => {
    setClock(BEFORE);
    url = fixture.freshUrl();
    store = open(url);
    orders = store.sequence('orders', { period: 'day', step: 100 });
    await orders.ready();
    expect(take(2)).toEqual(['240229-0001', '240229-0002']);
    setClock(AFTER);
  });

  afterEach(() => store.close());

  test('after the switch to another day: a clock set back at once finds its own day', async () => {
    terminateAfter(orders, 'switchTo', () => orders.tryNextId());
    await oldNumbersReturned();
    setClock(BEFORE);
    orders.tryNextId();
    await until(() => !orders.stats().refilling);
    expect(take(2)).toEqual(['240229-0003', '240229-0004']);
    setClock(AFTER);
    expect(await orders.nextIds(2)).toEqual(['240301-0001', '240301-0002']);
  });

  test('in the switch, which fails: the next call switches', async () => {
    jest.spyOn(orders[native].callbacks, 'takeBackWindow').mockImplementationOnce(fail);
    expect(() => orders.tryNextId()).toThrow('cannot be taken back');
    expect(await orders.nextId()).toBe('240301-0001');
    await oldNumbersReturned();
    setClock(BEFORE);
    expect(await orders.nextId()).toBe('240229-0003');
  });

  test('in the switch, which fails: a clock set back at once finds its own day', async () => {
    jest.spyOn(orders[native].callbacks, 'takeBackWindow').mockImplementationOnce(fail);
    expect(() => orders.tryNextId()).toThrow('cannot be taken back');
    setClock(BEFORE);
    expect(take(2)).toEqual(['240229-0003', '240229-0004']);
  });

  // The window before it ended beyond 150, the new one is cut off at its first number.
  test('between the two ends of its new window: no number beyond it is given', async () => {
    setClock(BEFORE);
    await orders.nextIds(150);
    await orders.ready();
    takeAll();
    setClock(AFTER);
    expect(orders.tryNextId()).toBeUndefined();
    await until(() => !orders.stats().refilling);
    const { take: takeWindow } = orders[native];
    jest.spyOn(orders[native], 'take').mockImplementationOnce(function (...args) {
      return Object.defineProperty(takeWindow.apply(this, args), 1, { get: fail });
    });
    expect(() => orders.tryNextId()).toThrow(failure);
    const ids = takeAll();
    await until(() => !orders.stats().refilling);
    ids.push(...takeAll(), ...await orders.nextIds(100));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted());
  });

  // All but the two that were taken. Until then a call for the old day gets higher ones.
  async function oldNumbersReturned() {
    await until(() => !orders.stats().refilling);
    await until(async () => (await fixture.readDated(url, 'orders'))[240229] === 2);
  }

  function take(n) {
    return Array.from({ length: n }, () => orders.tryNextId());
  }

  // The ids that are in memory.
  function takeAll() {
    const ids = [];
    for (let id = orders.tryNextId(); id !== undefined; id = orders.tryNextId()) ids.push(id);
    return ids;
  }
});
