'use strict';

// What is told of a sequence: on the channels of node:diagnostics_channel, and in words by NODE_DEBUG=nextid.

const diagnostics = require('node:diagnostics_channel');
const { open } = require('../..');
const { confirmAtOnce } = require('../support/confirm-at-once');
const { runProgram } = require('../support/run-program');
const { refusal } = require('../support/short-timeouts');
const { SqliteFixture, describeStores } = require('../support/stores');
const { until } = require('../support/until');
const { secretsOf, shows } = require('../soak/secrets');

confirmAtOnce();

const UNREACHABLE = 'mongodb://me:p%40ss%2Fw%3Ard@127.0.0.1:1/shop?serverSelectionTimeoutMS=100';

const fresh = new SqliteFixture();
afterAll(() => fresh.stop());

const unsubscribers = [];
afterEach(() => unsubscribers.splice(0).forEach((unsubscribe) => unsubscribe()));

// The messages of a channel, from now on.
function messagesOf(name) {
  const messages = [];
  const listener = (message) => messages.push(message);
  diagnostics.subscribe(name, listener);
  unsubscribers.push(() => diagnostics.unsubscribe(name, listener));
  return messages;
}

const watchAll = () => ['nextid:refill', 'nextid:wait', 'nextid:error'].map(messagesOf);

describeStores('who watches', (fixture) => {
  let url;
  let ids;
  beforeEach(() => {
    url = fixture.freshUrl();
    ids = open(url);
  });
  afterEach(() => ids.close());

  const originOf = (sequence, kind) => ({ store: ids.url, sequence, kind });

  test('hears of each refill and each call that waited, with what they took', async () => {
    const [refills, waits, errors] = watchAll();
    const orders = ids.sequence('orders', { step: 100 });
    await Promise.all([orders.nextId(), orders.nextIds(4), orders.reserve(5), orders.ready()]);

    const duration = expect.any(Number);
    const origin = originOf('orders', 'plain');
    expect(refills[0]).toEqual({ ...origin, duration, numbers: 100 });
    expect(refills).toHaveLength(orders.stats().refills);
    const told = { ...origin, duration, error: undefined };
    expect(waits.toSorted((a, b) => a.numbers - b.numbers))
      .toEqual([0, 1, 4, 5].map((numbers) => ({ ...told, numbers })));
    expect(errors).toEqual([]);
    for (const message of [...refills, ...waits]) expect(message.duration).toBeGreaterThan(0);
  });

  test('hears nothing of calls that need not wait', async () => {
    const orders = ids.sequence('orders', { step: 1000 });
    await orders.ready();
    const waits = messagesOf('nextid:wait');
    expect(await orders.nextId()).toBe(1);
    expect(await orders.nextIds(800)).toHaveLength(800); // more than the window has
    expect((await orders.reserve(9)).count).toBe(9);
    expect(waits).toEqual([]);
    expect(orders.stats().waits).toBe(1); // ready()
  });

  test.each([
    ['dated', { period: 'day' }], ['cyclic', { cycle: 9 }], ['time-stamped', { timestamp: true }],
  ])('hears of %s ones too', async (kind, options) => {
    const [refills, waits] = watchAll();
    await ids.sequence('some', options).nextIds(2);
    expect(refills[0]).toMatchObject({ ...originOf('some', kind), numbers: kind === 'dated' ? 10 : 2 });
    expect(waits).toMatchObject([{ ...originOf('some', kind), numbers: 2 }]);
  });

  test('hears of a refill that fails, and why a call failed', async () => {
    const orders = ids.sequence('orders', { step: 5 });
    await orders.ready();
    await until(() => !orders.stats().refilling);
    await fixture.remove(url, 'orders');
    const [, waits, errors] = watchAll();
    const refusal = await orders.nextIds(1000).catch((error) => error);

    expect(refusal.code).toBe('ERR_NEXTID_SEQUENCE_MISSING');
    const told = { ...originOf('orders', 'plain'), duration: expect.any(Number) };
    expect(waits).toEqual([{ ...told, numbers: 1000, error: refusal }]);
    const looks = fixture.kind === 'sqlite' ? 1 : 2; // the first may have been at stale data
    expect(errors).toEqual(new Array(looks).fill({ ...told, error: orders.stats().lastError }));
    expect(orders.stats().failures).toBe(looks);
  });

  test('hears that a call was aborted, or closed', async () => {
    const waits = messagesOf('nextid:wait');
    const orders = ids.sequence('orders');
    const reason = new Error('changed my mind');
    const controller = new AbortController();
    const calls = [orders.nextId({ signal: controller.signal }), orders.nextId()];
    controller.abort(reason);
    orders.close();
    await Promise.allSettled(calls);
    expect(waits.map(({ error }) => error.code ?? error)).toEqual([reason, 'ERR_NEXTID_CLOSED']);
  });
});

test('who watches may throw, and take ids: calls get what they asked for', async () => {
  const { stdout, stderr } = await runProgram((url) => {
    const { subscribe } = require('node:diagnostics_channel');
    const orders = require('nextid').open(url).sequence('orders', { step: 10 });
    process.on('uncaughtException', (error) => console.log(error.message));
    subscribe('nextid:refill', () => {
      console.log(orders.tryNextId());
      throw new Error('thrown by who watches');
    });
    Promise.all([orders.nextId(), orders.nextId()]).then((calls) => console.log(calls.join()));
  }, [fresh.freshUrl()]);
  expect(stdout.split('\n').toSorted()).toEqual(['', '1,2', '3', 'thrown by who watches']);
  expect(stderr).toBe('');
});

test('a rejection that nobody handles is reported, watched or not', async () => {
  const { code, stderr } = await runProgram((url) => {
    require('node:diagnostics_channel').subscribe('nextid:wait', () => {});
    require('nextid').open(url).sequence('orders').nextId();
  }, [fresh.brokenUrl()]);
  expect(stderr).toContain('ERR_NEXTID_STORE_INVALID');
  expect(code).not.toBe(0);
});

describe('NODE_DEBUG=nextid', () => {
  const program = async (url, timeout = 50_000) => {
    const ids = require('nextid').open(url);
    const orders = ids.sequence('orders', { step: 5, timeout });
    do await orders.nextId().catch(() => {}); while (orders.stats().refills + orders.stats().failures === 0);
    await ids.close();
  };
  const run = async (url, env, ...timeout) => (await runProgram(program, [url, ...timeout], { env })).stderr;

  test('tells what happens, in words', async () => {
    const url = fresh.freshUrl();
    const stderr = await run(url, { NODE_DEBUG: 'nextid' });
    const lines = stderr.trim().split('\n').map((line) => line.replace(/^NEXTID \d+: |[\d.]+ ms$/g, ''));
    expect(lines).toEqual([
      `${url}: opened`,
      `sequence 'orders' (plain): opened in ${url}`,
      "sequence 'orders' (plain): 5 numbers reserved in ",
      "sequence 'orders' (plain): a call for 1 number waited ",
      "sequence 'orders' (plain): closed; 4 numbers returned, 0 lost",
      `${url}: closed`,
    ]);
  });

  test('tells of failures, without a password', async () => {
    const stderr = await run(UNREACHABLE, { NODE_DEBUG: 'nextid' }, 300);
    expect(stderr).toMatch(/'orders' \(plain\): a refill failed after .* ms: ERR_NEXTID_STORE_UNAVAILABLE: /);
    expect(stderr).toMatch(/'orders' \(plain\): a call for 1 number waited .* failed: ERR_NEXTID_TIMEOUT: /);
    expect(stderr).toContain('mongodb://127.0.0.1:1/shop: opened');
    expect(shows(secretsOf(UNREACHABLE), stderr)).toBe(false);
  });

  test('takes whatever a call is aborted with', async () => {
    const { stdout, stderr } = await runProgram((url) => {
      const signal = AbortSignal.abort(Object.create(null));
      const late = new AbortController();
      const orders = require('nextid').open(url).sequence('orders');
      const calls = [orders.nextId({ signal }), orders.nextId({ signal: late.signal })];
      late.abort(signal.reason);
      for (const call of calls) call.catch((reason) => console.log(reason === signal.reason));
    }, [fresh.freshUrl()], { env: { NODE_DEBUG: 'nextid' } });
    expect(stdout).toBe('true\ntrue\n');
    expect(stderr).toMatch(/a call for 1 number waited .* and failed: an object\n/);
  });

  test('without it, nothing is told', async () => {
    expect(await run(fresh.freshUrl(), { NODE_DEBUG: '' })).toBe('');
  });
});

test('no message shows a password', async () => {
  const messages = watchAll();
  const ids = open(UNREACHABLE);
  const orders = ids.sequence('orders', { timeout: 300 });
  await refusal(() => orders.nextId());
  await ids.close();
  const [refills, waits, errors] = messages;
  expect([refills.length, waits.length, errors.length > 0]).toEqual([0, orders.stats().timeouts, true]);
  expect(waits[0].error.code).toBe('ERR_NEXTID_TIMEOUT');
  expect(errors[0].store).toBe('mongodb://127.0.0.1:1/shop');
  expect(shows(secretsOf(UNREACHABLE), messages)).toBe(false);
});
