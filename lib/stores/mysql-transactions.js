'use strict';

// How gapless numbers are taken in a transaction of MySQL or MariaDB: a driver of gapless-rows.js.

const { NextIdError, messageOf, wrongType, wrongValue } = require('../errors');
const { OUTSIDE } = require('./gapless-rows');

const WHAT = "the option 'transaction'";
const EXPECTED = 'a connection of mysql2, as pool.getConnection() gives it';
const NO_SUCH_TABLE = 1146;
const NO_SUCH_DATABASE = 1049;
const READ_ONLY = 1792;
const CLOSED = /in closed state/; // in messages of mysql2

// Bits of the server's status, which comes with each answer.
const IN_TRANSACTION = 1;
const AUTOCOMMIT = 2;

const isFunction = (value) => typeof value === 'function';
// Without autocommit, each statement is in a transaction.
const isOpen = (status) => (status & IN_TRANSACTION) !== 0 || (status & AUTOCOMMIT) === 0;

/** The driver; `dialect` is that of mysql.js. */
function mysqlTransactions({ quote }) {
  return {
    // By its database, because the caller may use another.
    async locate(query, schema) {
      let table;
      const { rows: [[database]] } = await query((name) => {
        table = name;
        return 'SELECT DATABASE()';
      });
      return { table: schema === undefined ? `${quote(database)}.${table}` : table };
    },

    connectionOf,

    async take(query, { table }, { columns, values }, { first, n, most }) {
      if (!isOpen((await query('DO 0')).serverStatus)) return OUTSIDE;
      // What LAST_INSERT_ID() got last comes with the answer: 0, which is false, if the value stays.
      const sql = `INSERT INTO ${table} (${columns}) VALUES (${values(`LAST_INSERT_ID(${first})`)}) ` +
        `ON DUPLICATE KEY UPDATE value = IF(value BETWEEN 0 AND ${most}, LAST_INSERT_ID(value + ${n}), ` +
        'IF(LAST_INSERT_ID(0), 0, value))';
      const { insertId, serverStatus } = await query(sql);
      if (Number(insertId) === 0) return undefined;
      if (!isOpen(serverStatus)) throw ended(insertId);
      return String(insertId);
    },

    isMissing: ({ errno }) => errno === NO_SUCH_TABLE || errno === NO_SUCH_DATABASE,
    isReadOnly: ({ errno }) => errno === READ_ONLY,
    isClosed: ({ message }) => CLOSED.test(message),
  };
}

function connectionOf(given) {
  if (!isFunction(given?.query)) throw wrongType(WHAT, EXPECTED, given);
  if (isFunction(given.getConnection)) {
    throw wrongValue(`${WHAT} is a pool, whose statements run on any of its connections`, EXPECTED,
      'take one from pool.getConnection(), and begin a transaction on it');
  }
  const own = given.connection ?? given; // that of mysql2/promise is a shell around one
  if (!isFunction(own.beginTransaction) || !isFunction(own.promise)) throw wrongType(WHAT, EXPECTED, given);
  return (sql) => new Promise((resolve, reject) => {
    const typeCast = (field) => field.string();
    own.query({ sql, rowsAsArray: true, typeCast }, (error, result) => {
      if (error) reject(error);
      else resolve(Array.isArray(result) ? { rows: result } : result);
    });
  });
}

// The caller ended it without waiting for nextId().
function ended(last) {
  const message = messageOf(`the transaction had ended when the number ${last} was taken, which is lost`,
    'nextId() to be awaited', 'await it before commit() and rollback()');
  return new NextIdError(message, { code: 'ERR_NEXTID_NO_TRANSACTION' });
}

module.exports = { mysqlTransactions };
