'use strict';

// The command `adopt`: counters that continue the numbers of other programs.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { open } = require('../..');
const { runNextid } = require('../support/run-nextid');
const { describeMongo } = require('../support/stores');

const DRY_RUN = 'nextid: dry run: nothing was changed; run it again with --apply\n';

async function counters(url) {
  const ids = open(url);
  try {
    return Object.fromEntries((await ids.list()).map(({ name, next }) => [name, next]));
  } finally {
    await ids.close();
  }
}

async function withSequence(url, name, options, use) {
  const ids = open(url);
  try {
    return await use(ids.sequence(name, options), ids);
  } finally {
    await ids.close();
  }
}

describeMongo('adopt', (fixture) => {
  let mongo;
  let url;

  beforeEach(() => {
    mongo = require('mongodb');
    url = fixture.freshUrl();
  });

  const adopt = (...args) => runNextid(['adopt', ...args, '--store', url]);
  const insert = (name, ...documents) => fixture.collection(url, name).insertMany(documents);
  const refused = (...words) => ({
    code: 1, stdout: '', stderr: expect.stringMatching(new RegExp(`^nextid: .*${words.join('.*')}.*\\n$`)),
  });

  test('of a field: a dry run, unless with --apply', async () => {
    await insert('orders', { orderNumber: 4211 }, { orderNumber: 17 }, { orderNumber: null }, {});
    const is = "the largest orderNumber in the collection 'orders' is 4211; ";
    expect(await adopt('orders.orderNumber'))
      .toEqual({ code: 0, stdout: `${is}would set the sequence 'orders' to 4212\n`, stderr: DRY_RUN });
    expect(await counters(url)).toEqual({});
    expect(await adopt('orders.orderNumber', '--apply'))
      .toEqual({ code: 0, stdout: `${is}set the sequence 'orders' to 4212\n`, stderr: '' });
    expect(await withSequence(url, 'orders', {}, (orders) => orders.nextIds(2))).toEqual([4212, 4213]);
    for (const options of [[], ['--apply']]) {
      const { stdout } = await adopt('orders.orderNumber', ...options);
      expect(stdout).toBe(`${is}the sequence 'orders' already stands at 4214\n`);
    }
  });

  test('drops returned numbers that are in use', async () => {
    await withSequence(url, 'orders', { step: 10 }, async (orders, one) => {
      await orders.nextId();
      await withSequence(url, 'orders', { step: 10 }, (others) => others.nextId());
      await one.close();
    });
    expect(await fixture.returned(url)).toBeGreaterThan(0);
    await insert('orders', { n: 30 });
    await adopt('orders.n', '--apply');
    expect(await fixture.returned(url)).toBe(0);
    expect(await withSequence(url, 'orders', {}, (orders) => orders.nextId())).toBe(31);
  });

  test('with --sequence and --json', async () => {
    await insert('orders', { number: 8 });
    const args = ['orders.number', '--sequence', 'order_numbers', '--json'];
    const line = '{"name":"order_numbers","largest":8,"next":9,"applied":';
    expect((await adopt(...args)).stdout).toBe(`${line}false}\n`);
    expect((await adopt(...args, '--apply')).stdout).toBe(`${line}true}\n`);
    expect(await counters(url)).toEqual({ order_numbers: 9 });
  });

  test('reads int32, int64 and whole doubles, and no digit is lost', async () => {
    const { Double, Int32, Long } = mongo;
    const large = 2n ** 60n + 1n;
    await insert('a', { n: new Int32(5) }, { n: new Double(7) }, { n: 2.5 }, { n: Long.fromNumber(6) });
    await insert('b', { n: new Double(2 ** 60) }, { n: Long.fromBigInt(large) });
    for (const name of ['a', 'b']) await adopt(`${name}.n`, '--apply');
    expect(await counters(url)).toEqual({ a: 8, b: large + 1n });
  });

  test('finds collections and fields with dots in their names', async () => {
    await insert('shop.orders', { header: { number: 12 } });
    expect((await adopt('shop.orders.header.number')).stdout)
      .toMatch(/^the largest header.number in .* 'shop.orders' is 12; .* sequence 'shop.orders' to 13/);
    await insert('shop', { orders: { number: 5 } });
    expect(await adopt('shop.orders.number')).toEqual(refused('a field of', 'shop', 'or', 'shop'));
  });

  test('refuses values that may stand for larger numbers', async () => {
    const { Decimal128, Double, Long } = mongo;
    const odd = {
      string: ['9', '10'], decimal: [Decimal128.fromString('9')], array: [[1, 2]], date: [new Date()],
      'the largest n .* is 9.5': [9.5], 'is Infinity': [new Double(Infinity)],
      'is NaN': [new Double(NaN), Long.fromNumber(3)],
    };
    for (const [i, [problem, values]] of Object.entries(odd).entries()) {
      await insert(`orders${i}`, { n: 4 }, ...values.map((n) => ({ n })));
      const error = refused(problem, 'whole numbers', 'nextid advance');
      expect(await adopt(`orders${i}.n`, '--apply')).toEqual(error);
    }
    await insert('negative', { n: -4 });
    expect(await adopt('negative.n', '--apply')).toEqual(refused('is -4'));
    await insert('items', { lines: [{ n: 1 }, { n: 2 }] });
    expect(await adopt('items.lines.n', '--apply')).toEqual(refused('array \\(1\\)'));
    expect(await counters(url)).toEqual({});
  });

  test('refuses what is not there', async () => {
    await insert('orders', { n: null });
    expect(await adopt('ordres.n')).toEqual(refused("collection 'ordres'", "did you mean 'orders'"));
    for (const path of ['orders.n', 'orders.m']) expect(await adopt(path)).toEqual(refused('no document'));
    expect(await adopt('mongoose-sequence')).toEqual(refused('no counter of mongoose-sequence'));
  });

  test('refuses the name of another kind, and a damaged counter', async () => {
    await insert('orders', { n: 5 });
    await withSequence(url, 'orders', { period: 'day' }, (orders) => orders.nextId());
    await fixture.collection(url).insertOne({ _id: 'spoilt', index: 'many' });
    for (const options of [[], ['--apply']]) {
      expect(await adopt('orders.n', ...options)).toMatchObject(refused("'orders' is dated"));
      expect(await adopt('orders.n', '--sequence', 'spoilt', ...options)).toMatchObject({
        code: 1, stdout: '', stderr: expect.stringContaining('many'),
      });
    }
    expect((await adopt('orders.n', '--sequence', 'plain', '--apply')).code).toBe(0);
  });

  test('of mongoose-sequence: each of its counters, and none of ours', async () => {
    const { Long, ObjectId } = mongo;
    const tenant = new ObjectId();
    await insert('counters',
      { id: 'orders', reference_value: null, seq: 17 },
      { id: 'tickets', reference_value: { tenant: 'acme' }, seq: 5 },
      { id: 'tickets', reference_value: { tenant }, seq: Long.fromNumber(6) },
      { id: 'homes', reference_value: { city: 'Paris', country: 'France' }, seq: 0 },
      { _id: 'serial', val: 3, maxval: 9 },
      { _id: 'trace', slot: 3, digits: 2 });
    const tenantIs = `the counter 'tickets' of {"tenant":"${tenant}"}`;
    const { code, stdout, stderr } = await adopt('mongoose-sequence');
    expect({ code, stderr }).toEqual({ code: 0, stderr: DRY_RUN });
    expect(stdout.trim().split('\n').sort()).toEqual([
      "the counter 'homes' of {\"city\":\"Paris\",\"country\":\"France\"} is 0; " +
        "would set the sequence 'homes/Paris/France' to 1",
      "the counter 'orders' is 17; would set the sequence 'orders' to 18",
      `${tenantIs} is 6; would set the sequence 'tickets/${tenant}' to 7`,
      "the counter 'tickets' of {\"tenant\":\"acme\"} is 5; would set the sequence 'tickets/acme' to 6",
    ].sort());
    expect((await adopt('mongoose-sequence', '--apply')).code).toBe(0);
    expect(await counters(url)).toMatchObject({
      orders: 18, 'tickets/acme': 6, [`tickets/${tenant}`]: 7, 'homes/Paris/France': 1,
    });
  });

  test('of mongoose-sequence: skips what it cannot name or count, adopts the others, and fails', async () => {
    await insert('counters',
      { id: 'a', reference_value: null, seq: 1 },
      { id: 'b', reference_value: { tenant: null }, seq: 2 },
      { id: 'c', reference_value: null, seq: '3' },
      { id: 'd', reference_value: { tenant: 4 }, seq: 4 },
      { id: 'd', reference_value: { tenant: '4' }, seq: 5 },
      { id: 'e'.repeat(300), reference_value: null, seq: 6 });
    const { code, stdout, stderr } = await adopt('mongoose-sequence', '--apply');
    expect(code).toBe(1);
    expect(stdout).toBe("the counter 'a' is 1; set the sequence 'a' to 2\n");
    for (const words of [/skipped .*'b' of {"tenant":null}/, /skipped .*'c': .*"3"/, /'d\/4'/, /255 bytes/,
      /skipped 5 of 6.*nextid advance/]) expect(stderr).toMatch(words);
    expect(await counters(url)).toEqual({ a: 2 });
  });

  describe('the driver', () => {
    let folder;

    beforeEach(() => {
      folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-adopt-'));
    });

    afterEach(() => fs.rmSync(folder, { recursive: true }));

    const adoptThere = () => runNextid(['adopt', 'orders.n', '--store', url], { cwd: folder });

    test('is that of the working directory; else the message says how to install it', async () => {
      await insert('orders', { n: 5 });
      expect(await adoptThere()).toEqual(refused('mongodb cannot be loaded', 'npm install mongodb'));
    });

    test('may be that of mongoose', async () => {
      await insert('orders', { n: 5 });
      const mongoose = path.join(folder, 'node_modules', 'mongoose');
      const inner = path.join(mongoose, 'node_modules', 'mongodb');
      fs.mkdirSync(inner, { recursive: true });
      fs.writeFileSync(path.join(mongoose, 'index.js'), '');
      fs.writeFileSync(path.join(inner, 'index.js'),
        `module.exports = require(${JSON.stringify(require.resolve('mongodb'))});`);
      expect((await adoptThere()).code).toBe(0);
    });
  });
});

test('adopt refuses a store that it cannot read, and shows no password', async () => {
  expect(await runNextid(['adopt', 'orders.n', '--store', 'sqlite:shop.db'])).toMatchObject({
    code: 2, stdout: '', stderr: expect.stringMatching(/shop\.db: .* a mongodb: store; .*nextid advance/),
  });
  const url = 'mongodb://root:hunter2@127.0.0.1:1/shop?serverSelectionTimeoutMS=100';
  const { code, stdout, stderr } = await runNextid(['adopt', 'orders.n', '--store', url]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).not.toContain('hunter2');
});
