'use strict';

// The store in memory, for unit tests of services.

const { open } = require('../..');
const { attempt } = require('../../lib/clock');
const { runProgram } = require('../support/run-program');

test('each open() of memory: begins at 1, and each of memory:NAME goes on', async () => {
  for (let round = 0; round < 2; round++) {
    const urls = ['memory:', 'memory:a', 'memory:a', `memory:${round}`];
    const [own, one, same, other] = urls.map((url) => open(url));
    const orders = await Promise.all([own, other].map((ids) => ids.sequence('orders').nextId()));
    expect(orders).toEqual([1, 1]);
    expect(await one.sequence('orders', { step: 1 }).nextId()).toBe(2 * round + 1);
    await one.close();
    expect(await same.sequence('orders', { step: 1 }).nextId()).toBe(2 * round + 2);
    await same.close();
    expect(same.url).toBe('memory:a');
  }
});

test('after jest.resetModules(), memory:NAME begins anew', async () => {
  for (let round = 0; round < 3; round++) {
    jest.resetModules();
    const { open: fresh } = require('../..');
    expect(await fresh('memory:shop').sequence('orders').nextId()).toBe(1);
  }
});

test('a process ends although its store is open', async () => {
  const program = async () => {
    const ids = require('nextid').open('memory:');
    console.log(await ids.sequence('orders').nextId());
  };
  expect(await runProgram(program)).toMatchObject({ code: 0, stdout: '1\n' });
});

describe('with jest.useFakeTimers()', () => {
  beforeEach(() => jest.useFakeTimers({ now: Date.parse('2024-02-29T23:59:59Z') }));
  afterEach(() => jest.useRealTimers());
  afterAll(() => {
    attempt.time = 5000;
  });

  test('all kinds give ids, and those with dates follow the faked date', async () => {
    const ids = open('memory:');
    const orders = ids.sequence('orders', { period: 'day' });
    expect(await orders.nextIds(2)).toEqual(['240229-0001', '240229-0002']);
    jest.setSystemTime(Date.parse('2024-03-01T00:00Z'));
    expect(await orders.nextId()).toBe('240301-0001');
    expect(await ids.sequence('plain').nextIds(50)).toHaveLength(50);
    expect(await ids.sequence('labels', { cycle: 2 }).nextIds(3)).toEqual([1, 2, 1]);
    await ids.sequence('trace', { timestamp: true }).nextId();
    expect(await ids.list()).toHaveLength(5);
    await ids.close();
  });

  test('a call times out by the real clock', async () => {
    attempt.time = 100;
    const ids = open({ read: () => new Promise(() => {}), compareAndSet: () => false, list: () => [] });
    const overdue = ids.sequence('orders', { timeout: 20 }).nextId();
    await expect(overdue).rejects.toMatchObject({ code: 'ERR_NEXTID_TIMEOUT' });
  });
});

test('with the fake timers of node:test', async () => {
  const program = async () => {
    const { mock } = require('node:test');
    const { open: openStore } = require('nextid');
    mock.timers.enable({ now: Date.parse('2024-02-29') });
    const ids = openStore('memory:');
    console.log(await ids.sequence('orders', { period: 'year' }).nextId());
    await ids.close();
  };
  const ended = await runProgram(program, [], { execArgv: ['--no-warnings'] });
  expect(ended).toMatchObject({ code: 0, stdout: '24-0001\n' });
});
