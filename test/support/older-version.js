'use strict';

// What versions of this package do that know nothing of returned ranges, by raw operations: they reserve by
// adding to the counter, and give back by a compare-and-set of the range that was reserved last.

const { sqlite } = require('./stores');

// An SQLite file as they made it.
const SQLITE_FILE = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE counters (
    name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),
    next INTEGER NOT NULL CHECK (typeof(next) = 'integer' AND next >= 0)
  ) WITHOUT ROWID;
  CREATE TABLE dated_counters (
    name TEXT NOT NULL CHECK (typeof(name) = 'text'),
    prefix INTEGER NOT NULL CHECK (typeof(prefix) = 'integer' AND prefix BETWEEN 10 AND 99999999),
    next INTEGER NOT NULL CHECK (typeof(next) = 'integer' AND next >= 1),
    PRIMARY KEY (name, prefix)
  ) WITHOUT ROWID;
  CREATE TABLE closed_periods (
    name TEXT NOT NULL CHECK (typeof(name) = 'text'),
    period TEXT NOT NULL CHECK (period IN ('hour', 'day', 'month', 'year')),
    up_to INTEGER NOT NULL CHECK (typeof(up_to) = 'integer' AND up_to BETWEEN 10 AND 99999999),
    PRIMARY KEY (name, period)
  ) WITHOUT ROWID;
  CREATE TABLE cyclic_counters (
    name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),
    val INTEGER NOT NULL CHECK (typeof(val) = 'integer' AND val >= 0),
    maxval INTEGER NOT NULL CHECK (typeof(maxval) = 'integer' AND maxval BETWEEN 1 AND 9007199254740991)
  ) WITHOUT ROWID;
  CREATE TABLE timestamp_counters (
    name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),
    slot INTEGER NOT NULL CHECK (typeof(slot) = 'integer' AND slot BETWEEN 0 AND 9223372036854775806),
    digits INTEGER NOT NULL CHECK (typeof(digits) = 'integer' AND digits BETWEEN 0 AND 4),
    time_zone TEXT NOT NULL DEFAULT 'UTC' CHECK (typeof(time_zone) = 'text')
  ) WITHOUT ROWID;
  PRAGMA application_id = 0x4e784964;
  PRAGMA user_version = 2;`;

/** A counter of a file. `prefix` is that of a dated one. */
class SqliteCounter {
  #file;
  #table;
  #key;
  #columns;

  constructor(url, name, prefix) {
    this.#file = url.slice('sqlite:'.length);
    this.#table = prefix === undefined ? 'counters' : 'dated_counters';
    this.#columns = prefix === undefined ? ['name'] : ['name', 'prefix'];
    this.#key = prefix === undefined ? [`'${name}'`] : [`'${name}'`, prefix];
  }

  /** Makes the file, and the counter, which gives `first` next. */
  async make(first) {
    sqlite(this.#file, `${SQLITE_FILE} INSERT INTO ${this.#table} VALUES (${[...this.#key, first].join()})`);
  }

  /** Reserves so many numbers; resolves to the first one. */
  async reserve(count) {
    const next = sqlite(this.#file, `BEGIN IMMEDIATE; ${this.#write(`next + ${count}`)};
      SELECT next FROM ${this.#table} WHERE ${this.#condition}; COMMIT`);
    return Number(next) - count;
  }

  async release(first, end) {
    sqlite(this.#file, this.#write(first, `AND next = ${end}`));
  }

  async close() {}

  get #condition() {
    return this.#columns.map((column, i) => `${column} = ${this.#key[i]}`).join(' AND ');
  }

  #write(next, and = '') {
    const columns = this.#columns.join();
    return `INSERT INTO ${this.#table} (${columns}, next)
      SELECT ${columns}, ${next} FROM ${this.#table} WHERE ${this.#condition} ${and}
      ON CONFLICT (${columns}) DO UPDATE SET next = excluded.next`;
  }
}

/** The same in MongoDB. */
class MongoCounter {
  #client;
  #key;
  #field;
  #others; // fields
  #offset; // what is to be added to the field to have the next number

  constructor(url, name, prefix) {
    const { MongoClient } = require('mongodb');
    this.#client = new MongoClient(url);
    this.#key = { _id: prefix === undefined ? name : `${name}:${prefix}` };
    this.#field = prefix === undefined ? 'index' : 'count';
    this.#others = prefix === undefined ? {} : { name, prefix };
    this.#offset = prefix === undefined ? 0 : 1;
  }

  async make(first) {
    await this.#ids.insertOne({ ...this.#key, ...this.#others, [this.#field]: first - this.#offset });
  }

  async reserve(count) {
    const increment = { $inc: { [this.#field]: count } };
    const counter = await this.#ids.findOneAndUpdate(this.#key, increment, { returnDocument: 'after' });
    return counter[this.#field] + this.#offset - count;
  }

  async release(first, end) {
    const last = { ...this.#key, [this.#field]: end - this.#offset };
    await this.#ids.updateOne(last, { $set: { [this.#field]: first - this.#offset } });
  }

  async close() {
    await this.#client.close();
  }

  get #ids() {
    return this.#client.db().collection('ids');
  }
}

/** The counter in the store `url`; without `prefix`, the plain one. */
function olderCounter(url, name, prefix) {
  const Counter = url.startsWith('sqlite:') ? SqliteCounter : MongoCounter;
  return new Counter(url, name, prefix);
}

module.exports = { olderCounter };
