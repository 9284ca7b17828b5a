'use strict';

// The store in MySQL or MariaDB, through the package mysql2: by a URL, or by a pool that the service already
// has.

const { toDriverName } = require('../bridge');
const { wrongValue } = require('../errors');
const { ofProject } = require('../project-package');
const { gaplessRows } = require('../symbols');
const { withoutPasswords } = require('./custom');
const { GaplessRows } = require('./gapless-rows');
const { mysqlTransactions } = require('./mysql-transactions');
const { OwnPool, SharedPool, answerTime, connection, within } = require('./pools');
const { SqlTable, invalid, schemaCommand, tableName, unavailable } = require('./sql-table');
const { readSqlUrl, refuseSingle } = require('./sql-url');

const NO_SUCH_TABLE = 1146;
const TABLE_EXISTS = 1050;
const DUPLICATE_KEY = 1062;
const DENIED = [1142, 1044];
const IN_TRANSACTION = 1; // a bit of the server's status
const LARGEST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

const isFunction = (value) => typeof value === 'function';
// Of mysql2, or of mysql2/promise.
const isPool = (object) => isFunction(object.getConnection) && isFunction(object.query);
const isConnection = (object) => isFunction(object.beginTransaction) && isFunction(object.query);

function accepts(source) {
  return isPool(source) || isConnection(source);
}

function parse(source) {
  if (typeof source === 'string') return parseUrl(source);
  const expected = 'a pool, as in open(mysql.createPool(…))';
  if (isConnection(source)) refuseSingle('a connection of the package mysql2', expected);
  const pool = source.pool ?? source;
  if (!isFunction(pool.promise)) {
    throw wrongValue('the store is a pool of another package than mysql2', 'a pool of mysql2',
      'run npm install mysql2');
  }
  return { store: 'mysql', source: pool, shown: shownAs(pool) };
}

function parseUrl(url) {
  const { shown, driverUrl, table, schema } = readSqlUrl(url, 'MySQL');
  return { store: 'mysql', shown, driverUrl: driverUrl.replace(/^mariadb:/, 'mysql:'), table, schema };
}

function connect({ source, driverUrl, ...parsed }, { maxConcurrentRefills, table, schema }) {
  const options = { table, schema, ...parsed };
  const sql = dialectOf({ source, driverUrl, ...options }, maxConcurrentRefills);
  if (source !== undefined) options.schema ??= databaseOf(source);
  const sqlTable = new SqlTable(sql, options);
  const store = require('./ruled-store').openTable(sqlTable, maxConcurrentRefills);
  store[gaplessRows] = new GaplessRows(mysqlTransactions(sql), sql, sqlTable, options.schema);
  return store;
}

// The service may choose another for one of its connections.
function databaseOf({ config: { connectionConfig: { database } } }) {
  if (database) return database;
  throw wrongValue('the pool of mysql2 names no database', "its option 'database'",
    "or pass the option 'schema' to open()");
}

/** Of what parse() returned, with a pool of `max` connections unless that is the service's own. */
function dialectOf({ source, driverUrl, ...place }, max) {
  const facts = { isOwn: source === undefined, printed: schemaCommand('mysql', place) };
  const pool = facts.isOwn ? ownPool(driverUrl, max) : new SharedPool(source);
  return dialect(new Database(pool), facts);
}

function ownPool(uri, connectionLimit) {
  const mysql = ofProject('mysql2', 3, 'for mysql: URLs');
  const connections = new WeakMap(); // of a pool, those that are open
  const make = () => {
    const pool = mysql.createPool({
      uri, connectionLimit, connectTimeout: answerTime(), enableKeepAlive: true,
    });
    const open = new Set();
    pool.on('connection', (own) => {
      open.add(own);
      own.on('end', () => open.delete(own)).on('error', () => {});
    });
    connections.set(pool, open);
    return pool;
  };
  const end = (pool) => new Promise((resolve, reject) => {
    pool.end((error) => (error ? reject(error) : resolve()));
  });
  const cut = (pool) => {
    for (const own of connections.get(pool)) own.destroy();
  };
  return new OwnPool({ make, end, cut });
}

function shownAs({ config: { connectionConfig: { host, port, socketPath, database } } }) {
  return `mysql://${socketPath ?? `${host}:${port}`}${database ? `/${database}` : ''}`;
}

class Database {
  #pool;

  constructor(pool) {
    this.#pool = pool;
  }

  query(sql, { time = answerTime(), accept = () => {} } = {}) {
    return this.#pool.use(async (pool) => {
      const own = await connection(connectionOf(pool), (late) => late.release());
      try {
        const result = await within(time, send(own, sql));
        if (Array.isArray(result)) {
          accept(result);
          own.release();
          return { rows: result };
        }
        const { affectedRows: count, insertId: lastId, serverStatus } = result;
        if (serverStatus & IN_TRANSACTION) {
          // Somebody left it open. What was written is not there before a commit, and may never be.
          if (count > 0) throw new Error('a transaction was open');
          own.destroy();
        } else {
          own.release();
        }
        return { count, lastId };
      } catch (error) {
        if (hasAnswered(error)) own.release();
        else own.destroy(); // ends what it was doing
        throw error;
      }
    });
  }

  close() {
    return this.#pool.close();
  }
}

function connectionOf(pool) {
  return new Promise((resolve, reject) => {
    pool.getConnection((error, own) => (error ? reject(error) : resolve(own)));
  });
}

function send(own, sql) {
  return new Promise((resolve, reject) => {
    const typeCast = (field) => field.string();
    own.query({ sql, rowsAsArray: true, typeCast }, (error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
}

const hasAnswered = ({ sqlState }) => sqlState !== undefined;

const quote = (name) => `\`${name.replaceAll('`', '``')}\``;
// As bytes, the same whatever the modes and the character set of the connection are.
const text = (value) => (value === '' ? "''" : `X'${Buffer.from(value).toString('hex')}'`);

function schemaOf(table) {
  return `CREATE TABLE IF NOT EXISTS ${table} (
  kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name VARBINARY(255) NOT NULL,
  prefix INT NOT NULL,
  value BIGINT NOT NULL,
  returned_to BIGINT,
  fields TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (kind, name, prefix)
) ENGINE=InnoDB`;
}

// With a binary log, a commit is as durable as that. From a log of statements, a replica would judge the
// guard again by its own settings, and might leave out what was done here.
const GUARD = '@@autocommit = 1 AND @@read_only = 0 AND @@innodb_flush_log_at_trx_commit IN (1, 3) AND ' +
  "(@@log_bin = 0 OR (@@sync_binlog = 1 AND @@binlog_format <> 'STATEMENT'))";
const SETTINGS = ['@@autocommit', '@@innodb_flush_log_at_trx_commit', '@@read_only', '@@log_bin',
  '@@sync_binlog', '@@binlog_format'];

function dialect(database, facts) {
  const { printed } = facts;
  return {
    database, quote, text,
    number: (sql) => `CAST(${sql} AS CHAR)`,
    nameOut: 'HEX(name)',
    toName: (hex) => Buffer.from(hex, 'hex').toString(),
    guard: GUARD,
    ofNow: ' LOCK IN SHARE MODE',
    settings: SETTINGS,
    refuse,
    now: "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
    async add(table, by, where) {
      // A larger one would be rounded on its way here.
      const exact = `value <= ${LARGEST_EXACT - BigInt(by)}`;
      const sql = `UPDATE ${table} SET value = LAST_INSERT_ID(value + ${by}) WHERE ${where} AND ${exact}`;
      const { count, lastId } = await database.query(sql);
      return count === 1 ? String(lastId) : undefined;
    },
    async insert(table, columns, values) {
      try {
        const sql = `INSERT INTO ${table} (${columns}) SELECT ${values} FROM DUAL WHERE ${GUARD}`;
        return (await database.query(sql)).count === 1;
      } catch (error) {
        if (error.errno === DUPLICATE_KEY) return false;
        throw error;
      }
    },
    missing: ({ errno }) => errno === NO_SUCH_TABLE,
    check: (table, shown, mayMake) => check(database, table, { shown, mayMake, printed }),
    failureOf: (error, isWrite, shown) => failureOf(error, isWrite, shown, facts),
  };
}

function refuse([autocommit, flush, isReadOnly, hasLog, syncs, format]) {
  if (autocommit !== '1') {
    throw invalid('autocommit is off in the connections of the pool, so reservations are not committed',
      'autocommit on', "remove 'SET autocommit = 0', or give nextid a pool of its own");
  }
  if (flush !== '1' && flush !== '3') throw weak('innodb_flush_log_at_trx_commit', flush, '1');
  if (hasLog === '1' && syncs !== '1') throw weak('sync_binlog', syncs, '1');
  if (hasLog === '1' && format === 'STATEMENT') throw weak('binlog_format', format, 'ROW');
  if (isReadOnly !== '0') {
    throw unavailable('the MySQL server is read-only', 'the primary', 'connect to the primary');
  }
}

function weak(name, value, expected) {
  return invalid(`${name} is ${value}, so a confirmed reservation can be lost and its ids given again`,
    expected, `run SET GLOBAL ${name} = ${expected} on the server`);
}

async function check(database, table, { shown, mayMake, printed }) {
  let found;
  try {
    found = await database.query(`SHOW CREATE TABLE ${table}`);
  } catch (error) {
    if (error.errno !== NO_SUCH_TABLE) throw error;
    if (!mayMake) return undefined;
    await make(database, table, shown, printed);
    found = await database.query(`SHOW CREATE TABLE ${table}`);
  }
  const made = found.rows[0][1].replaceAll('"', '`'); // by sql_mode
  if (!made.startsWith('CREATE TABLE')) {
    throw invalid(`the table ${table} of this connection is a temporary one, or a view`,
      'a table that is kept', 'drop it, or choose another table');
  }
  if (!/\) ENGINE=InnoDB\b/i.test(made)) {
    throw invalid(`the table ${table} is not of the engine InnoDB`, 'one that a crash does not damage',
      `run ALTER TABLE ${table} ENGINE = InnoDB`);
  }
  if (!/(PRIMARY|UNIQUE) KEY [^(]*\(`kind`,`name`,`prefix`\)/i.test(made)) {
    throw invalid(`the table ${table} has no primary key (kind, name, prefix)`, 'one row for each counter',
      `make it by the statement that ${printed} prints`);
  }
  if (!/`value` bigint(\(\d+\))? NOT NULL/i.test(made)) {
    throw invalid(`the column value of the table ${table} is not BIGINT NOT NULL`,
      'one that takes all numbers', `make the table by the statement that ${printed} prints`);
  }
  return table;
}

async function make(database, table, shown, printed) {
  try {
    await database.query(schemaOf(table));
  } catch (error) {
    if (error.errno === TABLE_EXISTS) return;
    if (!DENIED.includes(error.errno)) throw error;
    throw invalid(`there is no table ${table} in ${shown}, and the user of the connection may not make it ` +
      `(${error.message})`, 'the table', `have it made by the statement that ${printed} prints`);
  }
}

// Numbers of errors of MySQL and MariaDB.
const REFUSES_LOGIN = new Set([1045, 1130, 1396, 1698, 3118, 4151]);
const DENIES_ACCESS = new Set([1044, 1142, 1143, 1227]);
const NO_DATABASE = 1049;
const NO_USE_WAITING = new Set([1046, 1054, 1064, 1264, 1364, 1366, 1406, 1690]);
// The server refused before it changed anything.
const UNTOUCHED = new Set([1040, 1146, 1203, 1205, 1213, 1226, 1290, 1792, 1836, 1969, 3024]);
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
const NO_TLS = 'HANDSHAKE_NO_SSL_SUPPORT';
const POOL_ENDED = 'Pool is closed.';

function failureOf(error, isWrite, shown, facts) {
  const said = withoutPasswords(String(error.message || error.code || error));
  const number = hasAnswered(error) && Number.isSafeInteger(error.errno) ? error.errno : 0;
  const [code, errorClass, problem, expected, remedy] = sort(error, number, isWrite, facts);
  return {
    code: `ERR_NEXTID_${code}`, class: errorClass, name: toDriverName('MySqlError', error.code),
    said, number,
    message: `MySQL at ${shown} ${problem} (${said}): expected ${expected}; ${remedy}`,
  };
}

function sort({ code, errno, message, isUnsent }, number, isWrite, { isOwn, printed }) {
  if (REFUSES_LOGIN.has(errno)) {
    return ['ACCESS_DENIED', 'final', 'denied access', 'the right user and password',
      'check them, and whether the user may log in from here'];
  }
  if (DENIES_ACCESS.has(errno)) {
    return ['ACCESS_DENIED', 'final', 'denied access', 'a user who may select, insert, update and delete',
      'check the user and its rights'];
  }
  if (errno === NO_DATABASE) {
    return ['STORE_INVALID', 'final', 'cannot keep a counter', 'a database that exists',
      'check its name, or create it'];
  }
  if (code === NO_TLS) {
    return ['STORE_INVALID', 'final', 'cannot be reached', 'a server with TLS',
      'enable TLS there, or switch it off here'];
  }
  if (message === POOL_ENDED) {
    return ['STORE_INVALID', 'final', 'cannot be reached', 'a pool that is open',
      'close the store before the pool'];
  }
  if (NO_USE_WAITING.has(errno)) {
    return ['STORE_INVALID', 'final', 'cannot keep a counter', `the table that ${printed} prints`,
      'check the database and the table'];
  }
  if (isUnsent || UNSENT.has(code)) {
    return ['STORE_UNAVAILABLE', 'passing', 'cannot be reached', 'a connection',
      `check its host and port, and that it is running${isOwn ? '' : ' and the pool has connections'}`];
  }
  if (!isWrite || UNTOUCHED.has(number)) {
    return ['STORE_UNAVAILABLE', 'passing', 'cannot serve just now', 'an answer', 'trying again may help'];
  }
  return ['STORE_UNAVAILABLE', 'doubtful', 'may or may not have made a change', 'an answer',
    'no number of that request is used'];
}

module.exports = {
  name: 'mysql', schemes: ['mysql', 'mariadb'], example: 'mysql://host/database',
  usage: 'mysql://HOST/DATABASE', options: ['table', 'schema'], takes: ['a pool of mysql2'],
  gapless: ['MySQL', 'MariaDB'],
  accepts, parse, connect, dialectOf, schemaOf: (place) => schemaOf(tableName(quote, place)),
};
