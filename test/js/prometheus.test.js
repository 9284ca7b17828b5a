'use strict';

const client = require('prom-client');
const { open } = require('../..');
const { contentType, metrics, registerMetrics } = require('../../lib/prometheus');
const { refusal } = require('../support/short-timeouts');
const { SqliteFixture } = require('../support/stores');
const { secretsOf, shows } = require('../soak/secrets');

const fixture = new SqliteFixture();
const opened = [];

function connect(url = fixture.freshUrl()) {
  const store = open(url);
  opened.push(store);
  return store;
}

afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));
afterAll(() => fixture.stop());

// What a text says: Map of 'name{labels}' to its value. Throws where it is not in the format.
function parse(text) {
  const values = new Map();
  let family;
  expect(text.endsWith('\n')).toBe(true);
  for (const line of text.split('\n').filter(Boolean)) {
    const comment = /^# (?:HELP (\S+) \S.*|TYPE (\S+) (?:counter|gauge))$/.exec(line);
    if (comment !== null) {
      family = comment[1] ?? comment[2];
      continue;
    }
    const sample = /^(([a-z_]+)\{(?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+\}) (\S+)$/.exec(line);
    if (sample === null || sample[2] !== family) throw new Error(`not in the format: ${line}`);
    if (values.has(sample[1])) throw new Error(`twice: ${line}`);
    values.set(sample[1], Number(sample[3]));
  }
  return values;
}

// The values of one metric, by sequence.
function valuesOf(text, name) {
  const own = Array.from(parse(text)).filter(([key]) => key.startsWith(`${name}{`));
  return Object.fromEntries(own.map(([key, value]) => [/sequence="(.*?)",kind/.exec(key)[1], value]));
}

test('says of each open sequence what stats() says, in base units', async () => {
  const ids = connect();
  const orders = ids.sequence('orders', { step: 10 });
  const daily = ids.sequence({ period: 'day' });
  await Promise.all([orders.nextIds(3), orders.nextIds(4), daily.nextId()]);
  const text = metrics(ids);
  const [plain, dated] = [orders.stats(), daily.stats()];

  const labels = `{store="${ids.url}",sequence="orders",kind="plain"}`;
  const of = (name) => parse(text).get(name + labels);
  expect(of('nextid_numbers_handed_out_total')).toBe(7);
  expect(of('nextid_numbers_in_memory')).toBe(plain.inMemory);
  expect(of('nextid_waits_total')).toBe(2);
  expect(of('nextid_wait_seconds_total')).toBe(plain.waitTime / 1000);
  expect(of('nextid_refill_estimate_seconds')).toBe(plain.refillTime / 1000);
  expect(of('nextid_last_refill_failed')).toBe(0);
  expect(of('nextid_step')).toBe(10);
  expect(plain.waitTime).toBeGreaterThan(0);
  expect(valuesOf(text, 'nextid_wait_seconds_total')).toEqual({
    'orders': plain.waitTime / 1000, '': dated.waitTime / 1000,
  });
  expect(text).toContain(`nextid_waits_total{store="${ids.url}",sequence="",kind="dated"} 1\n`);
});

test('says of time-stamped ones alone how far they are ahead', async () => {
  const ids = connect();
  const trace = ids.sequence('trace', { timestamp: { digits: 0 } });
  ids.sequence('orders');
  await trace.reserve(60_000_000); // a minute
  const ahead = valuesOf(metrics(ids), 'nextid_ahead_seconds');
  expect(Object.keys(ahead)).toEqual(['trace']);
  expect(ahead.trace).toBeGreaterThan(0);
  expect(ahead.trace).toBeLessThan(61);
});

test('takes sequences, stores and arrays of both, and counts none of them twice', async () => {
  const [one, other] = [connect(), connect()];
  const orders = one.sequence('orders');
  one.sequence('invoices');
  await orders.nextId();
  await other.sequence('bills').nextId();
  const handedOut = (sources) => valuesOf(metrics(sources), 'nextid_numbers_handed_out_total');
  expect(handedOut(orders)).toEqual({ orders: 1 });
  expect(handedOut([one, orders, other])).toEqual({ orders: 1, invoices: 0, bills: 1 });
  expect(handedOut([])).toEqual({});
  await orders.close();
  expect(handedOut([one, other])).toEqual({ invoices: 0, bills: 1 });
});

test('makes one of two that are alike: a store that is open twice', async () => {
  const url = fixture.freshUrl();
  const stores = [connect(url), connect(url)];
  for (const store of stores) await store.sequence('orders', { step: 10 }).nextIds(2);
  const text = metrics(stores);
  expect(valuesOf(text, 'nextid_numbers_handed_out_total')).toEqual({ orders: 4 });
  expect(valuesOf(text, 'nextid_step')).toEqual({ orders: 10 });
});

test('escapes what labels may not hold', () => {
  const ids = connect();
  ids.sequence('a "quoted" \\ name\nof two lines');
  expect(metrics(ids)).toContain(',sequence="a \\"quoted\\" \\\\ name\\nof two lines",kind="plain"} 0\n');
});

test.each([
  ['nothing', undefined], ['a URL', 'sqlite:ids.db'], ['an array with more than stores in it', [null]],
  ['an object', {}],
])('refuses %s', (_, source) => {
  const refusal = expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' });
  expect(() => metrics(source)).toThrow(refusal);
  expect(() => registerMetrics(client, source, new client.Registry())).toThrow(refusal);
});

test.each([['nothing', undefined], ['its registry', client.register], ['an object', {}]])(
  'refuses %s for prom-client', (_, wrong) => {
    expect(() => registerMetrics(wrong, connect())).toThrow(expect.objectContaining({
      code: 'ERR_INVALID_ARG_TYPE', message: expect.stringContaining("require('prom-client')"),
    }));
  });

test('prom-client gives the same, anew for each scrape', async () => {
  const registry = new client.Registry();
  const ids = connect();
  registerMetrics(client, ids, registry);
  const read = async () => parse((await registry.metrics()).replaceAll('\n\n', '\n'));
  expect(await read()).toEqual(new Map());

  const orders = ids.sequence('orders', { step: 10 });
  const trace = ids.sequence('"trace"', { timestamp: true });
  for (let round = 0; round < 2; round++) {
    await orders.nextIds(15);
    await trace.nextId();
    const [theirs, ours] = [await read(), parse(metrics(ids))];
    for (const key of ours.keys()) {
      if (key.startsWith('nextid_ahead_seconds')) ours.set(key, expect.any(Number)); // the clock goes on
    }
    expect(Array.from(theirs)).toEqual(Array.from(ours));
  }
  await orders.close();
  expect(Array.from((await read()).keys()).filter((key) => key.includes('orders'))).toEqual([]);
  expect(registry.contentType).toBe(contentType);
});

test('prom-client gets them in its own registry, if no other is named, and once', async () => {
  const ids = connect();
  registerMetrics(client, [ids]);
  try {
    expect(await client.register.metrics()).toContain('# TYPE nextid_refills_total counter');
    expect(() => registerMetrics(client, ids)).toThrow('already been registered');
  } finally {
    client.register.clear();
  }
});

test('shows no password', async () => {
  const url = 'mongodb://me:p%40ss%2Fw%3Ard@127.0.0.1:1/shop?serverSelectionTimeoutMS=100';
  const ids = connect(url);
  const orders = ids.sequence('orders', { timeout: 300 });
  await refusal(() => orders.nextId());
  const text = metrics(ids);
  const labels = '{store="mongodb://127.0.0.1:1/shop",sequence="orders",kind="plain"}';
  expect(parse(text).get(`nextid_last_refill_failed${labels}`)).toBe(1);
  expect(valuesOf(text, 'nextid_wait_timeouts_total')).toEqual({ orders: orders.stats().timeouts });
  expect(shows(secretsOf(url), text)).toBe(false);
});
