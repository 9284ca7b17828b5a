'use strict';

const { open } = require('../..');
const { attempt } = require('../../lib/clock');
const {
  closeOutages, hungServer, killedServer, lockedFile, refusedConnections,
} = require('../support/outages');
const { needs } = require('../support/needs');
const { refusal, served } = require('../support/short-timeouts');
const { describeMongo, describeStores } = require('../support/stores');
const { until } = require('../support/until');

// [store, what happens to it, the outage]
const OUTAGES = [
  ['sqlite', 'another program holds the lock of the file', lockedFile],
  ['mongodb', 'the server refuses connections', refusedConnections],
  ['mongodb', 'the server hangs', hungServer],
  ['postgres', 'the server refuses connections', refusedConnections],
  ['postgres', 'the server hangs', hungServer],
  ['mysql', 'the server refuses connections', refusedConnections],
  ['mysql', 'the server hangs', hungServer],
  ['mongodb', 'the server is killed with kill -9', killedServer],
];
const TIMEOUT = 500; // ms; where calls are to time out

afterEach(closeOutages);

const killable = needs('gateway');

describeStores('a store that is down for a while', (fixture) => {
  const outages = OUTAGES.filter(([kind]) => kind === fixture.kind);
  for (const [, what, makeOutage] of outages) {
    const suite = makeOutage === killedServer ? killable.describe : describe;
    suite(what, () => {
      let outage;
      let ids;
      const { time } = attempt;
      beforeEach(async () => {
        if (fixture.isSql) attempt.time = 2000; // as with hungServer() of MongoDB
        outage = await makeOutage(fixture);
        ids = open(outage.url);
      });
      afterEach(async () => {
        attempt.time = time;
        await outage.end();
        await ids.close();
      });

      test('ids go on until memory is empty, then calls wait and are served in their order', async () => {
        const orders = ids.sequence('orders', { step: 10, timeout: 50_000 });
        expect(await orders.nextId()).toBe(1);
        await outage.begin();
        for (let id = 2; id <= 10; id++) expect(await orders.nextId()).toBe(id);

        const waiting = Array.from({ length: 30 }, () => orders.nextId());
        await until(() => orders.stats().failures > 0);
        expect(orders.stats()).toMatchObject({ inMemory: 0, waiters: 30 });
        await outage.end();
        expect(await Promise.all(waiting)).toEqual(Array.from({ length: 30 }, (_, i) => 11 + i));
        expect(orders.stats()).toMatchObject({ waiters: 0, timeouts: 0, lost: 0, lastError: undefined });
      });

      test('a refill ahead of need that fails is nobody\'s error', async () => {
        const orders = ids.sequence('orders', { step: 100, timeout: 50_000 });
        await orders.ready();
        await outage.begin();
        let last = 0;
        while (!orders.stats().refilling) last = orders.tryNextId();
        await until(() => orders.stats().failures > 0);
        expect(orders.stats().inMemory).toBeGreaterThan(0);
        expect(orders.stats().lastError).toMatchObject({ code: 'ERR_NEXTID_STORE_UNAVAILABLE' });
        while (orders.stats().inMemory > 0) expect(await orders.nextId()).toBe(++last);
        expect(last).toBe(100);

        await outage.end();
        expect(await orders.nextId()).toBe(101);
        expect(orders.stats().lastError).toBeUndefined();
      });

      test('past the timeout each call rejects with the last store error; the next call works', async () => {
        const orders = ids.sequence('orders', { step: 1, timeout: TIMEOUT });
        expect(await served(() => orders.nextId())).toBe(1);
        // The number that was fetched ahead of need.
        expect(await served(() => orders.nextId())).toBe(2);
        await until(() => orders.stats().inMemory === 1 || !orders.stats().refilling);
        await outage.begin();
        let last = 2;
        for (let id = orders.tryNextId(); id !== undefined; id = orders.tryNextId()) last = id;

        await refusal(() => orders.nextId()); // from here on the store has failed
        const { timeouts } = orders.stats();
        const waiting = Array.from({ length: 20 }, () => orders.nextId());
        const errors = await Promise.all(waiting.map((call) => call.catch((error) => error)));
        const driver = fixture.errorName;
        for (const error of errors) {
          expect(error).toMatchObject({ code: 'ERR_NEXTID_TIMEOUT', cause: { name: driver } });
          expect(error.message).toContain("'orders'");
          expect(error.message).toContain(`${TIMEOUT} ms`);
          expect(error.cause.message).not.toBe('');
        }
        const { lastError } = orders.stats();
        expect(errors.at(-1).message).toContain(lastError.message);
        expect(errors.at(-1).cause).toEqual(lastError.cause);
        expect(orders.stats()).toMatchObject({ waiters: 0, timeouts: timeouts + 20 });

        await outage.end();
        const next = await served(() => orders.nextId());
        expect(next).toBeGreaterThan(last);
        expect(await served(() => orders.nextId())).toBeGreaterThan(next);
      });

      test('list() and advance() reject, and work again', async () => {
        const orders = ids.sequence('orders', { step: 10 });
        await orders.nextId();
        await outage.begin();
        await Promise.all([ids.list(), ids.advance('orders', 50)].map((call) => (
          expect(call).rejects.toMatchObject({ code: 'ERR_NEXTID_STORE_UNAVAILABLE' })
        )));
        await outage.end();
        expect(await ids.advance('orders', 50)).toBe(50);
        expect(await ids.list()).toEqual([{ name: 'orders', kind: 'plain', next: 50 }]);
        expect(await orders.nextId()).toBe(50);
      });
    });
  }
});

describeMongo('a server that is killed again and again under load', (fixture) => {
  killable.test('every call gets an id of its own, and they grow', async () => {
    const outage = await killedServer(fixture);
    const ids = open(outage.url);
    const orders = ids.sequence('orders', { step: 7, timeout: 50_000 });
    const given = [];
    let stop = false;
    const take = async () => {
      while (!stop) given.push(await orders.nextId());
    };
    const takers = [take(), take(), take()];
    for (let kills = 0; kills < 3; kills++) {
      const { length } = given;
      await until(() => given.length > length + 100);
      const { failures } = orders.stats();
      await outage.begin();
      await until(() => orders.stats().failures > failures);
      await outage.end();
    }
    stop = true;
    await Promise.all(takers);
    expect(given.every((id, i) => i === 0 || id > given[i - 1])).toBe(true);
    await ids.close();
  });
});
