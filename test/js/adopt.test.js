'use strict';

// The command `adopt`: counters that continue the numbers of other programs.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { open } = require('../..');
const { runNextid } = require('../support/run-nextid');
const { describeMongo, describeSqlStores } = require('../support/stores');
const { until } = require('../support/until');

const CLI = path.join(__dirname, '..', '..', 'lib', 'cli.js');
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

const refused = (...words) => ({
  code: 1, stdout: '', stderr: expect.stringMatching(new RegExp(`^nextid: .*${words.join('.*')}.*\\n$`)),
});

describeMongo('adopt', (fixture) => {
  let mongo;
  let url;

  beforeEach(() => {
    mongo = require('mongodb');
    url = fixture.freshUrl();
  });

  const adopt = (...args) => runNextid(['adopt', ...args, '--store', url]);
  const insert = (name, ...documents) => fixture.collection(url, name).insertMany(documents);

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

describeSqlStores('adopt', (fixture) => {
  const isMysql = fixture.kind === 'mysql';
  const quote = (name) => (isMysql ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`);
  let url;
  const run = (sql) => fixture.run(sql, url);

  beforeEach(async () => {
    url = await fixture.freshDatabase();
  });

  const adopt = (...args) => runNextid(['adopt', ...args, '--store', url]);

  async function create(table, columns, ...rows) {
    await run(`CREATE TABLE ${table} (${columns})`);
    if (rows.length > 0) await run(`INSERT INTO ${table} VALUES ${rows.map((row) => `(${row})`)}`);
  }

  test('of a column: a dry run, unless with --apply', async () => {
    await create('orders', 'id integer, name text', "4211, 'a'", "17, 'b'", 'NULL, NULL');
    const is = "the largest id in the table 'orders' is 4211; ";
    expect(await adopt('orders.id'))
      .toEqual({ code: 0, stdout: `${is}would set the sequence 'orders' to 4212\n`, stderr: DRY_RUN });
    await expect(run('SELECT name FROM nextid_counters')).rejects.toThrow(/exist/);
    expect(await counters(url)).toEqual({});
    expect(await adopt('orders.id', '--apply'))
      .toEqual({ code: 0, stdout: `${is}set the sequence 'orders' to 4212\n`, stderr: '' });
    expect(await withSequence(url, 'orders', {}, (orders) => orders.nextIds(2))).toEqual([4212, 4213]);
    const { stdout } = await adopt('orders.id', '--apply');
    expect(stdout).toBe(`${is}the sequence 'orders' already stands at 4214\n`);
  });

  test('of an empty column: the first number is 1', async () => {
    await create('orders', 'id bigint');
    const args = ['orders.id', '--sequence', 'order_ids'];
    expect((await adopt(...args)).stdout).toBe("the largest id in the table 'orders' (there is none yet) " +
      "is 0; would set the sequence 'order_ids' to 1\n");
    await run('INSERT INTO orders VALUES (NULL)');
    const line = '{"name":"order_ids","largest":0,"next":1,"applied":true}\n';
    expect((await adopt(...args, '--apply', '--json')).stdout).toBe(line);
    expect(await counters(url)).toEqual({ order_ids: 1 });
  });

  test('reads whole numbers of all types, and no digit is lost', async () => {
    const large = 2n ** 63n - 3n;
    const types = ['smallint', 'integer', 'bigint', 'numeric(20)', 'numeric(30, 2)'];
    if (isMysql) types.push('tinyint unsigned', 'mediumint', 'bigint unsigned', 'bigint(20) zerofill');
    const columns = types.map((type, i) => `c${i} ${type}`);
    await create('numbers', columns, types.map(() => 6), types.map(() => 7));
    for (const i of types.keys()) await adopt(`numbers.c${i}`, '--apply', '--sequence', `c${i}`);
    expect(await counters(url)).toEqual(Object.fromEntries(types.map((_, i) => [`c${i}`, 8])));
    for (const column of ['c2', 'c3', 'c4']) {
      await run(`UPDATE numbers SET ${column} = ${large} WHERE ${column} = 7`);
      const { stdout } = await adopt(`numbers.${column}`, '--apply', '--sequence', column, '--json');
      expect(JSON.parse(stdout)).toMatchObject({ largest: String(large), next: String(large + 1n) });
    }
  });

  test('names with capitals, spaces and quotes, and a table of another schema', async () => {
    const [table, column] = ['My "O\'r\\`ders', 'No "`'];
    const schema = `${new URL(url).pathname.slice(1)} "b" \`é\``;
    const other = `${quote(schema)}.${quote(table)}`;
    await create(quote(table), `${quote(column)} integer`, '5');
    expect((await adopt(`${table}.${column}`, '--json')).stdout)
      .toBe(`${JSON.stringify({ name: table, largest: 5, next: 6, applied: false })}\n`);
    await run(`CREATE SCHEMA ${quote(schema)}`);
    try {
      await create(other, `${quote(column)} integer`, '8');
      expect((await adopt(`${schema}.${table}.${column}`, '--apply')).stdout)
        .toMatch(/ is 8; set the sequence 'My "O'r\\`ders' to 9\n$/);
    } finally {
      if (isMysql) await run(`DROP SCHEMA ${quote(schema)}`);
    }
    expect(await counters(url)).toEqual({ [table]: 9 });
  });

  test('refuses other types, and numbers that cannot be continued', async () => {
    await create('odd', 'name varchar(9), price numeric(9, 2), balance integer, most numeric(20), x float',
      "'10', 9.5, -4, 9223372036854775807, 3");
    const byHand = 'find the largest number .* nextid advance NAME N';
    for (const [column, type] of [['name', 'varchar|character varying'], ['x', 'float|double precision']]) {
      expect(await adopt(`odd.${column}`, '--apply'))
        .toEqual(refused(`${column} .*'odd' is of the type (${type}): expected`, byHand));
    }
    for (const [column, value] of [['price', '9\\.50'], ['balance', '-4'], ['most', '9223372036854775807']]) {
      expect(await adopt(`odd.${column}`, '--apply'))
        .toEqual(refused(`largest ${column} .* is ${value}`, 'a whole number from 0', byHand));
    }
    expect(await counters(url)).toEqual({});
  });

  test('refuses what is not there', async () => {
    await create('orders', 'id integer, num integer');
    expect(await adopt('ordres.id')).toEqual(refused("no table 'ordres'", "did you mean 'orders'"));
    expect(await adopt('Orders.id')).toEqual(refused("no table 'Orders'", "did you mean 'orders'"));
    expect(await adopt('orders.nmu')).toEqual(refused("no column 'nmu'", "'orders'", "did you mean 'num'"));
    expect(await adopt('nowhere.orders.id')).toEqual(refused("no table 'orders' in 'nowhere'"));
    for (const path of ['a.b.c.d', 'mongoose-sequence']) {
      const stderr = expect.stringContaining('SCHEMA.TABLE.COLUMN');
      expect(await adopt(path)).toEqual({ code: 2, stdout: '', stderr });
    }
  });

  test('refuses a view, which may leave out rows', async () => {
    await create('orders', 'id integer', '5');
    await run('CREATE VIEW recent_orders AS SELECT id FROM orders WHERE id < 3');
    expect(await adopt('recent_orders.id')).toEqual(refused("no table 'recent_orders'"));
  });

  describe('by a user with few rights', () => {
    let other;
    let user;

    beforeEach(async () => {
      await create('orders', 'id integer', '5');
      await withSequence(url, 'any', {}, (any) => any.ready()); // makes the table for counters
      other = new URL(url);
      const password = decodeURIComponent(other.password);
      other.username = isMysql ? other.pathname.slice(1) : 'plain';
      user = isMysql ? `${other.username}@'127.0.0.1'` : 'plain';
      if (isMysql) await run(`CREATE USER ${user} IDENTIFIED BY ${fixture.quoted(password)}`);
      await run(`GRANT ALL ON nextid_counters TO ${user}`);
    });

    afterEach(async () => {
      if (isMysql) await run(`DROP USER ${user}`);
    });

    const adoptThen = () => (
      runNextid(['adopt', 'orders.id', '--apply'], { env: { NEXTID_STORE: other.href } }));

    test('refuses a table that the user may not read, and shows no password', async () => {
      await run(`GRANT INSERT ON orders TO ${user}`);
      const { code, stdout, stderr } = await adoptThen();
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/may not read orders\.id in .*: expected the right to select; run GRANT SELECT/);
      expect(stderr).not.toContain(other.password);
      await run(`GRANT SELECT ON orders TO ${user}`);
      expect((await adoptThen()).code).toBe(0);
    });

    if (isMysql) return;

    test('refuses rows that row-level security may hide', async () => {
      await run('GRANT SELECT ON orders TO plain');
      await run('ALTER TABLE orders ENABLE ROW LEVEL SECURITY');
      expect(await adoptThen()).toEqual(refused('row-level security', 'BYPASSRLS'));
      expect((await adopt('orders.id', '--apply')).code).toBe(0); // the owner sees all
    });
  });

  test('SIGINT ends it while it waits for the table', async () => {
    await create('orders', 'id integer', '5');
    await counters(url);
    const [connect, lock, unlock, waiting] = isMysql
      ? ['getConnection', 'LOCK TABLES orders WRITE', 'UNLOCK TABLES',
        "SELECT ID FROM information_schema.PROCESSLIST WHERE DB = DATABASE() AND STATE LIKE 'Waiting%lock'"]
      : ['connect', 'BEGIN; LOCK TABLE orders', 'ROLLBACK',
        'SELECT pid FROM pg_stat_activity ' +
          'WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0'];
    const connection = await fixture.poolOf(url)[connect]();
    try {
      await connection.query(lock);
      const child = spawn(process.execPath, [CLI, 'adopt', 'orders.id', '--store', url], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      await until(async () => (await run(waiting)).length > 0);
      child.kill('SIGINT');
      expect(await ended).toEqual([130, null]);
    } finally {
      await connection.query(unlock);
      connection.release();
    }
  });
});

test('adopt refuses a store that it cannot read, and shows no password', async () => {
  expect(await runNextid(['adopt', 'orders.n', '--store', 'sqlite:shop.db'])).toMatchObject({
    code: 2, stdout: '',
    stderr: expect.stringMatching(/shop\.db: .* a mongodb:, postgres: or mysql: store; .*nextid advance/),
  });
  const url = 'mongodb://root:hunter2@127.0.0.1:1/shop?serverSelectionTimeoutMS=100';
  const { code, stdout, stderr } = await runNextid(['adopt', 'orders.n', '--store', url]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).not.toContain('hunter2');
});
