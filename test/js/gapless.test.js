'use strict';

// Gapless numbers: taken, committed and rolled back in the transaction that writes the row with the id.

const { randomBytes } = require('node:crypto');
const { open } = require('../..');
const { clock } = require('../../lib/clock');
const { Process } = require('../support/processes');
const { runNextid } = require('../support/run-nextid');
const { connectTo } = require('../support/sql-connection');
const { describeSqlStores } = require('../support/stores');

const code = (name) => expect.objectContaining({ code: name });
const NO_TRANSACTION = code('ERR_NEXTID_NO_TRANSACTION');
const LARGEST = Number.MAX_SAFE_INTEGER;
const upTo = (last) => Array.from({ length: last }, (_, i) => 1 + i);

describeSqlStores('gapless', (fixture) => {
  const isPostgres = fixture.kind === 'postgres';
  let url;
  let ids;
  let connections;

  beforeEach(() => {
    url = fixture.freshUrl();
    ids = open(url);
    connections = [];
  });
  afterEach(async () => {
    await ids.close();
    for (const connection of connections) await connection.end();
  });

  async function connect() {
    const connection = await connectTo(fixture.kind, fixture.serverUrl());
    connections.push(connection);
    return connection;
  }

  const invoicesOf = (options) => ids.sequence('invoices', { gapless: true, ...options });
  const nextOf = async (name) => (await ids.list()).find((counter) => counter.name === name)?.next;
  const overwrite = (value) => (
    fixture.run(`UPDATE ${new URL(url).searchParams.get('table')} SET value = ${value}`));

  describe('16 clients, rollbacks and kills', () => {
    const YEARS = [2026, 2027, 2028];
    let rows;
    beforeEach(async () => {
      rows = `rows_${randomBytes(6).toString('hex')}`;
      await fixture.run(`CREATE TABLE ${rows} (invoice integer NOT NULL, receipt varchar(40) NOT NULL)`);
    });
    afterEach(() => fixture.run(`DROP TABLE ${rows}`));

    async function start(more) {
      const process = new Process({
        script: 'gapless-worker.js', kind: fixture.kind, server: fixture.serverUrl(), url, rows, years: YEARS,
        clients: 4, commits: 10, ...more,
      });
      await process.ready;
      process.begin();
      return process.result;
    }

    async function killedAndStartedAgain() {
      await expect(start({ dies: true })).rejects.toThrow('ended (SIGKILL)');
      return start();
    }

    test('the committed numbers are exactly 1 to n, in all and in each year', async () => {
      const results = await Promise.all([killedAndStartedAgain(), killedAndStartedAgain(), start(), start()]);
      expect(results.map(({ committed }) => committed)).toEqual([40, 40, 40, 40]);
      const written = await fixture.run(`SELECT invoice, receipt FROM ${rows}`);
      expect(written.length).toBeGreaterThanOrEqual(4 * 40 + 2 * 20);

      const expectUnbroken = (numbers) => (
        expect(numbers.toSorted((a, b) => a - b)).toEqual(upTo(numbers.length)));
      expectUnbroken(written.map(({ invoice }) => invoice));
      const receipts = YEARS.map((year) => (
        written.map(({ receipt }) => receipt.split('/').map(Number)).filter(([of]) => of === year)));
      for (const given of receipts) expectUnbroken(given.map(([, number]) => number));
      expect(await ids.list()).toEqual([
        { name: 'invoices', kind: 'gapless', next: written.length + 1 },
        ...receipts.map(({ length }, i) => (
          { name: 'receipts', kind: 'gapless', prefix: 26 + i, next: length + 1 })),
      ]);
    });
  });

  test('a number is committed or rolled back with its transaction', async () => {
    const [one, other] = [await connect(), await connect()];
    const invoices = invoicesOf();
    const take = (transaction) => invoices.nextId({ transaction });
    expect(await one.transaction(take)).toBe(1);
    await expect(one.transaction(async (transaction) => {
      expect(await take(transaction)).toBe(2);
      throw new Error('no');
    })).rejects.toThrow('no');
    await one.begin();
    expect(await take(one.client)).toBe(2);
    await one.query('SAVEPOINT a');
    expect(await take(one.client)).toBe(3);
    await one.query('ROLLBACK TO SAVEPOINT a');
    expect(await take(one.client)).toBe(3);
    const waiting = other.transaction(take);
    await one.commit();
    expect(await waiting).toBe(4);
    expect(await nextOf('invoices')).toBe(5);
  });

  test('outside of a transaction nothing is taken', async () => {
    const connection = await connect();
    const invoices = invoicesOf();
    const take = () => invoices.nextId({ transaction: connection.client });
    await expect(take()).rejects.toEqual(NO_TRANSACTION); // no row
    await connection.transaction(take);
    await expect(take()).rejects.toEqual(NO_TRANSACTION); // a row
    await expect(invoices.nextIds(3, { transaction: connection.client })).rejects.toEqual(NO_TRANSACTION);
    expect(await nextOf('invoices')).toBe(2);
    expect(await connection.transaction(take)).toBe(2);
    expect(invoices.stats()).toMatchObject({ handedOut: 2, refills: 2, failures: 3, waiters: 0 });
  });

  test('many at once, formats, start, and what an id says', async () => {
    const connection = await connect();
    const invoices = invoicesOf({ start: 98, format: 'INV-{count:3}' });
    await connection.transaction(async (transaction) => {
      expect(await invoices.nextId({ transaction })).toBe('INV-098');
      expect(await invoices.nextIds(3, { transaction })).toEqual(['INV-099', 'INV-100', 'INV-101']);
      expect(await invoices.nextId({ transaction })).toBe('INV-102');
    });
    expect(invoices.parse('INV-099')).toEqual({ count: 99 });
    const yearly = ids.sequence('yearly', { gapless: true, period: 'year', timeZone: 'Europe/Berlin' });
    const now = jest.spyOn(clock, 'now').mockReturnValue(Date.UTC(2013, 11, 31, 22, 59, 59));
    const year = () => connection.transaction((transaction) => yearly.nextId({ transaction }));
    expect([await year(), await year()]).toEqual(['13-0001', '13-0002']);
    now.mockReturnValue(Date.UTC(2013, 11, 31, 23));
    expect(await year()).toBe('14-0001');
    now.mockRestore();
    const to = new Date('2013-12-31T23:00Z');
    expect(yearly.parse('13-0002')).toMatchObject({ prefix: 13, count: 2, to });
    const plain = ids.sequence('plain', { gapless: true });
    expect(() => plain.parse('7')).toThrow(code('ERR_INVALID_ARG_VALUE'));
  });

  test('what is not a connection is refused before anything is taken', async () => {
    const invoices = invoicesOf();
    const pool = isPostgres ? new (require('pg').Pool)({ connectionString: fixture.serverUrl() })
      : require('mysql2').createPool(fixture.serverUrl());
    // A connection of the other database, and a QueryRunner of TypeORM.
    const other = isPostgres ? { query() {}, connect() {}, beginTransaction() {}, promise() {} }
      : { query() {}, connect() {}, processID: 1 };
    const runner = { query() {}, connect() {}, beginTransaction() {}, connection: { query() {} } };
    for (const transaction of [undefined, null, 1, 'BEGIN', {}, [], () => {}, ids, other, runner]) {
      await expect(invoices.nextId({ transaction })).rejects.toEqual(expect.objectContaining({
        code: 'ERR_INVALID_ARG_TYPE', message: expect.stringContaining('expected a c'),
      }));
    }
    const pools = isPostgres ? [pool] : [pool, pool.promise()];
    for (const transaction of pools) {
      await expect(invoices.nextId({ transaction })).rejects.toThrow(/is a pool, whose statements run/i);
    }
    await pool.end();
    await expect(invoices.nextId()).rejects.toThrow("the option 'transaction' is undefined: expected a c");
    await expect(invoices.nextId({ trnsaction: 1 })).rejects.toThrow("did you mean 'transaction'?");
    await expect(invoices.nextIds(0, {})).rejects.toEqual(code('ERR_OUT_OF_RANGE'));
    expect(await ids.list()).toEqual([]);
    const { nextId } = invoices;
    await expect(nextId({})).rejects.toEqual(code('ERR_INVALID_THIS'));
  });

  test('what it cannot do is refused', async () => {
    const invoices = invoicesOf();
    await expect(invoices.reserve(3)).rejects.toThrow('a gapless sequence has no reserve(), because');
    expect(() => invoices.tryNextId()).toThrow('a gapless sequence has no tryNextId(), because');
    expect(() => invoices[Symbol.asyncIterator]()).toThrow('has no async iteration, because');
    const refused = (options) => expect(() => ids.sequence('other', { gapless: true, ...options }));
    for (const option of ['step', 'bigint', 'series', 'encrypt', 'timeout', 'maxWaiters']) {
      refused({ [option]: 1 }).toThrow(`a gapless sequence (option 'gapless') has no option '${option}'`);
    }
    refused({ cycle: 5 }).toThrow("the options 'cycle' and 'gapless' choose different kinds");
    refused({ gapless: false }).toThrow("the option 'gapless' is false");
    refused({ start: 0 }).toThrow(code('ERR_OUT_OF_RANGE'));
    refused({ start: 5, period: 'year' }).toThrow("the options 'start' and 'period'");
    refused({ timeZone: 'UTC' }).toThrow("the option 'timeZone' requires the option 'period'");
    refused({ format: 'R' }).toThrow('{count} in it');
    refused({ period: 'year', format: '{count}' }).toThrow('{YYYY} or {YY} in it');
    expect(() => ids.sequence({ gapless: true })).toThrow(code('ERR_INVALID_ARG_TYPE'));
    expect(() => ids.sequence('invoices', {})).toThrow('a gapless sequence instead of a plain one');
    expect(ids.sequence('invoices', { gapless: true })).toBe(invoices);
  });

  test('the table is made before, on another connection', async () => {
    const connection = await connect();
    const invoices = invoicesOf();
    await invoices.ready();
    const table = new URL(url).searchParams.get('table');
    expect(await fixture.run(`SELECT value FROM ${table}`)).toEqual([]);
    await fixture.run(`DROP TABLE ${table}`);
    await connection.begin(); // the place of the table is known, and wrong
    await expect(invoices.nextId({ transaction: connection.client })).rejects.toMatchObject({
      code: 'ERR_NEXTID_STORE_INVALID', cause: { code: isPostgres ? '42P01' : 'ER_NO_SUCH_TABLE' },
    });
    await connection.rollback();
    expect(await connection.transaction((transaction) => invoices.nextId({ transaction }))).toBe(1);
  });

  test('the only connection of a pool is in the transaction: an error, or ready() before', async () => {
    const table = new URL(url).searchParams.get('table');
    const uri = fixture.serverUrl();
    const pool = isPostgres
      ? new (require('pg').Pool)({ connectionString: uri, max: 1, connectionTimeoutMillis: 200 })
      : require('mysql2').createPool({ uri, connectionLimit: 1, waitForConnections: false });
    const store = open(pool, { table });
    const invoices = store.sequence('invoices', { gapless: true });
    const client = await (isPostgres ? pool.connect() : pool.promise().getConnection());
    await client.query('BEGIN');
    await expect(invoices.nextId({ transaction: client })).rejects.toMatchObject({
      code: 'ERR_NEXTID_STORE_UNAVAILABLE',
      message: expect.stringContaining('call ready() of the sequence before the first transaction'),
    });
    await client.query('ROLLBACK');
    client.release();
    await invoices.ready();
    const again = await (isPostgres ? pool.connect() : pool.promise().getConnection());
    await again.query('BEGIN');
    expect(await invoices.nextId({ transaction: again })).toBe(1);
    await again.query('COMMIT');
    again.release();
    await store.close();
    await pool.end();
  });

  test('a caller with another schema or database in use', async () => {
    const connection = await connect();
    const invoices = invoicesOf();
    await connection.query(isPostgres ? 'SET search_path = pg_catalog' : 'USE information_schema');
    expect(await connection.transaction((transaction) => invoices.nextId({ transaction }))).toBe(1);
    expect(await nextOf('invoices')).toBe(2);
  });

  test('list() and advance()', async () => {
    const connection = await connect();
    const take = (name, options) => connection.transaction((transaction) => (
      ids.sequence(name, { gapless: true, ...options }).nextId({ transaction })));
    expect(await ids.advance('invoices', 500, { gapless: true })).toBe(500);
    expect(await ids.advance('invoices', 400, { gapless: true })).toBe(500);
    expect(await take('invoices')).toBe(500);
    expect(await ids.advance('invoices', 502, { gapless: true })).toBe(502);
    expect(await ids.advance('years', 42, { gapless: true, prefix: 14 })).toBe(42);
    expect(await ids.advance('years', 7, { gapless: true, period: 'year', timeZone: 'local' })).toBe(7);
    expect(await take('years', { period: 'year', timeZone: 'local' })).toMatch(/^\d\d-0007$/);
    await ids.advance('apples', 3);
    const now = new Date().getFullYear() - 2000;
    expect(await ids.list()).toEqual([
      { name: 'apples', kind: 'plain', next: 3 },
      { name: 'invoices', kind: 'gapless', next: 502 },
      { name: 'years', kind: 'gapless', prefix: 14, next: 42 },
      { name: 'years', kind: 'gapless', prefix: now, next: 8 },
    ].map(expect.objectContaining));
    const conflict = code('ERR_NEXTID_OPTIONS_CONFLICT');
    await expect(ids.advance('invoices', 600)).rejects.toThrow(conflict);
    await expect(ids.advance('invoices', 600, { gapless: true, period: 'year' })).rejects.toThrow(conflict);
    await expect(ids.advance('years', 600, { gapless: true })).rejects.toThrow(conflict);
    await expect(ids.advance('apples', 600, { gapless: true })).resolves.toBe(600); // as of any other kind
    await expect(ids.advance('a', 1, { gapless: true, prefix: 1 })).rejects.toEqual(code('ERR_OUT_OF_RANGE'));
    const series = { of: 3, index: 0 };
    await expect(ids.advance('a', 1, { gapless: true, series })).rejects.toThrow("the option 'series'");
    expect(await ids.prune('years', { before: 20 })).toEqual([]);
  });

  test('advance() waits for a transaction that holds the row', async () => {
    const connection = await connect();
    const invoices = invoicesOf();
    await connection.transaction((transaction) => invoices.nextId({ transaction }));
    await connection.begin();
    expect(await invoices.nextId({ transaction: connection.client })).toBe(2);
    let isOver = false;
    const advanced = ids.advance('invoices', 100, { gapless: true }).finally(() => (isOver = true));
    expect(await nextOf('invoices')).toBe(2);
    expect(isOver).toBe(false);
    await connection.commit();
    expect(await advanced).toBe(100);
    expect(await connection.transaction((transaction) => invoices.nextId({ transaction }))).toBe(100);
  });

  test('the end of the numbers, and a damaged counter', async () => {
    const connection = await connect();
    const invoices = invoicesOf();
    const take = (n) => connection.transaction((transaction) => invoices.nextIds(n, { transaction }));
    await take(1);
    await overwrite(LARGEST - 2);
    await expect(take(3)).rejects.toThrow(code('ERR_NEXTID_ID_OVERFLOW'));
    expect(await take(2)).toEqual([LARGEST - 1, LARGEST]);
    await expect(take(1)).rejects.toThrow(code('ERR_NEXTID_ID_OVERFLOW'));
    await overwrite(-5);
    await expect(take(1)).rejects.toThrow(code('ERR_NEXTID_COUNTER_INVALID'));
    const problem = expect.stringContaining('holds -5');
    expect(await ids.list()).toMatchObject([{ next: undefined, problem }]);
    await expect(ids.advance('invoices', 9, { gapless: true })).rejects.toThrow('--gapless --restore');
    expect(await ids.advance('invoices', 9, { gapless: true, restore: true })).toBe(9);
    expect(await take(1)).toEqual([9]);
  });

  test('a transaction that the database gives up', async () => {
    const [one, other] = [await connect(), await connect()];
    const invoices = invoicesOf();
    await one.transaction((transaction) => invoices.nextId({ transaction }));
    await one.begin();
    await invoices.nextId({ transaction: one.client });
    await other.begin();
    await other.query(isPostgres ? 'SET LOCAL lock_timeout = 20' : 'SET innodb_lock_wait_timeout = 1');
    await expect(invoices.nextId({ transaction: other.client })).rejects.toMatchObject({
      code: 'ERR_NEXTID_TRANSACTION_FAILED', message: expect.stringContaining('run it again'),
      cause: { code: isPostgres ? '55P03' : 'ER_LOCK_WAIT_TIMEOUT' },
    });
    await other.rollback();
    await one.rollback();
    expect(await other.transaction((transaction) => invoices.nextId({ transaction }))).toBe(2);
  });

  test('a transaction that may not write, and a connection that is closed', async () => {
    const invoices = invoicesOf();
    await invoices.ready();
    const [reader, closed] = [await connect(), await connectTo(fixture.kind, fixture.serverUrl())];
    await reader.query('START TRANSACTION READ ONLY');
    await expect(invoices.nextId({ transaction: reader.client })).rejects.toMatchObject({
      code: 'ERR_NEXTID_TRANSACTION_FAILED',
      message: expect.stringContaining('expected a transaction that may write; roll it back'),
    });
    await reader.rollback();
    await closed.begin();
    await closed.end();
    await expect(invoices.nextId({ transaction: closed.client })).rejects.toMatchObject({
      code: 'ERR_NEXTID_TRANSACTION_FAILED', message: expect.stringContaining('expected an open connection;'),
    });
  });

  test('close(), and the option idle', async () => {
    const connection = await connect();
    const invoices = invoicesOf();
    await connection.transaction((transaction) => invoices.nextId({ transaction }));
    await invoices.close();
    const closed = code('ERR_NEXTID_CLOSED');
    await expect(invoices.nextId({ transaction: connection.client })).rejects.toEqual(closed);
    await expect(invoices.ready()).rejects.toEqual(closed);
    expect(await connection.transaction((transaction) => invoicesOf().nextId({ transaction }))).toBe(2);
    const store = open(url, { idle: 1 });
    const kept = store.sequence('invoices', { gapless: true });
    await store[require('../../lib/symbols').returnIdle]();
    expect(store.sequence('invoices')).toBe(kept);
    expect(await connection.transaction((transaction) => kept.nextId({ transaction }))).toBe(3);
    await store.close();
  });

  test('the command line', async () => {
    const run = (...args) => runNextid([...args, '--store', url]);
    expect((await run('advance', 'invoices', '500', '--gapless')).stdout).toBe('500\n');
    await run('advance', 'yearly', '7', '--gapless', '--prefix', '14');
    expect((await run('list')).stdout).toMatch(/^invoices +gapless +500$\n^yearly +gapless +14 +7$/m);
    expect(await run('next', 'invoices', '--gapless')).toMatchObject({
      code: 2, stderr: expect.stringContaining("--gapless was given to 'next': expected a transaction"),
    });
  });

  if (isPostgres) {
    test('a client of pg that nobody connected is refused, one that is connecting is not', async () => {
      const { Client } = require('pg');
      const invoices = invoicesOf();
      const refused = expect.objectContaining({
        code: 'ERR_INVALID_ARG_VALUE', message: expect.stringContaining('client of pg that is not connected'),
      });
      const unconnected = new Client(fixture.serverUrl());
      await expect(invoices.nextId({ transaction: unconnected })).rejects.toEqual(refused);
      const failed = new Client(fixture.brokenUrl());
      const ended = new Promise((resolve) => failed.once('end', resolve));
      await expect(failed.connect()).rejects.toThrow('ECONNREFUSED');
      await ended;
      await expect(invoices.nextId({ transaction: failed })).rejects.toEqual(refused);
      const client = new Client(fixture.serverUrl());
      const connected = client.connect();
      const begun = client.query('BEGIN');
      expect(await invoices.nextId({ transaction: client })).toBe(1);
      await Promise.all([connected, begun]);
      await client.query('COMMIT');
      await client.end();
    });

    test('the sql of postgres', async () => {
      const sql = require('postgres')(fixture.serverUrl());
      const store = open(sql, { table: new URL(url).searchParams.get('table') });
      const invoices = store.sequence('invoices', { gapless: true });
      await expect(invoices.nextId({ transaction: sql })).rejects.toThrow('is the sql of all connections');
      const given = await sql.begin(async (own) => [
        await invoices.nextId({ transaction: own }),
        await own.savepoint((inner) => invoices.nextId({ transaction: inner })),
      ]);
      expect(given).toEqual([1, 2]);
      const reserved = await sql.reserve();
      await expect(invoices.nextId({ transaction: reserved })).rejects.toEqual(NO_TRANSACTION);
      reserved.release();
      await store.close();
      await sql.end();
    });
  } else {
    test('a connection of mysql2 with callbacks, and one without autocommit', async () => {
      const connection = require('mysql2').createConnection(fixture.serverUrl());
      const query = (text) => connection.promise().query(text);
      const invoices = invoicesOf();
      await expect(invoices.nextId({ transaction: connection })).rejects.toEqual(NO_TRANSACTION);
      await query('BEGIN');
      expect(await invoices.nextId({ transaction: connection })).toBe(1);
      await query('COMMIT');
      await query('SET autocommit = 0');
      expect(await invoices.nextId({ transaction: connection })).toBe(2);
      await query('ROLLBACK');
      expect(await nextOf('invoices')).toBe(2);
      await connection.promise().end();
    });

    test('a transaction that ends before its number is taken: an error', async () => {
      const connection = await connect();
      const invoices = invoicesOf();
      await invoices.ready();
      await connection.begin();
      const { client } = connection;
      const query = client.connection.query.bind(client.connection);
      jest.spyOn(client.connection, 'query').mockImplementation((options, done) => {
        if (options.sql.startsWith('INSERT')) query('COMMIT', () => {});
        return query(options, done);
      });
      const late = invoices.nextId({ transaction: client });
      await expect(late).rejects.toThrow('the transaction had ended when');
    });
  }
});

describe('stores without transactions', () => {
  test.each(['memory:', 'sqlite:never-made.db', 'mongodb://127.0.0.1:1/shop'])('%s', async (source) => {
    const ids = open(source);
    const unsupported = expect.objectContaining({
      code: 'ERR_NEXTID_STORE_UNSUPPORTED',
      message: expect.stringContaining('expected one in PostgreSQL, MySQL or MariaDB'),
    });
    expect(() => ids.sequence('invoices', { gapless: true })).toThrow(unsupported);
    await expect(ids.advance('invoices', 5, { gapless: true })).rejects.toThrow(unsupported);
    await ids.close();
  });
});
