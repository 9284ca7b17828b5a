'use strict';

// Fixtures for the stores in SQL databases: see stores.js. Each store is a table of its own.

const { randomBytes } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');

const DEADLOCK = '40P01';

// The field that `value` is, by kind.
const VALUES = { plain: 'index', dated: 'count', cyclic: 'val', 'time-stamped': 'slot' };

const toNumber = (value) => (BigInt(Number.MAX_SAFE_INTEGER) < BigInt(value) ? BigInt(value) : Number(value));

// Of first, end, first, end, …
function rangesOf(bounds = []) {
  return Array.from({ length: bounds.length / 2 }, (_, i) => bounds.slice(2 * i, 2 * i + 2).map(BigInt));
}

class SqlFixture {
  isSql = true;
  #tables = new Set();
  #databases = new Set();
  #pools = new Map(); // by URL

  /** `returned` is the function of stores.js. */
  constructor(kind, returned) {
    this.kind = kind;
    this.title = kind;
    this.returned = returned;
  }

  freshUrl() {
    const table = `nextid_${randomBytes(6).toString('hex')}`;
    this.#tables.add(table);
    return `${this.serverUrl()}?table=${table}`;
  }

  /** The URL of a new database. */
  async freshDatabase() {
    const name = `nextid_${randomBytes(6).toString('hex')}`;
    await this.run(`CREATE DATABASE ${name}`);
    this.#databases.add(name);
    return new URL(name, this.serverUrl()).href;
  }

  brokenUrl() {
    return `${this.scheme}://127.0.0.1:1/nextid_test`;
  }

  /** { host, port } of a URL. */
  addressIn(url) {
    const { hostname, port } = new URL(url);
    return { host: hostname, port: Number(port) };
  }

  async address() {
    return this.addressIn(this.serverUrl());
  }

  async read(url, name) {
    const [row] = await this.#rows(url, 'plain', name);
    return row && Number(row.value);
  }

  async write(url, name, value) {
    await this.#set(url, { kind: 'plain', name }, value, {});
  }

  async readReturned(url, name) {
    const [row] = await this.#rows(url, 'plain', name);
    return rangesOf(row && JSON.parse(row.fields).indexReturned);
  }

  async readAll(url, beginning) {
    const rows = await this.#rows(url, 'plain');
    return rows.filter(({ name }) => name.startsWith(beginning)).map(({ name, value, fields }) => (
      [name, { next: value, returned: rangesOf(JSON.parse(fields).indexReturned) }]));
  }

  async remove(url, name) {
    await this.removeCounter(url, 'plain', name);
  }

  async readCounter(url, kind, name) {
    const [row] = await this.#rows(url, kind, name);
    if (row === undefined) return undefined;
    return { [VALUES[kind]]: toNumber(row.value), ...JSON.parse(row.fields) };
  }

  async writeCounter(url, kind, name, { [VALUES[kind]]: value, ...fields }) {
    await this.#set(url, { kind, name }, value, fields);
  }

  async removeCounter(url, kind, name) {
    await this.run(`DELETE FROM ${this.table(url)} WHERE kind = '${kind}' AND name = ${this.quoted(name)}`);
  }

  async readDated(url, name) {
    const rows = (await this.#rows(url, 'dated', name)).filter(({ fields }) => !fields.includes('making'));
    return Object.fromEntries(rows.map(({ prefix, value }) => [prefix, Number(value)]));
  }

  async readDatedReturned(url, name) {
    return Object.fromEntries((await this.#rows(url, 'dated', name))
      .map(({ prefix, fields }) => [prefix, rangesOf(JSON.parse(fields).countReturned)]));
  }

  async writeDated(url, name, counts) {
    for (const [prefix, count] of Object.entries(counts)) {
      await this.#set(url, { kind: 'dated', name, prefix }, count, {});
    }
  }

  async damageDated(url, name, prefix) {
    await this.run(`UPDATE ${this.table(url)} SET value = -1 WHERE kind = 'dated' AND ` +
      `name = ${this.quoted(name)} AND prefix = ${prefix}`);
  }

  async removeDated(url, name) {
    await this.removeCounter(url, 'dated', name);
  }

  async moveUp(url, kind, name, by) {
    const which = `kind = '${kind}' AND name = ${this.quoted(name)} AND fields LIKE '{%'`;
    return await this.run(`UPDATE ${this.table(url)} SET value = value + ${by} WHERE ${which}`) > 0;
  }

  start() {}

  async stop() {
    for (const table of this.#tables) await this.run(`DROP TABLE IF EXISTS ${table}`);
    for (const [url, pool] of this.#pools) if (url !== this.serverUrl()) await pool.end();
    for (const name of this.#databases) await this.run(`DROP DATABASE ${name}`);
    await this.#pools.get(this.serverUrl())?.end();
  }

  poolOf(url) {
    if (!this.#pools.has(url)) this.#pools.set(url, this.makePool(url));
    return this.#pools.get(url);
  }

  // A value that is a string stands for damage. The column holds numbers only: it is one that never counts.
  async #set(url, { kind, name, prefix = 0 }, value, fields) {
    const table = this.table(url);
    const text = JSON.stringify(fields);
    const number = /^\d+$/.test(value) ? BigInt(value) : -1n;
    const key = `kind = '${kind}' AND name = ${this.quoted(name)} AND prefix = ${prefix}`;
    await this.run(`DELETE FROM ${table} WHERE ${key}`);
    await this.run(`INSERT INTO ${table} (kind, name, prefix, value, fields) VALUES ` +
      `('${kind}', ${this.quoted(name)}, ${prefix}, ${number}, ${this.quoted(text)})`);
  }

  #rows(url, kind, name) {
    const which = name === undefined ? '' : ` AND name = ${this.quoted(name)}`;
    return this.run(`SELECT ${this.columns} FROM ${this.table(url)} WHERE kind = '${kind}'${which}`);
  }

  /** The name of its table. */
  table(url) {
    return new URL(url).searchParams.get('table');
  }
}

class PostgresFixture extends SqlFixture {
  scheme = 'postgres';
  errorName = 'PostgresError';
  quoted = (text) => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
  columns = 'name, prefix, value::text AS value, fields';

  constructor(returned) {
    super('postgres', returned);
  }

  serverUrl() {
    return process.env.NEXTID_TEST_POSTGRES_URL;
  }

  makePool(connectionString) {
    const { Pool } = require('pg');
    return new Pool({ connectionString, max: 4 });
  }

  /** The rows, or how many rows a statement changed. */
  async run(sql, url = this.serverUrl()) {
    try {
      const { command, rows, rowCount } = await this.poolOf(url).query(sql);
      return command === 'SELECT' ? rows : rowCount;
    } catch (error) {
      if (error.code === DEADLOCK) return this.run(sql, url); // which deadlock() brought about
      throw error;
    }
  }

  /** Ends a statement of nextid (`way`: 'statement') or its connection. Resolves to whether there was one. */
  async interrupt(url, way) {
    const end = way === 'statement' ? 'pg_cancel_backend' : 'pg_terminate_backend';
    const quotes = `"${this.table(url)}"`; // which statements of a fixture do without
    const rows = await this.run(`SELECT ${end}(pid) FROM pg_stat_activity WHERE state = 'active' AND ` +
      `query LIKE '%${quotes}%' AND query NOT LIKE 'CREATE%' AND pid <> pg_backend_pid() LIMIT 1`);
    return rows.length === 1;
  }

  /**
   * Takes a lock that statements of others wait for, and then one that waits for them: after a second, the
   * server ends one of these.
   */
  async deadlock(url) {
    const table = this.table(url);
    const client = await this.poolOf(this.serverUrl()).connect();
    try {
      await client.query(`BEGIN; SELECT FROM ${table} ORDER BY random() LIMIT 1 FOR UPDATE`);
      await sleep(300);
      await client.query(`LOCK TABLE ${table}`);
    } catch (error) {
      if (error.code !== DEADLOCK) throw error;
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }

  SETTINGS = {
    'read-only': ['default_transaction_read_only', 'on'],
    'commits without a sync': ['synchronous_commit', 'off'],
  };

  /** Changes the settings of the whole server, until what this resolves with is called and awaited. */
  async configure(way) {
    const [name, value] = this.SETTINGS[way];
    await this.run(`ALTER SYSTEM SET ${name} = ${value}`);
    await this.run('SELECT pg_reload_conf()');
    return async () => {
      await this.run(`ALTER SYSTEM RESET ${name}`);
      await this.run('SELECT pg_reload_conf()');
    };
  }

  /** Locks the table, until what this resolves with is called and awaited. */
  async lock(url) {
    const { Client } = require('pg');
    const client = new Client(this.serverUrl());
    await client.connect();
    await client.query(require('../../lib/stores/postgres').schemaOf({ table: this.table(url) }));
    await client.query(`BEGIN; LOCK TABLE ${this.table(url)}`);
    return () => client.end();
  }
}

class MysqlFixture extends SqlFixture {
  scheme = 'mysql';
  errorName = 'MySqlError';
  quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
  columns = 'CAST(name AS CHAR) AS name, prefix, CAST(value AS CHAR) AS value, fields';

  constructor(returned) {
    super('mysql', returned);
  }

  serverUrl() {
    return process.env.NEXTID_TEST_MYSQL_URL;
  }

  makePool(uri) {
    return require('mysql2/promise').createPool({ uri, connectionLimit: 4 });
  }

  async run(sql, url = this.serverUrl()) {
    const [result] = await this.poolOf(url).query(sql);
    return Array.isArray(result) ? result : result.affectedRows;
  }

  /** As of PostgresFixture. */
  async interrupt(url, way) {
    const [found] = await this.run('SELECT ID FROM information_schema.PROCESSLIST ' +
      `WHERE COMMAND = 'Query' AND INFO LIKE '%\`${this.table(url)}\`%' AND INFO NOT LIKE 'CREATE%' AND ` +
      'ID <> CONNECTION_ID() LIMIT 1');
    if (found === undefined) return false;
    try {
      await this.run(`KILL ${way === 'statement' ? 'QUERY ' : ''}${found.ID}`);
      return true;
    } catch (error) {
      if (error.code === 'ER_NO_SUCH_THREAD') return false; // it has ended meanwhile
      throw error;
    }
  }

  SETTINGS = {
    'read-only': ['read_only = 1', 'read_only = 0'],
    'commits without a sync': ['innodb_flush_log_at_trx_commit = 2', 'innodb_flush_log_at_trx_commit = 1'],
  };

  /** As of PostgresFixture. */
  async configure(way) {
    const [set, reset] = this.SETTINGS[way];
    await this.run(`SET GLOBAL ${set}`);
    return () => this.run(`SET GLOBAL ${reset}`);
  }

  async lock(url) {
    const connection = await require('mysql2/promise').createConnection(this.serverUrl());
    await connection.query(require('../../lib/stores/mysql').schemaOf({ table: this.table(url) }));
    await connection.query(`LOCK TABLES ${this.table(url)} WRITE`);
    return () => connection.end();
  }
}

module.exports = { MysqlFixture, PostgresFixture };
