/** @jest-environment jsdom */
'use strict';

// Where globals are a browser's: setTimeout() returns a number, and there is no setImmediate(). So it is in
// unit tests of isomorphic code, and in Electron's renderer.

const { open } = require('../..');
const callbackInterface = require('../../lib/callback');
const { setClock } = require('../support/set-clock');
const { closeOutages, lockedFile } = require('../support/outages');
const { SqliteFixture } = require('../support/stores');

describe('in jsdom', () => {
  const fixture = new SqliteFixture();
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
  });

  afterEach(async () => {
    await store.close();
    await closeOutages();
  });

  afterAll(() => fixture.stop());

  test('timers are those of a browser', () => {
    expect(setTimeout(() => {}, 0)).toEqual(expect.any(Number));
    expect(globalThis.setImmediate).toBeUndefined();
  });

  test('each kind of sequence gives ids', async () => {
    const ids = (options) => store.sequence('orders', options).nextIds(2).finally(() => (
      store.sequence('orders').close()));
    expect(await ids()).toEqual([1, 2]);
    setClock('2024-02-29T12:00Z');
    expect(await ids({ period: 'day' })).toEqual(['240229-0001', '240229-0002']);
    expect(await ids({ cycle: 9 })).toEqual([1, 2]);
    expect(await ids({ timestamp: { maxAge: 1000 } })).toHaveLength(2);
  });

  test('a call can be aborted, and times out', async () => {
    const outage = lockedFile(fixture);
    const held = open(outage.url);
    await held.sequence('others').ready();
    await outage.begin();
    const { signal } = new AbortController();
    const overdue = held.sequence('orders', { timeout: 20 }).nextId({ signal });
    await expect(overdue).rejects.toMatchObject({ code: 'ERR_NEXTID_TIMEOUT' });
    const abort = new AbortController();
    const aborted = held.sequence('orders').nextId({ signal: abort.signal });
    abort.abort(new Error('of the service'));
    await expect(aborted).rejects.toThrow('of the service');
    await outage.end();
    await held.close();
  });

  test('the drop-in gives ids', async () => {
    const { init_id, next_id, close } = callbackInterface(url);
    const id = await new Promise((resolve) => {
      init_id('orders', (error, idstatus) => next_id(idstatus, (error, id) => resolve(id)));
    });
    expect(id).toBe(1000);
    await close();
  });
});
