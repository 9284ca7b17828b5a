'use strict';

const { open } = require('../..');
const { confirmAtOnce } = require('../support/confirm-at-once');
const { countsOf, readId } = require('../support/dated-ids');
const { runProgram } = require('../support/run-program');
const { setClock } = require('../support/set-clock');
const { describeStores } = require('../support/stores');
const { until } = require('../support/until');

confirmAtOnce();

const NOON = '2024-02-29T12:00Z';
const NEXT_NOON = '2024-03-01T12:00Z';

describeStores('a dated sequence', (fixture) => {
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
    setClock(NOON);
  });

  afterEach(() => store.close());

  test.each([
    ['hour', '24022912-0001'], ['day', '240229-0001'], ['month', '2402-0001'], ['year', '24-0001'],
  ])('gives ids of the %s', async (period, id) => {
    expect(await store.sequence('orders', { period }).nextId()).toBe(id);
  });

  test('without a name is another than any with a name', async () => {
    // Of another period: their unique index keeps named counters of the same day out of that collection.
    const orders = store.sequence('orders', { period: 'month' });
    const nameless = store.sequence({ period: 'day' });
    expect(await nameless.nextIds(3)).toEqual(['240229-0001', '240229-0002', '240229-0003']);
    expect(await orders.nextId()).toBe('2402-0001');
    expect(nameless.name).toBe('');
    expect(store.sequence({ period: 'day' })).toBe(nameless);
    expect(() => store.sequence({ period: 'hour' }))
      .toThrow(expect.objectContaining({ code: 'ERR_NEXTID_OPTIONS_CONFLICT' }));
    await store.close();
    expect(await fixture.readDated(url, '')).toEqual({ 240229: 3 });
    expect(await fixture.readDated(url, 'orders')).toEqual({ 2402: 1 });
  });

  test('all calls give ids of one row of counts', async () => {
    const orders = store.sequence('orders', { period: 'day', step: 100 });
    await orders.ready();
    expect(orders.tryNextId()).toBe('240229-0001');
    expect(await orders.nextId()).toBe('240229-0002');
    expect(await orders.nextIds(3)).toEqual(['240229-0003', '240229-0004', '240229-0005']);
    expect(await orders.reserve(10)).toEqual({ first: '240229-0006', last: '240229-0015', count: 10 });
    const iterated = [];
    for await (const id of orders) {
      if (iterated.push(id) === 3) break;
    }
    expect(iterated).toEqual(['240229-0016', '240229-0017', '240229-0018']);
    const { first, count } = await orders.reserve(500); // more than there is in memory
    expect(readId(first).count).toBeGreaterThan(18);
    const ids = await orders.nextIds(1000);
    const counts = countsOf(ids)[240229];
    const inBlock = (n) => n >= readId(first).count && n < readId(first).count + count;
    expect(counts.filter((n) => n <= 18 || inBlock(n))).toEqual([]);
    expect(counts).toEqual([...new Set(counts)].toSorted((a, b) => a - b));
  });

  test('tryNextId() without numbers has them brought about', async () => {
    const orders = store.sequence('orders', { period: 'day' });
    expect(orders.tryNextId()).toBeUndefined();
    await until(() => orders.stats().inMemory > 0);
    expect(orders.tryNextId()).toBe('240229-0001');
  });

  test('counts past the least width are written in full', async () => {
    const orders = store.sequence('orders', { period: 'day', format: '{YY}/{MM}/{DD}#{count:2}', step: 200 });
    const ids = await orders.nextIds(101);
    expect([ids[0], ids[98], ids[99], ids[100]])
      .toEqual(['24/02/29#01', '24/02/29#99', '24/02/29#100', '24/02/29#101']);
    expect(orders.parse('24/02/29#100')).toMatchObject({ prefix: 240229, count: 100 });
  });

  test('parse() gives back what an id says', async () => {
    const orders = store.sequence('orders', { period: 'hour', timeZone: 'Asia/Kathmandu' }); // UTC+05:45
    const id = await orders.nextId();
    expect(id).toBe('24022917-0001');
    expect(orders.parse(id)).toEqual({
      prefix: 24022917, count: 1, from: new Date('2024-02-29T11:15Z'), to: new Date('2024-02-29T12:15Z'),
    });
    const invalid = expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE' });
    expect(() => orders.parse('240229-0001')).toThrow(invalid);
  });

  test('stats() tell the prefix, and add up', async () => {
    const orders = store.sequence('orders', { period: 'day', step: 100 });
    expect(orders.stats()).toMatchObject({ name: 'orders', prefix: undefined, inMemory: 0, handedOut: 0 });
    await orders.nextIds(30);
    await orders.nextId();
    await until(() => !orders.stats().refilling);
    const { inMemory, handedOut, prefix, refills } = orders.stats();
    expect([prefix, handedOut, inMemory]).toEqual([240229, 31, refills * 100 - 31]);
    setClock(NEXT_NOON);
    await orders.nextId();
    expect(orders.stats()).toMatchObject({ prefix: 240301, handedOut: 32 });
    await store.close();
    const { returned, lost, refills: all } = orders.stats();
    expect([orders.stats().inMemory, returned + lost]).toEqual([0, all * 100 - 32]);
  });

  test('close() gives back, and a later sequence goes on there', async () => {
    const orders = store.sequence('orders', { period: 'day', step: 100 });
    await orders.nextIds(5);
    await orders.close();
    expect(await fixture.readDated(url, 'orders')).toEqual({ 240229: 5 });
    await expect(orders.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_CLOSED' });
    expect(() => orders.tryNextId()).toThrow(expect.objectContaining({ code: 'ERR_NEXTID_CLOSED' }));
    expect(await store.sequence('orders', { period: 'day' }).nextId()).toBe('240229-0006');
  });

  test('a closed and reopened sequence remembers what it gave', async () => {
    const first = store.sequence('orders', { period: 'day' });
    await first.nextIds(5);
    setClock(NEXT_NOON);
    await first.nextId();
    await first.close();
    for (const counts of [{ 240229: 4 }, { 240301: 0 }]) await fixture.writeDated(url, 'orders', counts);
    for (const time of [NEXT_NOON, NOON]) {
      setClock(time);
      const again = store.sequence('orders', { period: 'day' });
      await expect(again.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_SEQUENCE_REWOUND' });
      await again.close();
    }
    await fixture.removeDated(url, 'orders');
    const again = store.sequence('orders', { period: 'day' });
    await expect(again.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_SEQUENCE_MISSING' });
    setClock('2024-03-02T12:00Z'); // a day of which it gave nothing
    expect(await again.nextId()).toBe('240302-0001');
  });

  test('sequences of different names and periods know nothing of each other', async () => {
    const sequences = [
      ['a', 'day'], ['b', 'day'], ['c', 'hour'], ['d', 'month'], ['e', 'year'], ['a:240229', 'day'],
    ].map(([name, period]) => store.sequence(name, { period }));
    const ids = await Promise.all(sequences.map((sequence, i) => sequence.nextIds(i + 1)));
    expect(ids.map((some) => some.at(-1))).toEqual([
      '240229-0001', '240229-0002', '24022912-0003', '2402-0004', '24-0005', '240229-0006',
    ]);
    setClock(NEXT_NOON);
    expect(await Promise.all(sequences.map((sequence) => sequence.nextId()))).toEqual([
      '240301-0001', '240301-0001', '24030112-0001', '2403-0001', '24-0006', '240301-0001',
    ]);
  });

  test('one name may have counters of several periods, one after the other', async () => {
    const ids = [];
    for (const period of ['hour', 'day', 'month', 'year', 'day']) {
      const orders = store.sequence('orders', { period });
      ids.push(await orders.nextId());
      await orders.close();
    }
    expect(ids).toEqual(['24022912-0001', '240229-0001', '2402-0001', '24-0001', '240229-0002']);
  });

  test('instances in different time zones share a counter where their day is the same', async () => {
    const [east, west] = [open(url), open(url)];
    setClock('2024-02-29T20:00Z');
    const tokyo = east.sequence('orders', { period: 'day', timeZone: 'Asia/Tokyo' });
    expect(await tokyo.nextId()).toBe('240301-0001');
    const here = west.sequence('orders', { period: 'day' });
    expect(await here.nextId()).toBe('240229-0001');
    await east.close();
    setClock('2024-03-01T00:00Z');
    expect(await here.nextId()).toBe('240301-0002');
    await west.close();
  });

  test("timeZone 'local' is the one of the process", async () => {
    const { stdout, stderr } = await runProgram(async (storeUrl) => {
      require('./lib/clock').clock.now = () => Date.parse('2024-02-29T20:00Z');
      const own = require('nextid').open(storeUrl);
      console.log(await own.sequence('orders', { period: 'hour', timeZone: 'local' }).nextId());
      console.log(await own.sequence('others', { period: 'hour' }).nextId());
      await own.close();
      process.disconnect();
    }, [url], { env: { TZ: 'Asia/Tokyo' } });
    expect({ stdout, stderr }).toEqual({ stdout: '24030105-0001\n24022920-0001\n', stderr: '' });
  });

  describe('with a clock that shows no year from 2010 to 2099', () => {
    const invalid = expect.objectContaining({ name: 'NextIdError', code: 'ERR_NEXTID_CLOCK_INVALID' });

    test.each(['1970-01-01T00:00Z', '2009-12-31T23:59:59.999Z', '2100-01-01T00:00Z'])(
      'every call is refused, %s, and works again afterwards', async (time) => {
        const orders = store.sequence('orders', { period: 'day' });
        for (const id of ['240229-0001', '240229-0002']) {
          setClock(time);
          await expect(orders.nextId()).rejects.toEqual(invalid);
          await expect(orders.nextIds(2)).rejects.toEqual(invalid);
          await expect(orders.reserve(2)).rejects.toEqual(invalid);
          await expect(orders.ready()).rejects.toEqual(invalid);
          expect(() => orders.tryNextId()).toThrow(invalid);
          setClock(NOON);
          expect(await orders.nextId()).toBe(id);
        }
        await store.close();
        expect(await fixture.readDated(url, 'orders')).toEqual({ 240229: 2 });
      });

    test('those who wait already get ids of the last day', async () => {
      const orders = store.sequence('orders', { period: 'day' });
      const waiting = orders.nextId();
      setClock(0);
      expect(await waiting).toBe('240229-0001');
    });

    test('the last day of all can be used', async () => {
      setClock('2099-12-31T23:59:59Z');
      expect(await store.sequence('orders', { period: 'day' }).nextId()).toBe('991231-0001');
    });
  });

  test('a call that is aborted leaves its numbers to others', async () => {
    const orders = store.sequence('orders', { period: 'day' });
    const abort = new AbortController();
    const calls = [orders.nextId({ signal: abort.signal }), orders.nextId()];
    abort.abort(new Error('enough'));
    await expect(calls[0]).rejects.toThrow('enough');
    expect(await calls[1]).toBe('240229-0001');
  });

  test('a counter at the end of all numbers is refused', async () => {
    await store.sequence('others', { period: 'day' }).nextId();
    await fixture.writeDated(url, 'orders', { 240229: Number.MAX_SAFE_INTEGER - 2 });
    const orders = store.sequence('orders', { period: 'day', step: 1 });
    const last = ['9007199254740990', '9007199254740991'].map((count) => `240229-${count}`);
    expect([await orders.nextId(), await orders.nextId()]).toEqual(last);
    await expect(orders.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_ID_OVERFLOW' });
    setClock(NEXT_NOON);
    expect(await orders.nextId()).toBe('240301-0001');
  });
});
