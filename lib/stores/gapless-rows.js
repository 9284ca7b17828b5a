'use strict';

// Gapless counters, as rows of the table of sql-table.js: of the kind 'gapless', with the last number given
// as their value. Core does not know them. A number is taken by a statement in the caller's own transaction,
// so it is committed, or rolled back, together with the row that uses it. Nothing is kept in memory.
//
// A *driver* knows the connections of one database, and its dialect of SQL:
//   locate(query, schema)   resolves to a *place*: { table, … }, which names the table in full. `query` is
//                           that of sql-table.js
//   connectionOf(given)     the function query(sql) of the caller's connection. Throws if it is none
//   take(query, place, row, { first, n, most })   raises the value of the row by n, if it is 0 to `most`, or
//                           makes the row with `first`. Resolves to the new value, a text; to OUTSIDE or
//                           ELSEWHERE, if that is why it did nothing; else to undefined
//   isMissing(error)        whether the error says that the table is not in the database of the connection
//   isReadOnly(error)       that the transaction may not write
//   isClosed(error)         that the connection was closed before

const { NextIdError, messageOf, show } = require('../errors');

const KIND = 'gapless';
const LARGEST = Number.MAX_SAFE_INTEGER;
const MOST_ROUNDS = 100; // of advance(), while transactions change the same row
const FIELDS = '{}';

// Why take() took no number.
const OUTSIDE = Symbol('no transaction is open');
const ELSEWHERE = Symbol('the connection is to another database');

class GaplessRows {
  #driver;
  #dialect;
  #table; // of sql-table.js
  #schema;
  #place;

  /** `table`: an SqlTable over `dialect`. `schema`: the option of open(). */
  constructor(driver, dialect, table, schema) {
    this.#driver = driver;
    this.#dialect = dialect;
    this.#table = table.access;
    this.#schema = schema;
  }

  /** Makes the table if it is missing, on a connection of the store's own. */
  async ready() {
    await this.#watch(this.#located(), false);
  }

  /** Throws a TypeError unless `given` is a connection that may be in a transaction. */
  check(given) {
    this.#driver.connectionOf(given);
  }

  /**
   * Takes `n` numbers of a counter, which begins at `start`, in the transaction on the connection `given`.
   * Resolves to the last one. Rejects if it took none.
   */
  async take(given, { name, prefix = 0 }, start, n) {
    const query = this.#driver.connectionOf(given);
    const place = await this.#locatedInTime(name);
    const row = this.#row(name, prefix);
    try {
      const first = start - 1 + n;
      const numbers = { first, n, most: LARGEST - n };
      const result = first > LARGEST ? undefined : await this.#driver.take(query, place, row, numbers);
      if (result === OUTSIDE) throw outside(name);
      if (result === ELSEWHERE) throw this.#elsewhere(name);
      if (result === undefined) throw this.#unfit(name, prefix, await query(this.#valueOf(row, place)));
      return Number(result);
    } catch (error) {
      if (error instanceof NextIdError) throw error;
      if (this.#driver.isMissing(error)) throw this.#elsewhere(name, error);
      throw this.#failed(name, error);
    }
  }

  /** All counters, as Store.list() shows them. */
  async list() {
    const { number, nameOut, toName } = this.#dialect;
    const columns = [nameOut, number('prefix'), number('value')].join(', ');
    const where = `kind = ${this.#dialect.text(KIND)}`;
    const toSql = (table) => `SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY name, prefix`;
    const rows = await this.#watch(this.#table.readAll(toSql), false);
    return rows.map(([column, prefix, value]) => {
      const name = toName(column);
      const period = prefix === '0' ? {} : { prefix: Number(prefix) };
      if (BigInt(value) >= 0n) return { name, kind: KIND, next: BigInt(value) + 1n, ...period };
      return { name, kind: KIND, next: undefined, ...period, problem: this.#problem(name, prefix, value) };
    });
  }

  /**
   * Moves a counter up, on a connection of the store's own: it waits for transactions that hold the row.
   * Resolves to the next number, or to undefined if there is no counter and `make` is false.
   */
  async advance({ name, prefix = 0, next, make, restore }) {
    const last = BigInt(next) - 1n;
    const key = this.#table.is({ kind: KIND, name, prefix });
    for (let round = 0; round < MOST_ROUNDS; ++round) {
      const value = await this.#watch(this.#read(key), false);
      if (value === null) {
        if (!make) return undefined;
        const row = { value: last, returnedTo: 'NULL', fields: FIELDS };
        if (await this.#watch(this.#table.insert({ kind: KIND, name, prefix }, row), true)) return next;
        continue;
      }
      if (BigInt(value) < 0n && !restore) throw this.#damaged(name, prefix, value);
      if (BigInt(value) >= last) return BigInt(value) + 1n;
      const toSql = (table) => `UPDATE ${table} SET value = ${last} ` +
        `WHERE ${key} AND value < ${last} AND ${this.#dialect.guard}`;
      if ((await this.#watch(this.#table.query(toSql), true)).count === 1) return next;
    }
    const message = messageOf(`the counter of ${show(name)} was changed by others at each of ` +
      `${MOST_ROUNDS} tries`, 'one try without another change', 'try again');
    throw new NextIdError(message, { code: 'ERR_NEXTID_STORE_UNAVAILABLE' });
  }

  async #read(key) {
    const { number, settings, refuse } = this.#dialect;
    const columns = [number('value'), ...settings].join(', ');
    const toSql = (table) => `SELECT ${columns} FROM (SELECT 1 AS one) AS one LEFT JOIN ${table} ON ${key}`;
    const { rows: [[value, ...found]] } = await this.#table.query(toSql);
    refuse(found);
    return value;
  }

  async #located() {
    this.#place ??= this.#driver.locate(this.#table.query, this.#schema);
    try {
      return await this.#place;
    } catch (error) {
      this.#place = undefined;
      throw error;
    }
  }

  // The caller's transaction may hold the only connection of the pool.
  async #locatedInTime(name) {
    try {
      return await this.#located();
    } catch (error) {
      const cause = this.#errorOf(error, false);
      const message = messageOf(`the table of ${show(name)} could not be checked (${cause.message})`,
        'a connection of the store beside that of the transaction',
        'call ready() of the sequence before the first transaction');
      throw new NextIdError(message, { code: cause.code, cause: error });
    }
  }

  #row(name, prefix) {
    const { text } = this.#dialect;
    return {
      is: this.#table.is({ kind: KIND, name, prefix }),
      columns: 'kind, name, prefix, value, fields',
      values: (value) => [text(KIND), text(name), prefix, value, text(FIELDS)].join(', '),
    };
  }

  #valueOf(row, { table }) {
    return `SELECT ${this.#dialect.number('value')} FROM ${table} WHERE ${row.is}`;
  }

  async #watch(promise, isWrite) {
    try {
      return await promise;
    } catch (error) {
      throw this.#errorOf(error, isWrite);
    }
  }

  #errorOf(error, isWrite) {
    if (error instanceof NextIdError) return error;
    const { code, message } = this.#table.failureOf(error, isWrite);
    return new NextIdError(message, { code, cause: error });
  }

  // Of the statement in the caller's transaction.
  #failed(name, error) {
    const { code, said } = this.#table.failureOf(error, true);
    const message = messageOf(`no number of ${show(name)} could be taken in the transaction (${said})`,
      ...this.#remedyOf(error));
    const isFinal = code !== 'ERR_NEXTID_STORE_UNAVAILABLE';
    return new NextIdError(message, { code: isFinal ? code : 'ERR_NEXTID_TRANSACTION_FAILED', cause: error });
  }

  // What was expected, and what to do.
  #remedyOf(error) {
    if (this.#driver.isReadOnly(error)) {
      return ['a transaction that may write', 'roll it back, and begin one without READ ONLY'];
    }
    if (this.#driver.isClosed(error)) {
      return ['an open connection', 'run the transaction again from its beginning, on another connection'];
    }
    return ['an answer of the database', 'roll the transaction back, and run it again from its beginning'];
  }

  // Somebody may have dropped the table and made it again elsewhere: the next call looks for it.
  #elsewhere(name, cause) {
    this.#place = undefined;
    this.#table.forget();
    const message = messageOf('the connection of the transaction is to a database without the table ' +
      `${this.#table.name} of ${this.#table.shown}, where the counter of ${show(name)} is`,
    'a transaction in the database of the store', 'no number was taken');
    return new NextIdError(message, { code: 'ERR_NEXTID_STORE_INVALID', cause });
  }

  #unfit(name, prefix, { rows: [[value] = ['0']] }) {
    if (BigInt(value) < 0n) return this.#damaged(name, prefix, value);
    const message = messageOf(`the counter of ${show(name)} is at ${value}, and has too few numbers left`,
      `ids up to ${LARGEST}`, 'no number was taken');
    return new NextIdError(message, { code: 'ERR_NEXTID_ID_OVERFLOW' });
  }

  #damaged(name, prefix, value) {
    return new NextIdError(this.#problem(name, prefix, value), { code: 'ERR_NEXTID_COUNTER_INVALID' });
  }

  #problem(name, prefix, value) {
    const flags = Number(prefix) === 0 ? '--gapless' : `--gapless --prefix ${prefix}`;
    return messageOf(`the gapless counter ${show(name)} in the table ${this.#table.name} of ` +
      `${this.#table.shown} holds ${value}`, `a number from 0 to ${LARGEST}`,
    `with N = 1 + the last number in use, run 'npx nextid advance NAME N ${flags} --restore'`);
  }
}

function outside(name) {
  const message = messageOf(`no number of ${show(name)} was taken, because no transaction is open on the ` +
    'connection', 'one that also writes the row with the id', 'begin a transaction first');
  return new NextIdError(message, { code: 'ERR_NEXTID_NO_TRANSACTION' });
}

module.exports = { ELSEWHERE, GaplessRows, OUTSIDE };
