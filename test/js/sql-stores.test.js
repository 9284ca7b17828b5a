'use strict';

// The stores in PostgreSQL and MySQL: what they take, and what only they can meet.

const { execFileSync } = require('node:child_process');
const path = require('node:path');
const { inspect } = require('node:util');
const mysqlPromise = require('mysql2/promise');
const { Pool, Client } = require('pg');
const postgres = require('postgres');
const { open } = require('../..');
const { ofProject } = require('../../lib/project-package');
const { needs } = require('../support/needs');
const { runNextid } = require('../support/run-nextid');
const { startProgram } = require('../support/run-program');
const { describeSqlStores } = require('../support/stores');
const { startProxy } = require('../support/tcp-proxy');
const { until } = require('../support/until');

const toClose = [];
afterEach(async () => {
  while (toClose.length > 0) await toClose.pop()(); // which may add a pool
});

function closing(ids) {
  toClose.push(() => ids.close());
  return ids;
}

function pgPool(url, options) {
  const pool = new Pool({ connectionString: url, ...options });
  toClose.push(() => pool.end());
  return pool;
}

function mysqlPool(uri, options) {
  const pool = mysqlPromise.createPool({ uri, ...options });
  toClose.push(() => pool.end());
  return pool;
}

// What a service may have, by kind of database: [title, (url) => its connection].
const CONNECTIONS = {
  postgres: [
    ['a Pool of pg', (url) => pgPool(url)],
    ['a Pool of one connection', (url) => pgPool(url, { max: 1 })],
    ['the sql of postgres', (url) => {
      const sql = postgres(url, { max: 2, transform: postgres.camel, types: { bigint: postgres.BigInt } });
      toClose.push(() => sql.end());
      return sql;
    }],
  ],
  mysql: [
    ['a pool of mysql2', (url) => mysqlPool(url).pool],
    ['a pool of mysql2/promise', (url) => mysqlPool(url, { connectionLimit: 1, namedPlaceholders: true })],
    ['a pool with other settings', (url) => mysqlPool(url, {
      charset: 'latin1', supportBigNumbers: true, bigNumberStrings: true, dateStrings: true,
      rowsAsArray: true,
    })],
  ],
};

describeSqlStores('a store in an SQL database', (fixture) => {
  const plainUrl = (url) => url.split('?')[0];

  test.each(CONNECTIONS[fixture.kind])('through %s', async (_, connect) => {
    const url = fixture.freshUrl();
    const table = fixture.table(url);
    const connection = connect(plainUrl(url));
    const ids = closing(open(connection, { table }));
    const native = closing(open(url));
    expect(ids.url).toContain(new URL(url).host);
    expect(`${ids.url} ${native.url}`).not.toContain('p%40ss');
    const name = "o'r\\d\u{1F600}ers \"`";
    const given = [];
    for (let i = 0; i < 5; i++) {
      given.push(...await ids.sequence(name, { step: 3 }).nextIds(4));
      given.push(...await native.sequence(name, { step: 3 }).nextIds(4));
    }
    expect(new Set(given).size).toBe(40);
    expect(await ids.sequence('d', { period: 'day' }).nextId()).toMatch(/^\d{6}-0001$/);
    expect(await ids.sequence('c', { cycle: 3 }).nextIds(4)).toEqual([1, 2, 3, 1]);
    const [first, second] = await ids.sequence('t', { timestamp: true }).nextIds(2);
    expect(second > first).toBe(true);
    expect((await ids.list()).map((counter) => counter.name).sort()).toEqual(['c', 'd', name, 't'].sort());
    expect(await ids.advance(name, 2n ** 60n)).toBe(2n ** 60n);
    const big = closing(open(connection, { table })).sequence(name, { bigint: true });
    expect(await big.nextIds(3)).toEqual([2n ** 60n, 2n ** 60n + 1n, 2n ** 60n + 2n]);
    await ids.close();
    expect(await fixture.run(`SELECT 1 AS one FROM ${table}`)).not.toEqual([]);
    const again = closing(open(connection, { table }));
    expect(await again.sequence('e').nextId()).toBe(1); // close() left the connection open
  });

  test('in a table and a schema of any name', async () => {
    const [schema, table] = ['a "b" `c` é', 'T.x\'y"\\z'];
    const quote = (name) => (fixture.kind === 'mysql' ? `\`${name.replaceAll('`', '``')}\``
      : `"${name.replaceAll('"', '""')}"`);
    await fixture.run(`CREATE SCHEMA ${quote(schema)}`);
    try {
      const query = new URLSearchParams({ table, schema }).toString().replaceAll('+', '%20');
      const ids = closing(open(`${fixture.serverUrl()}?${query}`));
      expect(await ids.sequence('orders').nextIds(3)).toEqual([1, 2, 3]);
      await ids.close();
      const rows = await fixture.run(`SELECT name FROM ${quote(schema)}.${quote(table)}`);
      expect(rows).toHaveLength(1);
    } finally {
      await fixture.run(`DROP SCHEMA ${quote(schema)}${fixture.kind === 'mysql' ? '' : ' CASCADE'}`);
    }
  });

  test('40 processes at first use make one table and one counter', async () => {
    const url = fixture.freshUrl();
    const stores = Array.from({ length: 40 }, () => closing(open(url, { maxConcurrentRefills: 1 })));
    const ids = await Promise.all(stores.map((store) => store.sequence('orders', { step: 1 }).nextId()));
    expect(new Set(ids).size).toBe(40);
  });

  // The server has added; nobody learns what.
  test('a reply that is cut at any byte costs numbers, and gives none twice', async () => {
    const proxy = await startProxy(await fixture.address());
    toClose.push(() => proxy.close());
    const url = fixture.freshUrl().replace(/:\d+(?=\/)/, `:${proxy.port}`);
    const orders = closing(open(url)).sequence('orders', { step: 10, timeout: 60_000 });
    const given = await orders.nextIds(10);
    for (const bytes of [0, 1, 3, 4, 5, 6, 7, 9, 11, 17, 30, 50]) {
      proxy.cutReplyAfter(bytes, 'UPDATE');
      given.push(...await orders.nextIds(25));
    }
    expect(new Set(given).size).toBe(given.length);
    expect([...given].sort((a, b) => a - b)).toEqual(given);
    expect(await fixture.read(url, 'orders')).toBeGreaterThan(given.at(-1));
  });

  test('close() lets the process end, although the server hangs', async () => {
    const proxy = await startProxy(await fixture.address());
    toClose.push(() => proxy.close());
    const { process: child, ended } = startProgram(async (url) => {
      const ids = require('nextid').open(url);
      console.log(await ids.sequence('orders', { step: 1 }).nextId());
      process.send('taken');
      await new Promise((resolve) => process.once('message', resolve));
      await ids.close();
      process.disconnect();
    }, [fixture.freshUrl().replace(/:\d+(?=\/)/, `:${proxy.port}`)]);
    child.once('message', () => {
      proxy.hang(true);
      child.send('close');
    });
    expect(await ended).toEqual({ code: 0, signal: null, stdout: '1\n', stderr: '' });
  });

  // A request handler that forgot to end its transaction, and gave the connection back to the pool.
  test('a transaction that somebody left open cannot take ids back', async () => {
    const url = fixture.freshUrl();
    const table = fixture.table(url);
    const isMysql = fixture.kind === 'mysql';
    const pool = isMysql ? mysqlPool(plainUrl(url), { connectionLimit: 1 })
      : pgPool(plainUrl(url), { max: 1 });
    const orders = closing(open(pool, { table })).sequence('orders', { step: 5, timeout: 60_000 });
    const given = await orders.nextIds(5);
    const leave = async (sql) => {
      const connection = await (isMysql ? pool.getConnection() : pool.connect());
      for (const statement of sql) await connection.query(statement);
      connection.release();
    };
    await fixture.run(`CREATE TABLE ${table}_x (n INT)`);
    try {
      for (const begun of [['BEGIN'], ['BEGIN', `INSERT INTO ${table}_x VALUES (1)`]]) {
        await leave(begun);
        given.push(...await orders.nextIds(20));
        await leave(['ROLLBACK']);
        given.push(...await orders.nextIds(20));
      }
      expect(new Set(given).size).toBe(given.length);
      expect(await fixture.read(url, 'orders')).toBeGreaterThan(given.at(-1));
    } finally {
      await fixture.run(`DROP TABLE ${table}_x`);
    }
  });

  test('nor can one that was left open between the look for a counter and its INSERT', async () => {
    const url = fixture.freshUrl();
    const isMysql = fixture.kind === 'mysql';
    const pool = isMysql ? mysqlPool(plainUrl(url), { connectionLimit: 1 })
      : pgPool(plainUrl(url), { max: 1 });
    let isLeft = false;
    (isMysql ? pool.pool : pool).on(isMysql ? 'connection' : 'connect', (own) => {
      const query = own.query.bind(own);
      own.query = (what, ...rest) => {
        if (!isLeft && (what.sql ?? what.text)?.startsWith('INSERT')) {
          isLeft = true;
          query('BEGIN');
        }
        return query(what, ...rest);
      };
    });
    const ids = open(pool, { table: fixture.table(url) });
    expect(await ids.sequence('orders', { step: 5, timeout: 60_000 }).nextId()).toBe(1);
    expect(isLeft).toBe(true);
    expect(await fixture.read(url, 'orders')).toBe(6);
    await ids.close();
  });

  test('a table that crashes empty, or that lets two rows be one counter, is refused', async () => {
    const url = fixture.freshUrl();
    const table = fixture.table(url);
    const statement = execFileSync(process.execPath, [
      path.join(__dirname, '..', '..', 'lib', 'cli.js'), 'schema', fixture.kind, '--table', table,
    ], { encoding: 'utf8' }).trim().slice(0, -1);
    const wrong = {
      postgres: [[statement.replace('CREATE TABLE', 'CREATE UNLOGGED TABLE'), 'UNLOGGED'],
        [statement.replace(/,\s*PRIMARY KEY.*?\)/, ''), 'primary key'],
        [statement.replace('PRIMARY KEY (kind, name, prefix)', 'UNIQUE (name, prefix)'), 'primary key']],
      mysql: [[statement.replace('InnoDB', 'MyISAM'), 'InnoDB'],
        [statement.replace(/,\s*PRIMARY KEY.*?\)/, ''), 'primary key'],
        [statement.replace('value BIGINT', 'value INT'), 'BIGINT']],
    }[fixture.kind];
    for (const [sql, message] of wrong) {
      expect(sql).not.toBe(statement);
      await fixture.run(sql);
      const ids = closing(open(url));
      await expect(ids.sequence('orders').nextId()).rejects.toMatchObject({
        code: 'ERR_NEXTID_STORE_INVALID', message: expect.stringContaining(message),
      });
      await expect(ids.list()).rejects.toMatchObject({ code: 'ERR_NEXTID_STORE_INVALID' });
      await fixture.run(`DROP TABLE ${table}`);
    }
    await fixture.run(statement);
    expect(await closing(open(url)).sequence('orders').nextId()).toBe(1);
  });

  // As a service does that has a schema, or a database, for each tenant.
  test('a connection that was moved to another place does not count there', async () => {
    const url = fixture.freshUrl();
    const table = fixture.table(url);
    const isMysql = fixture.kind === 'mysql';
    const place = `${table}_tenant`;
    await fixture.run(`CREATE ${isMysql ? 'DATABASE' : 'SCHEMA'} ${place}`);
    try {
      const pool = isMysql ? mysqlPool(plainUrl(url), { connectionLimit: 1 })
        : pgPool(plainUrl(url), { max: 1 });
      const move = (to) => pool.query(isMysql ? `USE ${to}` : `SET search_path TO ${to}`);
      const orders = closing(open(pool, { table })).sequence('orders', { step: 1 });
      const given = [await orders.nextId()];
      await move(place);
      given.push(...await orders.nextIds(5));
      expect(given).toEqual([1, 2, 3, 4, 5, 6]);
      const late = closing(open(pool, { table })).sequence('orders', { step: 1 });
      if (isMysql) expect(await late.nextId()).toBeGreaterThan(6);
      else await expect(late.nextId()).rejects.toThrow(/search_path.*'schema'/);
    } finally {
      await fixture.run(isMysql ? `DROP DATABASE ${place}` : `DROP SCHEMA ${place} CASCADE`);
    }
  });

  test('a table that was dropped is made again; counters that are gone are refused', async () => {
    const url = fixture.freshUrl();
    const ids = closing(open(url));
    const orders = ids.sequence('orders', { step: 1 });
    await orders.nextIds(2);
    await fixture.run(`DROP TABLE ${fixture.table(url)}`);
    await expect(orders.nextIds(50)).rejects.toMatchObject({ code: 'ERR_NEXTID_SEQUENCE_MISSING' });
    expect(await ids.sequence('invoices').nextId()).toBe(1);
  });

  test('who only looks makes no table', async () => {
    const url = fixture.freshUrl();
    const ids = closing(open(url));
    expect(await ids.list()).toEqual([]);
    expect(await ids.prune('orders', { before: 20 })).toEqual([]);
    await expect(fixture.run(`SELECT name FROM ${fixture.table(url)}`)).rejects.toThrow(/exist/);
    expect(await ids.sequence('orders', { step: 1 }).nextId()).toBe(1);
    expect(await ids.list()).toMatchObject([{ name: 'orders' }]);
    await fixture.run(`DROP TABLE ${fixture.table(url)}`);
    expect(await ids.list()).toEqual([]);
  });

  test('a pool that was ended is an error at once', async () => {
    const { serverUrl } = fixture;
    const pools = fixture.kind === 'mysql' ? [mysqlPromise.createPool(serverUrl())]
      : [new Pool({ connectionString: serverUrl() }), postgres(serverUrl())];
    for (const pool of pools) {
      const ids = closing(open(pool));
      await pool.end();
      await expect(ids.sequence('orders', { timeout: 60_000 }).nextId()).rejects.toMatchObject({
        code: 'ERR_NEXTID_STORE_INVALID', message: expect.stringContaining('expected a pool that is open'),
      });
    }
  });

  test('a server that cannot be reached: the code of the driver, and no word of a pool', async () => {
    const error = await closing(open(fixture.brokenUrl())).list().catch((reason) => reason);
    expect(error).toMatchObject({
      code: 'ERR_NEXTID_STORE_UNAVAILABLE', cause: { name: fixture.errorName, code: 'ECONNREFUSED' },
    });
    expect(error.message).not.toContain('pool');
    const { stderr } = await runNextid(['list', '--store', fixture.brokenUrl()]);
    expect(stderr).toMatch(/^ {2}cause: \w+: connect ECONNREFUSED 127.0.0.1:1 \(ECONNREFUSED\)$/m);
  });

  test('a wrong password is an error that does not show it', async () => {
    const url = new URL(fixture.serverUrl());
    url.password = 'S3CRET%2Fx';
    const ids = closing(open(url.href));
    const error = await ids.sequence('orders').nextId().catch((reason) => reason);
    expect(error).toMatchObject({
      code: 'ERR_NEXTID_ACCESS_DENIED', message: expect.stringContaining('the right user and password'),
      cause: {
        name: fixture.errorName, code: fixture.kind === 'mysql' ? 'ER_ACCESS_DENIED_ERROR' : '28P01',
      },
    });
    const shown = [error.message, error.stack, error.cause.message, ids.url].join();
    expect(shown).not.toContain('S3CRET');
  });

  test('a name that the database does not know is an error at once', async () => {
    const url = new URL(fixture.serverUrl());
    url.pathname = '/no_such_database';
    await expect(closing(open(url.href)).sequence('orders').nextId()).rejects.toMatchObject({
      code: expect.stringMatching(/^ERR_NEXTID_(STORE_INVALID|ACCESS_DENIED)$/),
      message: expect.stringMatching(/a database that exists|may select/),
    });
  });

  test.each([
    ['?table=', /1 to 63 bytes/], ['?table=a&table=b', /twice/], [`?schema=${'x'.repeat(64)}`, /63 bytes/],
    ['?table=%', /%25/], ['/x@y', /percent-encoded/], [' ', /spaces/],
    ['?tabel=a', /'tabel': expected .*did you mean 'table'\?/], ['?Table=a', /did you mean 'table'\?/],
    ['?tables=a', /did you mean 'table'\?/], ['?x=1&table_name=a', /did you mean 'table'\?/],
    ['?table', /did you mean 'table'\?/], ['?%74able=a', /did you mean 'table'\?/],
    ['?SCHEMA=a', /did you mean 'schema'\?/], ['?shcema=a', /did you mean 'schema'\?/],
    ['?currentSchema=a', /did you mean 'schema'\?/],
  ])('a URL that ends with %j is refused', (end, message) => {
    expect(() => open(`${fixture.serverUrl()}${end}`)).toThrow(message);
  });

  test.each([
    ['://u:SECRET@h:99999/d', /cannot be read: expected/], ['://u:SECRET%zz@h/d', /%25/],
    ['://u:SECRET@h', /names no database/], ['://u:SECRET@h/?x=1', /names no database/],
    [':u:SECRET@h/d', /'\/\/'/], ['://u:SE/CRET@h/d', /percent-encoded/],
  ])('a URL %j is refused, and its password is not shown', (rest, message) => {
    let error;
    try {
      open(`${fixture.scheme}${rest}`);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'ERR_INVALID_ARG_VALUE', message: expect.stringMatching(message) });
    expect(inspect(error)).not.toMatch(/SECRET|CRET/);
  });

  test('options that say where the counters are belong to the connection', () => {
    expect(() => open(fixture.serverUrl(), { table: 'x' })).toThrow(/in a URL, write \?table=NAME/);
    expect(() => open('sqlite:x.db', { schema: 'x' })).toThrow(/a Pool of pg.* or a pool of mysql2/);
  });
});

const onPostgres = needs('postgres');
const url = () => process.env.NEXTID_TEST_POSTGRES_URL;

onPostgres.describe('PostgreSQL', () => {
  let table;
  beforeEach(() => {
    table = `nextid_${Math.random().toString(36).slice(2)}`;
    toClose.push(() => pgPool(url()).query(`DROP TABLE IF EXISTS ${table}`));
  });

  test('takes a Pool whatever its connection string is, and shows no password', () => {
    const rests = ['://u:SECRET@h', '://u:SECRET@h:5432/', ':///d?host=/tmp&password=SECRET',
      '://u:S@SECRET@h/d'];
    for (const rest of rests) {
      const ids = closing(open(pgPool(`postgres${rest}`)));
      expect(ids.url).not.toContain('SECRET');
    }
  });

  test('refuses a Client and the sql of a transaction', async () => {
    expect(() => open(new Client(url()))).toThrow(/a Client of the package pg.*a Pool/);
    const sql = postgres(url(), { max: 1 });
    toClose.push(() => sql.end());
    await sql.begin((inner) => expect(() => open(inner)).toThrow(/one transaction.*postgres\(\) returned/));
  });

  test.each(['off', 'local'])('synchronous_commit = %s', async (value) => {
    const options = `-c synchronous_commit=${value}`;
    const orders = closing(open(pgPool(url(), { options }), { table })).sequence('orders', { step: 1 });
    if (value === 'off') {
      await expect(orders.nextId()).rejects.toMatchObject({
        code: 'ERR_NEXTID_STORE_INVALID', message: expect.stringContaining('synchronous_commit is off'),
      });
      const sound = closing(open(pgPool(url()), { table })).sequence('orders', { step: 1 });
      expect(await sound.nextId()).toBe(1);
      await expect(orders.nextId()).rejects.toMatchObject({ code: 'ERR_NEXTID_STORE_INVALID' });
      expect(await sound.nextId()).toBe(2);
    } else {
      expect(await orders.nextId()).toBe(1); // as good as on, because there is no standby
    }
  });

  test.each(['-c default_transaction_isolation=serializable', '-c standard_conforming_strings=off'])(
    'with %s, concurrent instances get different ids', async (options) => {
      const stores = Array.from({ length: 8 }, () => (
        closing(open(pgPool(url(), { options, max: 1 }), { table }))));
      const ids = await Promise.all(stores.flatMap((store) => [1, 2, 3, 4].map(() => (
        store.sequence('or\\de\'rs', { step: 1 }).nextIds(5)))));
      expect(new Set(ids.flat()).size).toBe(160);
    });

  test('a read-only server is an outage that passes', async () => {
    const options = '-c default_transaction_read_only=on';
    const readers = closing(open(pgPool(url(), { options }), { table }));
    const orders = readers.sequence('orders', { timeout: 300 });
    await closing(open(pgPool(url()), { table })).sequence('orders').nextId(); // makes the table
    await until(() => orders.nextId().then(() => false, ({ message }) => /read-only/.test(message)));
  });

  test('behind PgBouncer in transaction mode', async () => {
    const { NEXTID_TEST_PGBOUNCER_URL: bouncer } = process.env;
    const stores = [
      closing(open(`${bouncer}?table=${table}`)),
      ...Array.from({ length: 10 }, () => closing(open(pgPool(bouncer, { max: 2 }), { table }))),
    ];
    const ids = await Promise.all(stores.flatMap((store) => (
      Array.from({ length: 20 }, () => store.sequence('orders', { step: 1 }).nextIds(3)))));
    expect(new Set(ids.flat()).size).toBe(11 * 60);
  });

  test('a password that is missing, or TLS that the server does not have, is an error at once', async () => {
    const withoutPassword = new URL(url());
    withoutPassword.password = '';
    await expect(closing(open(withoutPassword.href)).sequence('orders').nextId()).rejects.toMatchObject({
      code: 'ERR_NEXTID_ACCESS_DENIED', message: expect.stringContaining('expected one; add it to the URL'),
    });
    // The server keeps the connection, and waits for the password.
    const { ended } = startProgram(async (source) => {
      const ids = require('nextid').open(source);
      await ids.list().catch(({ code }) => console.log(code));
      await ids.close();
      process.disconnect();
    }, [withoutPassword.href]);
    expect(await ended).toMatchObject({ code: 0, stdout: 'ERR_NEXTID_ACCESS_DENIED\n' });
    await expect(closing(open(`${url()}?ssl=true`)).sequence('orders').nextId()).rejects.toMatchObject({
      code: 'ERR_NEXTID_STORE_INVALID', message: expect.stringContaining('expected a server with TLS'),
    });
  }, 30_000); // less than authentication_timeout of the server

  test('a role that may not make the table is told what to do', async () => {
    const { NEXTID_TEST_POSTGRES_PLAIN_URL: plain, NEXTID_TEST_POSTGRES_WRITER_URL: writer } = process.env;
    const expectToBeTold = async (query, flags) => {
      const ids = closing(open(`${plain}${query}`));
      expect(await ids.list()).toEqual([]);
      await expect(ids.sequence('orders').nextId()).rejects.toMatchObject({
        code: 'ERR_NEXTID_STORE_INVALID',
        message: expect.stringContaining(`'npx nextid schema postgres${flags}' prints`),
      });
    };
    await expectToBeTold(`?table=${table}`, ` --table ${table}`);
    await expectToBeTold('?table=a%20%22$b&schema=public', ' --table "a \\"\\$b" --schema public');
    const cli = path.join(__dirname, '..', '..', 'lib', 'cli.js');
    const statement = execFileSync(process.execPath, [cli, 'schema', 'postgres', '--table', table]);
    await pgPool(url()).query(statement.toString());
    expect(await closing(open(`${writer}?table=${table}`)).sequence('orders').nextId()).toBe(1);
    await expect(closing(open(`${plain}?table=${table}`)).sequence('orders').nextId()).rejects
      .toMatchObject({ code: 'ERR_NEXTID_ACCESS_DENIED' });
  });

  // As after pg_cancel_backend() while a commit waits for a standby: it is reported as done.
  test('a commit with a warning is in doubt: its numbers are not used', async () => {
    const pool = pgPool(url());
    const store = closing(open(pool, { table }));
    const orders = store.sequence('orders', { step: 5, timeout: 60_000 });
    await orders.nextIds(5);
    await pool.query(`CREATE FUNCTION warn_${table}() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE WARNING 'canceling wait'; RETURN NEW; END $$;
      CREATE TRIGGER w BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION warn_${table}()`);
    toClose.push(() => pgPool(url()).query(`DROP FUNCTION warn_${table} CASCADE`));
    const waiting = orders.nextIds(20);
    await until(() => orders.stats().failures > 1);
    await pool.query(`DROP TRIGGER w ON ${table}`);
    const { rows: [{ value }] } = await pool.query(`SELECT value FROM ${table}`);
    expect((await waiting)[0]).toBeGreaterThanOrEqual(Number(value) - 100);
    expect((await waiting)[0]).toBeGreaterThan(20);
  });
});

needs('mysql').describe('MySQL', () => {
  const mysqlUrl = () => process.env.NEXTID_TEST_MYSQL_URL;

  test('refuses a connection, and a pool of another package', async () => {
    const connection = await mysqlPromise.createConnection(mysqlUrl());
    toClose.push(() => connection.end());
    expect(() => open(connection.connection)).toThrow(/a connection of the package mysql2/);
    expect(() => open(connection)).toThrow(/a connection of the package mysql2.*a pool/);
    const other = { getConnection() {}, query() {}, config: {} };
    expect(() => open(other)).toThrow(/npm install mysql2/);
  });

  test('a pool without a database, and a temporary table, are refused', async () => {
    const nowhere = mysqlPool(mysqlUrl().replace(/\/\w+$/, '/'));
    expect(() => open(nowhere)).toThrow(/names no database.*'schema'/s);

    const pool = mysqlPool(mysqlUrl(), { connectionLimit: 1 });
    const table = `nextid_${Math.random().toString(36).slice(2)}`;
    const { schemaOf } = require('../../lib/stores/mysql');
    await pool.query(schemaOf({ table }).replace('TABLE', 'TEMPORARY TABLE'));
    await expect(closing(open(pool, { table })).sequence('orders').nextId()).rejects.toMatchObject({
      code: 'ERR_NEXTID_STORE_INVALID', message: expect.stringContaining('temporary'),
    });
  });

  test.each([
    'autocommit = 0', "binlog_format = 'STATEMENT'",
  ])('%s is refused, and nothing is taken', async (setting) => {
    const [[{ hasLog }]] = await mysqlPool(mysqlUrl()).query('SELECT @@log_bin AS hasLog');
    if (setting.startsWith('binlog') && !hasLog) return;
    const pool = mysqlPool(mysqlUrl(), { connectionLimit: 1 });
    const table = `nextid_${Math.random().toString(36).slice(2)}`;
    toClose.push(() => mysqlPool(mysqlUrl()).query(`DROP TABLE IF EXISTS ${table}`));
    const sound = closing(open(mysqlPool(mysqlUrl()), { table })).sequence('orders', { step: 1 });
    expect(await sound.nextId()).toBe(1);
    pool.on('connection', (connection) => connection.query(`SET SESSION ${setting}`));
    const orders = closing(open(pool, { table })).sequence('orders', { step: 1 });
    await expect(orders.nextId()).rejects.toMatchObject({
      code: 'ERR_NEXTID_STORE_INVALID', message: expect.stringContaining(setting.split(' ')[0]),
    });
    expect(await sound.nextId()).toBe(2);
  });
});

test('a driver that is missing or too old is named, with the command that installs it', () => {
  expect(() => ofProject('no-such-driver', 3, 'for such: URLs')).toThrow(
    'the package no-such-driver is not installed: expected it, for such: URLs; ' +
    'run npm install no-such-driver');
  expect(() => ofProject('pg', 999, 'for postgres: URLs'))
    .toThrow(/version 999 or newer.*npm install pg@latest/);
});
