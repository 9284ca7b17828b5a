'use strict';

// How gapless numbers are taken in a transaction of PostgreSQL: a driver of gapless-rows.js.

const { wrongType, wrongValue } = require('../errors');
const { ELSEWHERE, OUTSIDE } = require('./gapless-rows');

const WHAT = "the option 'transaction'";
const EXPECTED = 'a client of pg, as pool.connect() gives it, or the sql that sql.begin() passes on';
const UNDEFINED_TABLE = '42P01';
const INVALID_SCHEMA = '3F000';
const READ_ONLY = '25006';
const CLOSED = /is not queryable|CONNECTION_(ENDED|DESTROYED|CLOSED)/; // in messages of the drivers

// Why this is true in a transaction only: now() is when the transaction began, and statement_timestamp() when
// the server received the last message. In the simple protocol (no parameters, no name), a statement is one
// message; outside of a transaction it begins its own with it, so the two are the same. In the extended
// protocol they would differ, because each of its messages sets the latter.
const IS_OPEN = 'pg_catalog.now() <> pg_catalog.statement_timestamp()';

const isFunction = (value) => typeof value === 'function';
// Of pg, or of pg-native. Connections of other packages have query() and connect() too.
const isClient = (given) => (
  isFunction(given?.query) && isFunction(given.connect) && ('processID' in given || 'native' in given));
// It would keep statements until somebody connects it.
const isUnconnected = ({ _connected: isConnected, _connecting: isConnecting, _ended: hasEnded }) => (
  isConnected === false && (isConnecting !== true || hasEnded === true));

/** The driver; `dialect` is that of postgres.js. */
function postgresTransactions({ text }) {
  return {
    async locate(query) {
      let full;
      const { rows: [[database]] } = await query((table) => {
        full = table;
        return 'SELECT current_database()';
      });
      return { table: full, isHere: `current_database() = ${text(database)}` };
    },

    connectionOf,

    async take(query, { table, isHere }, { columns, values }, { first, n, most }) {
      // Without a row to insert, there is no conflict either.
      const sql = `INSERT INTO ${table} AS c (${columns}) SELECT ${values(first)} ` +
        `WHERE ${IS_OPEN} AND ${isHere} ` +
        `ON CONFLICT (kind, name, prefix) DO UPDATE SET value = c.value + ${n} ` +
        `WHERE c.value BETWEEN 0 AND ${most} RETURNING c.value::text`;
      const { rows: [taken] } = await query(sql);
      if (taken !== undefined) return taken[0];
      const { rows: [[isOpen, isSame]] } = await query(`SELECT (${IS_OPEN})::text, (${isHere})::text`);
      if (isOpen !== 'true') return OUTSIDE;
      return isSame === 'true' ? undefined : ELSEWHERE;
    },

    isMissing: ({ code }) => code === UNDEFINED_TABLE || code === INVALID_SCHEMA,
    isReadOnly: ({ code }) => code === READ_ONLY,
    isClosed: ({ message }) => CLOSED.test(message),
  };
}

function connectionOf(given) {
  if (isFunction(given?.unsafe)) {
    if (isFunction(given.begin)) {
      throw wrongValue(`${WHAT} is the sql of all connections`, EXPECTED,
        'pass the sql that is the argument of the function');
    }
    return async (sql) => ({ rows: [...await given.unsafe(sql).values()] });
  }
  if (isFunction(given?.query) && isFunction(given.connect) && 'totalCount' in given) {
    throw wrongValue(`${WHAT} is a Pool, whose statements run on any of its connections`, EXPECTED,
      'take a client from pool.connect(), and begin a transaction on it');
  }
  if (!isClient(given)) throw wrongType(WHAT, EXPECTED, given);
  if (isUnconnected(given)) {
    throw wrongValue(`${WHAT} is a client of pg that is not connected`, EXPECTED,
      'await client.connect(), and begin a transaction on it');
  }
  return (sql) => given.query({ text: sql, rowMode: 'array' });
}

module.exports = { postgresTransactions };
