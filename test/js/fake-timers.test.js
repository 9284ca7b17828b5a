'use strict';

// A service's own unit tests fake the clock. Nothing hangs: only the date of dated ids is the faked one.

const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('../..');
const callbackInterface = require('../../lib/callback');
const { closeOutages, heldStore } = require('../support/outages');
const { runProgram } = require('../support/run-program');
const { describeNativeStores } = require('../support/stores');
const { until } = require('../support/until');

// The package mongodb waits by timers of its own, which are faked too.
describeNativeStores('with jest.useFakeTimers()', (fixture) => {
  let store;

  beforeEach(() => {
    jest.useFakeTimers({ now: Date.parse('2024-02-29T23:59:59Z') });
    store = open(fixture.freshUrl());
  });

  afterEach(async () => {
    await store.close();
    jest.useRealTimers();
    await closeOutages();
  });

  test('dated ids follow the faked date', async () => {
    const orders = store.sequence('orders', { period: 'day' });
    expect(await orders.nextIds(2)).toEqual(['240229-0001', '240229-0002']);
    jest.setSystemTime(Date.parse('2024-03-01T00:00Z'));
    expect(await orders.nextId()).toBe('240301-0001');
  });

  test('a call times out by the real clock', async () => {
    jest.useRealTimers();
    const outage = await heldStore(fixture);
    const held = open(outage.url);
    await held.sequence('others').ready();
    await outage.begin();
    jest.useFakeTimers();
    const overdue = held.sequence('orders', { timeout: 20 }).nextId();
    await expect(overdue).rejects.toMatchObject({ code: 'ERR_NEXTID_TIMEOUT' });
    jest.useRealTimers();
    await outage.end();
    await held.close();
  });

  test('ids that may be kept for a time age by the real clock', async () => {
    const trace = store.sequence('trace', { timestamp: { maxAge: 100 } });
    await until(() => trace.tryNextId() !== undefined);
    await sleep(120);
    expect(trace.tryNextId()).toBeUndefined();
  });

  test('the drop-in calls back: from memory, from the store, and with an error', async () => {
    const { init_id, next_id, close } = callbackInterface(fixture.freshUrl());
    const result = (call) => new Promise((resolve) => {
      call((error, value) => resolve(error ?? value));
    });
    expect(await result((callback) => init_id('', callback))).toBeInstanceOf(TypeError);
    const idstatus = await result((callback) => init_id('orders', callback));
    expect(await result((callback) => next_id(idstatus, callback))).toBe(1000);
    expect(await result((callback) => next_id(idstatus, callback))).toBe(1001);
    await close();
    const closed = { code: 'ERR_NEXTID_CLOSED' };
    expect(await result((callback) => next_id(idstatus, callback))).toMatchObject(closed);
  });
});

describeNativeStores('with the fake timers of node:test', (fixture) => {
  test('a sequence that is opened under them gives ids and ends', async () => {
    const program = async (url) => {
      const { mock } = require('node:test');
      const store = require('nextid').open(url);
      mock.timers.enable({ now: Date.parse('2024-02-29') });
      const orders = store.sequence('orders', { period: 'year' });
      console.log(await orders.nextId());
      await store.close();
    };
    const { stdout, code } = await runProgram(program, [fixture.freshUrl()], { execArgv: ['--no-warnings'] });
    expect({ stdout, code }).toEqual({ stdout: '24-0001\n', code: 0 });
  });
});
