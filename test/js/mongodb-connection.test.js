'use strict';

// open() with a connection to MongoDB that the service already has.

const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { open } = require('../..');
const { closeOutages, refusedConnections } = require('../support/outages');
const { refusal, served } = require('../support/short-timeouts');
const { MongoDriverFixture, describeMongo, describeWith } = require('../support/stores');

const PACKAGES = path.join(__dirname, '..', 'recipes', 'node_modules');
const MONGOOSE = { 8: path.join(PACKAGES, 'mongoose8'), 9: path.join(PACKAGES, 'mongoose') };
const DRIVERS = { 6: path.join(MONGOOSE[8], 'node_modules', 'mongodb'), 7: 'mongodb' };
const KINDS = {
  plain: {}, dated: { period: 'year' }, cyclic: { cycle: 99 }, timestamped: { timestamp: true },
};

describeMongo('a connection of the service', (fixture) => {
  const opened = [];
  const closing = (connection) => {
    opened.push(connection);
    return connection;
  };

  afterEach(async () => {
    for (const connection of opened.splice(0)) await connection.close();
  });

  const clientOf = (version, url, options) => {
    const { MongoClient } = require(DRIVERS[version]);
    return closing(new MongoClient(url, options));
  };

  const take = async (source, count = 3) => {
    const ids = open(source);
    const taken = {};
    for (const [name, options] of Object.entries(KINDS)) {
      taken[name] = await ids.sequence(name, options).nextIds(count);
    }
    await ids.close();
    return taken;
  };

  const documentsOf = async (url) => {
    const types = { promoteValues: false };
    const all = await Promise.all(['ids', 'counters'].map((name) => (
      fixture.collection(url, name).find({}, types).sort({ _id: 1 }).toArray())));
    // A time-stamped counter stands at the time.
    return all.flat().map(({ slot, ...others }) => (slot === undefined ? others : { ...others, slot: 1 }));
  };

  test.each([6, 7])('a MongoClient and a Db of driver %i: the native documents', async (version) => {
    const [native, url] = [fixture.freshUrl(), fixture.freshUrl()];
    const expected = await take(native);
    const client = clientOf(version, url);
    const taken = await take(client);
    for (const name of ['plain', 'dated', 'cyclic']) expect(taken[name]).toEqual(expected[name]);
    expect(await documentsOf(url)).toEqual(await documentsOf(native));
    const again = await take(client.db());
    expect(again.plain).toEqual([4, 5, 6]);
    expect(again.cyclic).toEqual([4, 5, 6]);
    expect(await client.db().command({ ping: 1 })).toMatchObject({ ok: 1 }); // still open
  });

  test.each([8, 9])('a connection of Mongoose %i, before it is connected', async (version) => {
    const mongoose = require(MONGOOSE[version]);
    const url = fixture.freshUrl();
    const connection = closing(mongoose.createConnection());
    const taken = take(connection);
    connection.openUri(url);
    expect((await taken).plain).toEqual([1, 2, 3]);
    expect(connection.readyState).toBe(1);
    expect(await fixture.read(url, 'plain')).toBe(4);
  });

  test('beside the native store: none twice, and returned numbers pass from one to the other', async () => {
    const url = fixture.freshUrl();
    const client = clientOf(7, url);
    const given = [];
    for (let round = 0; round < 5; ++round) {
      const stores = [open(url), open(client), open(url), open(client.db())];
      const all = stores.map((store) => store.sequence('orders', { step: 10 }));
      await Promise.all(all.map(async (sequence) => {
        for (let i = 0; i < 25; ++i) given.push(await sequence.nextId());
      }));
      await Promise.all(stores.map((store) => store.close()));
    }
    const ids = open(client);
    const [{ next, returned = 0 }] = await ids.list();
    await ids.close();
    expect(new Set(given).size).toBe(given.length);
    expect(given.length + returned).toBe(next - 1); // none is lost
  });

  test('is used safely, whatever its own options say', async () => {
    const url = fixture.freshUrl();
    const options = [
      { writeConcern: { w: 0 } }, { readPreference: 'secondaryPreferred' }, { useBigInt64: true },
      { promoteLongs: false }, { promoteValues: false }, { ignoreUndefined: true }, { retryWrites: false },
    ];
    for (const [i, each] of options.entries()) {
      const { plain, cyclic } = await take(clientOf(7, url, each), 1);
      expect([plain, cyclic]).toEqual([[i + 1], [i + 1]]);
    }
  });

  test('the option collection', async () => {
    const url = fixture.freshUrl();
    const ids = open(clientOf(7, url), { collection: 'numbers' });
    await ids.sequence('orders').nextId();
    await ids.sequence('serial', { cycle: 9 }).nextId();
    await ids.close();
    const own = open(`${url}${url.includes('?') ? '&' : '?'}collection=numbers`);
    expect((await own.list()).map(({ name }) => name)).toEqual(['orders', 'serial']);
    await own.close();
    expect(() => open('sqlite:ids.db', { collection: 'numbers' })).toThrow('?collection=NAME');
  });

  test('that its owner has closed: an error that says so', async () => {
    const client = clientOf(7, fixture.freshUrl());
    const ids = open(client);
    const orders = ids.sequence('orders', { step: 1, timeout: 500 });
    await served(() => orders.nextId());
    await client.close();
    const failure = await refusal(() => orders.reserve(100));
    expect(failure.message).toMatch(/no number.*cannot be reached/);
    await ids.close();
  });

  test('with a wrong password, which no message shows', async () => {
    const login = fixture.withLogin(fixture.freshUrl());
    if (login === undefined) return; // a server of somebody's own
    const url = login.replace(/:[^:@/]+@/, ':wr0ng-secret@');
    const ids = open(clientOf(7, url));
    const failure = await ids.sequence('orders').nextId().catch((error) => error);
    expect(failure).toMatchObject({ code: 'ERR_NEXTID_ACCESS_DENIED' });
    const text = [failure.message, failure.stack, failure.cause?.message, failure.cause?.stack].join();
    expect(text).not.toMatch('wr0ng-secret');
    await ids.close();
  });
});

describeWith(MongoDriverFixture, 'mongodb', 'a connection of nextid\'s own', (fixture) => {
  afterEach(closeOutages);

  // The driver would never reconnect: the call that waits has it look for the server, which it does every
  // 500 ms at most, by a connection that is just being closed.
  test('is made again after all were lost at once, while another call waited', async () => {
    const outage = await refusedConnections(fixture);
    const ids = open(outage.url, { maxConcurrentRefills: 1 });
    const options = { step: 1, timeout: 15_000 };
    await ids.sequence('orders', options).nextId();
    await sleep(600);
    const lost = new Promise((resolve) => {
      outage.proxy.onRequest = async () => {
        outage.proxy.onRequest = undefined;
        await outage.begin();
        resolve();
      };
    });
    const reserved = ['orders', 'tickets'].map((name) => ids.sequence(name, options).reserve(100));
    await lost;
    await outage.end();
    expect(await Promise.all(reserved)).toMatchObject([{ count: 100 }, { count: 100 }]);
    await ids.close();
  });
});
