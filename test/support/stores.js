'use strict';

// The stores that a suite runs on, and a way to their counters that goes round nextid.

const { execFile, execFileSync } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { open } = require('../..');
const { SQLITE3, needs } = require('./needs');
const { MysqlFixture, PostgresFixture } = require('./sql-stores');

/**
 * Runs SQL in `file` by the program sqlite3, which shares no code with the store under test. Returns what it
 * prints.
 */
function sqlite(file, sql) {
  try {
    const [program, ...args] = [...SQLITE3, '-cmd', '.timeout 30000', file, sql];
    return execFileSync(program, args, { encoding: 'utf8' }).trim();
  } catch (error) {
    throw withAdvice(error);
  }
}

function withAdvice(error) {
  if (error.code !== 'ENOENT') return error;
  const advice = 'the tests need the program sqlite3 (Debian, Ubuntu: apt install sqlite3)';
  return new Error(advice, { cause: error });
}

function quoted(text) {
  return `'${text.replaceAll("'", "''")}'`;
}

// What is kept of counters that are neither plain nor dated.
const FIELDS = {
  cyclic: { table: 'cyclic_counters', fields: ['val', 'maxval'] },
  'time-stamped': { table: 'timestamp_counters', fields: ['slot', 'digits'] },
};

// A number where it is exact, else a BigInt.
const toNumber = (value) => (value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value);

// A value that the program sqlite3 printed.
function parsed(text) {
  if (/^-?\d+$/.test(text)) return toNumber(BigInt(text));
  return Number.isNaN(Number(text)) ? text : Number(text);
}

/** How many numbers the counters of a store hold for the next instance. */
async function returned(url) {
  const store = open(url);
  const counters = await store.list();
  await store.close();
  return counters.reduce((sum, counter) => sum + (counter.returned ?? 0), 0);
}

// Of first, end, first, end, …
function rangesOf(bounds) {
  const all = bounds.map(BigInt);
  return Array.from({ length: all.length / 2 }, (_, i) => all.slice(2 * i, 2 * i + 2));
}

class SqliteFixture {
  returned = returned;

  kind = 'sqlite';
  title = 'sqlite';
  errorName = 'SqliteError'; // of a cause
  #folder;
  #files = 0;

  /** The URL of a store that is not there yet. */
  freshUrl() {
    this.#folder ??= fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-'));
    return `sqlite:${path.join(this.#folder, `${++this.#files}.db`)}`;
  }

  /** The URL of a store that does not work: every call on it is refused soon. */
  brokenUrl() {
    return `sqlite:${os.tmpdir()}`; // a folder
  }

  /** Where the counter stands, or undefined if there is none. */
  async read(url, name) {
    const next = await this.#run(url, `SELECT next FROM counters WHERE name = ${quoted(name)}`);
    return next === '' ? undefined : Number(next);
  }

  /**
   * Overwrites the counter; the store must be there. `value` is a number, a bigint, or a string that stands
   * for damage.
   */
  async write(url, name, value) {
    const literal = typeof value === 'string' ? quoted(value) : String(value);
    await this.#run(url, `
      PRAGMA ignore_check_constraints = ON;
      INSERT OR REPLACE INTO counters (name, next) VALUES (${quoted(name)}, ${literal})`);
  }

  /** Its returned ranges, [[first, end]] as BigInts. */
  async readReturned(url, name) {
    return rangesOf((await this.#run(url, `SELECT returned FROM counters WHERE name = ${quoted(name)}`))
      .split(' ').filter(Boolean));
  }

  /** The plain counters whose names begin so: [[name, { next, returned }]]. */
  async readAll(url, beginning) {
    const where = `substr(name, 1, ${beginning.length}) = ${quoted(beginning)}`;
    const rows = await this.#run(url, `SELECT name, next, returned FROM counters WHERE ${where}`);
    return rows.split('\n').filter(Boolean).map((row) => row.split('|')).map(([name, next, returned]) => (
      [name, { next, returned: rangesOf(returned.split(' ').filter(Boolean)) }]));
  }

  async remove(url, name) {
    await this.#run(url, `DELETE FROM counters WHERE name = ${quoted(name)}`);
  }

  /**
   * The fields of a cyclic or time-stamped counter (see FIELDS), a BigInt where a number is not exact, or
   * undefined if there is none. The store must be there.
   */
  async readCounter(url, kind, name) {
    const { table, fields } = FIELDS[kind];
    const row = await this.#run(url, `SELECT ${fields.join()} FROM ${table} WHERE name = ${quoted(name)}`);
    if (row === '') return undefined;
    const values = row.split('|').map(parsed);
    return Object.fromEntries(fields.map((field, i) => [field, values[i]]));
  }

  /** Overwrites one. Values as for write(). */
  async writeCounter(url, kind, name, values) {
    const { table, fields } = FIELDS[kind];
    const literals = fields.map((field) => values[field])
      .map((value) => (typeof value === 'string' ? quoted(value) : String(value)));
    await this.#run(url, `
      PRAGMA ignore_check_constraints = ON;
      INSERT OR REPLACE INTO ${table} (name, ${fields.join()}) VALUES (${quoted(name)}, ${literals.join()})`);
  }

  async removeCounter(url, kind, name) {
    await this.#run(url, `DELETE FROM ${FIELDS[kind].table} WHERE name = ${quoted(name)}`);
  }

  /** The dated counters of `name`, '' for those that have none, as { prefix: the last count given }. */
  async readDated(url, name) {
    const sql = `SELECT prefix, next - 1 FROM dated_counters WHERE name = ${quoted(name)}`;
    const rows = await this.#run(url, sql);
    return Object.fromEntries(rows.split('\n').filter(Boolean).map((row) => row.split('|').map(Number)));
  }

  /** The returned ranges of these, as { prefix: [[first, end]] }. */
  async readDatedReturned(url, name) {
    const sql = `SELECT prefix, returned FROM dated_counters WHERE name = ${quoted(name)}`;
    const rows = (await this.#run(url, sql)).split('\n').filter(Boolean).map((row) => row.split('|'));
    return Object.fromEntries(rows.map(([prefix, returned]) => (
      [prefix, rangesOf(returned.split(' ').filter(Boolean))])));
  }

  /** Adds such counters, or overwrites them. The store must be there. */
  async writeDated(url, name, counts) {
    const rows = Object.entries(counts).map(([prefix, last]) => `(${quoted(name)}, ${prefix}, ${last + 1})`);
    await this.#run(url, `INSERT OR REPLACE INTO dated_counters (name, prefix, next) VALUES ${rows.join()}`);
  }

  /** Writes what is no number into one. */
  async damageDated(url, name, prefix) {
    await this.#run(url, `
      PRAGMA ignore_check_constraints = ON;
      UPDATE dated_counters SET next = 'many' WHERE name = ${quoted(name)} AND prefix = ${prefix}`);
  }

  /** Removes all dated counters of `name`, as another program might. */
  async removeDated(url, name) {
    await this.#run(url, `DELETE FROM dated_counters WHERE name = ${quoted(name)}`);
  }

  /**
   * Moves a plain counter up by so much, or all dated ones of `name`, but for those that hold no number.
   * Whether there was one.
   */
  async moveUp(url, kind, name, by) {
    const table = { plain: 'counters', dated: 'dated_counters' }[kind];
    const which = `name = ${quoted(name)} AND typeof(next) = 'integer'`;
    const sql = `UPDATE ${table} SET next = next + ${by} WHERE ${which}; SELECT changes()`;
    return Number(await this.#run(url, sql)) > 0;
  }

  start() {}

  async stop() {
    if (this.#folder) fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  // Not sqlite(): while this waits for a lock, those who have it must be able to let go of it.
  async #run(url, sql) {
    const [program, ...args] = [...SQLITE3, '-cmd', '.timeout 30000', url.slice('sqlite:'.length), sql];
    try {
      const { stdout } = await promisify(execFile)(program, args, { maxBuffer: Infinity });
      return stdout.trim();
    } catch (error) {
      throw withAdvice(error);
    }
  }
}

class MongoFixture {
  returned = returned;

  kind = 'mongodb';
  title = 'mongodb';
  errorName = 'MongoError';
  #client;
  #databases = new Set();

  /** As of SqliteFixture; so are the others of the same name. */
  freshUrl() {
    const name = `nextid_test_${randomBytes(6).toString('hex')}`;
    this.#databases.add(name);
    return urlOfDatabase(name);
  }

  brokenUrl() {
    return 'mongodb://127.0.0.1:1/nextid_test?serverSelectionTimeoutMS=100';
  }

  /** The documents themselves, by the official driver. */
  collection(url, name = 'ids') {
    return this.#connected().db(databaseOf(url)).collection(name);
  }

  /** Where the server listens that takes writes: { host, port }, for a proxy. */
  async address() {
    const { primary } = await this.#connected().db('admin').command({ hello: 1 });
    const [host, port] = (primary ?? this.#connected().options.hosts[0].toString()).split(/:(?=\d+$)/);
    return { host, port: Number(port) };
  }

  /** The same database with a user and a password, where mongo-server.sh runs the server; else undefined. */
  withLogin(url) {
    const { env } = process;
    const isOwn = env.MONGODB_URL === env.NEXTID_TEST_MONGODB_SERVER_URL;
    return isOwn ? `${env.NEXTID_TEST_MONGODB_AUTH_URL}/${databaseOf(url)}?authSource=admin` : undefined;
  }

  /** { host, port } of a URL. */
  addressIn(url) {
    const { hostname, port } = new URL(url);
    return { host: hostname, port: Number(port) };
  }

  async read(url, name) {
    const document = await this.collection(url).findOne({ _id: name });
    return document?.index;
  }

  async write(url, name, value) {
    const { Long } = require('mongodb');
    const index = typeof value === 'bigint' ? Long.fromBigInt(value) : value;
    await this.collection(url).updateOne({ _id: name }, { $set: { index } }, { upsert: true });
  }

  async readReturned(url, name) {
    const document = await this.collection(url).findOne({ _id: name });
    return rangesOf(document?.indexReturned ?? []);
  }

  async readAll(url, beginning) {
    const documents = await this.collection(url).find({ _id: { $regex: `^${beginning}` } }).toArray();
    return documents.map(({ _id, index, indexReturned = [] }) => (
      [_id, { next: index, returned: rangesOf(indexReturned) }]));
  }

  async remove(url, name) {
    await this.collection(url).deleteOne({ _id: name });
  }

  async readCounter(url, kind, name) {
    const document = await this.collection(url, 'counters').findOne({ _id: name }, { useBigInt64: true });
    if (document === null) return undefined;
    return Object.fromEntries(FIELDS[kind].fields.map((field) => (
      [field, typeof document[field] === 'bigint' ? toNumber(document[field]) : document[field]])));
  }

  async writeCounter(url, kind, name, values) {
    await this.collection(url, 'counters').replaceOne({ _id: name }, values, { upsert: true });
  }

  async removeCounter(url, kind, name) {
    await this.collection(url, 'counters').deleteOne({ _id: name });
  }

  async readDated(url, name) {
    const documents = await this.collection(url).find(datedCounters(name)).toArray();
    return Object.fromEntries(documents.map(({ prefix, count }) => [prefix, count]));
  }

  async readDatedReturned(url, name) {
    const documents = await this.collection(url).find(datedCounters(name)).toArray();
    return Object.fromEntries(documents.map(({ prefix, countReturned = [] }) => (
      [prefix, rangesOf(countReturned)])));
  }

  async writeDated(url, name, counts) {
    const documents = Object.entries(counts).map(([key, count]) => {
      const prefix = Number(key);
      return name === '' ? { prefix, count } : { _id: `${name}:${prefix}`, name, prefix, count };
    });
    const present = { ...datedCounters(name), prefix: { $in: documents.map(({ prefix }) => prefix) } };
    await this.collection(url).deleteMany(present);
    await this.collection(url).insertMany(documents);
  }

  async damageDated(url, name, prefix) {
    await this.collection(url).updateOne({ ...datedCounters(name), prefix }, { $set: { count: 'many' } });
  }

  async removeDated(url, name) {
    await this.collection(url).deleteMany(datedCounters(name));
  }

  async moveUp(url, kind, name, by) {
    const [which, field] = kind === 'plain' ? [{ _id: name }, 'index'] : [datedCounters(name), 'count'];
    const filter = { ...which, [field]: { $type: 'number' } };
    const { modifiedCount } = await this.collection(url).updateMany(filter, { $inc: { [field]: by } });
    return modifiedCount > 0;
  }

  /** Called before the suite. */
  start() {}

  async stop() {
    for (const name of this.#databases) await this.#connected().db(name).dropDatabase();
    await this.#client?.close();
  }

  #connected() {
    const { MongoClient } = require('mongodb');
    this.#client ??= new MongoClient(process.env.MONGODB_URL);
    return this.#client;
  }
}

// The same documents through the package mongodb, in place of the native store.
class MongoDriverFixture extends MongoFixture {
  title = 'mongodb-driver';
  isByDriver = true;

  start() {
    process.env.NEXTID_MONGODB = 'driver';
  }

  async stop() {
    delete process.env.NEXTID_MONGODB;
    await super.stop();
  }
}

function datedCounters(name) {
  return { prefix: { $type: 'number' }, name: name === '' ? { $exists: false } : name };
}

// Not by Node's URL class: $MONGODB_URL may name several hosts.
const SERVER = /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?([^?]*)(.*)$/;

function urlOfDatabase(name) {
  const [, hosts, , options] = SERVER.exec(process.env.MONGODB_URL);
  return `${hosts}/${name}${options}`;
}

function databaseOf(url) {
  return SERVER.exec(url)[2];
}

/** describe() with a fixture of this class; skipped where `need` of needs.js is not met. */
function describeWith(Fixture, need, title, define) {
  const { areMet, describe: describeIfMet } = needs(need);
  describeIfMet(title, () => {
    const fixture = new Fixture(returned);
    if (areMet) {
      beforeAll(() => fixture.start());
      afterAll(() => fixture.stop());
    }
    define(fixture);
  });
}

/** describe() for what is true of MongoDB only; `define` gets its fixture. Skipped without a server. */
function describeMongo(title, define) {
  describeWith(MongoFixture, 'mongodb', `${title} [mongodb]`, define);
}

/** describe() on SQLite, for what shows nothing of the store; `define` gets its fixture. */
function describeSqlite(title, define) {
  describeWith(SqliteFixture, 'sqlite3', `${title} [sqlite]`, define);
}

/** describe() once for each native store, for what all stores share; `define` gets its fixture. */
function describeNativeStores(title, define) {
  describeSqlite(title, define);
  describeMongo(title, define);
}

/** describe() once for each store in an SQL database; `define` gets its fixture. */
function describeSqlStores(title, define) {
  describeWith(PostgresFixture, 'postgres', `${title} [postgres]`, define);
  describeWith(MysqlFixture, 'mysql', `${title} [mysql]`, define);
}

/** describe() once for each store, for what may differ from store to store; `define` gets its fixture. */
function describeStores(title, define) {
  describeNativeStores(title, define);
  describeWith(MongoDriverFixture, 'mongodb', `${title} [mongodb-driver]`, define);
  describeSqlStores(title, define);
}

module.exports = {
  MongoDriverFixture, MongoFixture, SqliteFixture,
  describeMongo, describeNativeStores, describeSqlStores, describeSqlite, describeStores, describeWith,
  sqlite,
};
