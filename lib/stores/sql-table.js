'use strict';

// Counters as rows of one table in an SQL database, as the table of ruled-store.js. A row has
//   kind, name, prefix   the key; prefix is 0 unless the kind is dated, name may be '' then
//   value                what counts, see VALUES
//   returned_to          the end of the highest returned range, or NULL without any
//   fields               the other fields of the record, as JSON
//
// A *dialect* knows one database and its driver:
//   database        query(sql, { time, accept }) → { rows, count, lastId }, arrays of texts or null; close().
//                   If accept(rows) throws, the connection is closed
//   quote(name)     an identifier
//   text(value)     a literal, whatever the settings of the connection are
//   number(sql)     an expression that gives a text of the whole number `sql`
//   nameOut, toName(text)   an expression that gives the column name, and what it means
//   guard           an expression: whether this statement will be durable, and not undone by others
//   settings        expressions that say the same for refuse()
//   refuse(settings)   throws if the guard is not met
//   ofNow           what makes a SELECT read what is committed now, in a transaction that was left open too
//   now             an expression: the time in microseconds
//   add(table, by, where)      adds `by` to the value of a row; resolves to the new value, a text
//   insert(table, columns, values)   resolves to whether it did: false if there is one of that key, or if
//                              `guard` does not hold
//   missing(error)             whether the error says that there is no such table
//   check(table, shown, mayMake)   throws if the table does not keep what is written. Makes one that is
//                              missing if `mayMake`. Resolves to what statements call it, if there is one
//   failureOf(error, isWrite, shown)
// Statements have no parameters: one message each, also through a connection pooler.

const { NextIdError, messageOf } = require('../errors');
const { toRecord, toText } = require('./record-text');

const VALUES = { plain: 'index', dated: 'count', cyclic: 'val', 'time-stamped': 'slot' };
const MARKS = 'pruned'; // the kind of the marks of closed periods
const LIST_TIME = 55_000; // ms, for a million counters
const ROW = Symbol('row'); // of a record that was read
const COLUMNS = 'kind, name, prefix, value, returned_to, fields';

class SqlTable {
  #dialect;
  #name; // as given
  #shown;
  #ready;

  constructor(dialect, { table, schema, shown }) {
    this.#dialect = dialect;
    this.#name = tableName(dialect.quote, { table, schema });
    this.#shown = shown;
    const place = { in: `in the table ${this.#name} of ${shown}`, ifFieldLost: '' };
    this.places = Object.fromEntries(Object.keys(VALUES).map((kind) => [kind, place]));
  }

  /** For rows that are not of ruled-store.js: see gapless-rows.js. */
  get access() {
    return {
      name: this.#name,
      shown: this.#shown,
      is: (key) => this.#is(key),
      query: (toSql) => this.#query(toSql),
      readAll: (toSql) => this.#readAll(toSql),
      insert: (key, row) => this.#insert(key, row),
      failureOf: (error, isWrite) => this.failureOf(error, isWrite),
      forget: () => (this.#ready = undefined),
    };
  }

  async read(key) {
    const { number, settings, refuse } = this.#dialect;
    const columns = [number('value'), 'fields', ...settings].join(', ');
    const ofNow = key.kind === MARKS ? this.#dialect.ofNow : '';
    const toSql = (table) => `SELECT ${columns} FROM (SELECT 1 AS one) AS one ` +
      `LEFT JOIN ${table} ON ${this.#is(key)}${ofNow}`;
    const accept = ([[, , ...found]]) => refuse(found);
    const { rows: [[value, fields]] } = await this.#query(toSql, { accept });
    return value === null ? undefined : recordOf(key, { value, fields });
  }

  async compareAndSet(key, record, next) {
    const row = record?.[ROW];
    const nextRow = next === undefined ? undefined : rowOf(key, next);
    if (row === undefined) return nextRow === undefined || this.#insert(key, nextRow);
    const { text, guard } = this.#dialect;
    const where = `${this.#is(key)} AND fields = ${text(row.fields)} AND ${guard}`;
    if (nextRow === undefined) {
      return this.#changesOne((table) => `DELETE FROM ${table} WHERE ${where} AND value = ${row.value}`);
    }
    const set = `returned_to = ${nextRow.returnedTo}, fields = ${text(nextRow.fields)}`;
    // A change of the other fields remains right while others raise the value, which they do all the time.
    const isGrowing = key.kind === 'plain' || key.kind === 'dated';
    if (isGrowing && record.making === undefined && nextRow.value === row.value) {
      return this.#changesOne(
        (table) => `UPDATE ${table} SET ${set} WHERE ${where} AND value >= ${row.value}`);
    }
    return this.#changesOne((table) => (
      `UPDATE ${table} SET value = ${nextRow.value}, ${set} WHERE ${where} AND value = ${row.value}`));
  }

  async add(key, { by, least, most, from }) {
    // Neither a damaged nor a half-made counter.
    const isRecord = "fields LIKE '{%' AND fields NOT LIKE '{\"making\"%'";
    const isBelow = from === undefined ? '' : ` AND (returned_to IS NULL OR returned_to <= ${from})`;
    const where = `${this.#is(key)} AND value BETWEEN ${least} AND ${most} AND ${isRecord}${isBelow} AND ` +
      this.#dialect.guard;
    const table = await this.#checked();
    const value = await this.#watch(this.#dialect.add(table, by, where));
    return value === undefined ? undefined : BigInt(value);
  }

  async entries() {
    const { number, nameOut, toName } = this.#dialect;
    const columns = ['kind', nameOut, number('prefix'), number('value'), 'fields'].join(', ');
    const entries = [];
    const rows = await this.#readAll((table) => `SELECT ${columns} FROM ${table}`);
    for (const [kind, name, prefix, value, fields] of rows) {
      if (!Object.hasOwn(VALUES, kind)) continue;
      const key = kind === 'dated' ? { kind, name: toName(name), prefix: Number(prefix) }
        : { kind, name: toName(name) };
      const record = recordOf(key, { value, fields });
      if (record.making === undefined) entries.push([key, record]);
    }
    return entries;
  }

  async now() {
    const { rows: [[time]] } = await this.#query(() => `SELECT ${this.#dialect.number(this.#dialect.now)}`);
    return Number(time);
  }

  close() {
    return this.#dialect.database.close();
  }

  markRemedy(name, period) {
    return `in SQL: UPDATE ${this.#name} SET fields = '{"${period}":P}' WHERE kind = '${MARKS}' AND ` +
      `name = '${name.replaceAll("'", "''")}'`;
  }

  failureOf(error, isWrite) {
    if (error instanceof NextIdError) {
      const isFinal = error.code !== 'ERR_NEXTID_STORE_UNAVAILABLE';
      return { code: error.code, class: isFinal ? 'final' : 'passing', message: error.message };
    }
    return this.#dialect.failureOf(error, isWrite, this.#shown);
  }

  async #insert(key, { value, returnedTo, fields }) {
    const { text, insert } = this.#dialect;
    const values = [text(key.kind), text(key.name), key.prefix ?? 0, value, returnedTo, text(fields)];
    const table = await this.#checked();
    return this.#watch(insert(table, COLUMNS, values.join(', ')));
  }

  #is({ kind, name, prefix = 0 }) {
    const { text } = this.#dialect;
    return `kind = ${text(kind)} AND name = ${text(name)} AND prefix = ${prefix}`;
  }

  async #changesOne(toSql) {
    return (await this.#query(toSql)).count === 1;
  }

  async #query(toSql, options) {
    const table = await this.#checked();
    return this.#watch(this.#dialect.database.query(toSql(table), options));
  }

  // Reading makes no table, which the user may have no right to: without one, there are no counters.
  async #readAll(toSql) {
    const table = await this.#dialect.check(this.#name, this.#shown, false);
    if (table === undefined) return [];
    return (await this.#watch(this.#dialect.database.query(toSql(table), { time: LIST_TIME }))).rows;
  }

  // Its name in full, the same for all connections of a pool. Found once, and again after a failure, and
  // where somebody dropped the table.
  async #checked() {
    this.#ready ??= this.#dialect.check(this.#name, this.#shown, true);
    try {
      return await this.#ready;
    } catch (error) {
      this.#ready = undefined;
      throw error;
    }
  }

  async #watch(query) {
    try {
      return await query;
    } catch (error) {
      if (this.#dialect.missing(error)) this.#ready = undefined;
      throw error;
    }
  }
}

/** The table of a place, quoted. */
function tableName(quote, { table = 'nextid_counters', schema }) {
  return schema === undefined ? quote(table) : `${quote(schema)}.${quote(table)}`;
}

/** The command that prints the statement for the table of a place, for messages. */
function schemaCommand(database, { table, schema }) {
  const flags = Object.entries({ table, schema }).filter(([, name]) => name !== undefined)
    .map(([flag, name]) => ` --${flag} ${/^\w[\w.-]*$/.test(name) ? name : inQuotes(name)}`);
  return `'npx nextid schema ${database}${flags.join('')}'`;
}

const inQuotes = (word) => `"${word.replace(/["$\\`]/g, '\\$&')}"`;

function rowOf({ kind }, record) {
  const field = VALUES[kind];
  const { [field]: value = 0n, ...fields } = record;
  const bounds = fields[`${field}Returned`] ?? [];
  const returnedTo = bounds.length === 0 ? 'NULL' : bounds.reduce((a, b) => (a > b ? a : b));
  return { value: String(value), returnedTo, fields: toText(fields) };
}

// What is no JSON stands in place of the value, where core finds it damaged.
function recordOf({ kind }, row) {
  const field = VALUES[kind];
  const fields = toRecord(row.fields);
  const record = { ...fields };
  if (field !== undefined) record[field] = fields === undefined ? row.fields : BigInt(row.value);
  Object.defineProperty(record, ROW, { value: row });
  return record;
}

/** An error of the dialect's check() or refuse(). */
function invalid(problem, expected, remedy) {
  return new NextIdError(messageOf(problem, expected, remedy), { code: 'ERR_NEXTID_STORE_INVALID' });
}

/** One after which it is worth trying again. Nothing was written. */
function unavailable(problem, expected, remedy) {
  return new NextIdError(messageOf(problem, expected, remedy), { code: 'ERR_NEXTID_STORE_UNAVAILABLE' });
}

module.exports = { SqlTable, invalid, schemaCommand, tableName, unavailable };
