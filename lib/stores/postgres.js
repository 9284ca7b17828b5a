'use strict';

// The store in PostgreSQL, through the package pg, or through a connection that the service already has: a
// Pool of pg, or the `sql` of the package postgres.

const { toDriverName } = require('../bridge');
const { ofProject } = require('../project-package');
const { gaplessRows } = require('../symbols');
const { withoutPasswords } = require('./custom');
const { GaplessRows } = require('./gapless-rows');
const { OwnPool, SharedPool, answerTime, connection, within } = require('./pools');
const { postgresTransactions } = require('./postgres-transactions');
const { SqlTable, invalid, schemaCommand, tableName, unavailable } = require('./sql-table');
const { readSqlUrl, refuseSingle } = require('./sql-url');

const UNDEFINED_TABLE = '42P01';
const INSUFFICIENT_PRIVILEGE = '42501';
const DUPLICATE_TABLE = ['23505', '42710', '42P07']; // where several make it at once
const WARNING = '01000';

const isFunction = (value) => typeof value === 'function';
const isPool = (object) => isFunction(object.connect) && isFunction(object.query) && 'totalCount' in object;
const isClient = (object) => isFunction(object.connect) && isFunction(object.query) && 'processID' in object;
const isSql = (object) => isFunction(object) && isFunction(object.unsafe);

function accepts(source) {
  return isPool(source) || isClient(source) || isSql(source);
}

function parse(source) {
  if (typeof source === 'string') return parseUrl(source);
  if (isClient(source)) refuseSingle('a Client of the package pg', 'a Pool, as in open(new pg.Pool())');
  if (isSql(source) && !isFunction(source.begin)) {
    refuseSingle('the sql of one transaction or of one connection', 'the sql that postgres() returned');
  }
  return { store: 'postgres', source, shown: shownAs(source) };
}

function parseUrl(url) {
  const { shown, driverUrl, table, schema } = readSqlUrl(url, 'PostgreSQL');
  return { store: 'postgres', shown, driverUrl, table, schema };
}

function connect({ source, driverUrl, ...parsed }, { maxConcurrentRefills, table, schema }) {
  const options = { table, schema, ...parsed };
  const sql = dialectOf({ source, driverUrl, ...options }, maxConcurrentRefills);
  const sqlTable = new SqlTable(sql, options);
  const store = require('./ruled-store').openTable(sqlTable, maxConcurrentRefills);
  store[gaplessRows] = new GaplessRows(postgresTransactions(sql), sql, sqlTable, options.schema);
  return store;
}

/** Of what parse() returned, with a pool of `max` connections unless that is the service's own. */
function dialectOf({ source, driverUrl, ...place }, max) {
  const facts = {
    isOwn: source === undefined, hasSchema: place.schema !== undefined,
    printed: schemaCommand('postgres', place),
  };
  if (facts.isOwn) return dialect(ownDatabase(driverUrl, max), facts);
  return dialect(isSql(source) ? new SqlDatabase(source) : new PoolDatabase(new SharedPool(source)), facts);
}

function ownDatabase(connectionString, max) {
  const { Client, Pool } = ofProject('pg', 8, 'for postgres: URLs');
  const clients = new WeakMap(); // of a pool, those that are open
  const make = () => {
    const open = new Set();
    // The pool forgets those that cannot log in, whose connections the server may keep for a minute.
    class OpenClient extends Client {
      constructor(options) {
        super(options);
        open.add(this);
        this.once('end', () => open.delete(this));
      }
    }
    const pool = new Pool({
      connectionString, max, connectionTimeoutMillis: answerTime(), keepAlive: true,
      application_name: 'nextid', Client: OpenClient,
    });
    pool.on('error', () => {}); // of an idle connection
    clients.set(pool, open);
    return pool;
  };
  const cut = (pool) => {
    for (const { connection: { stream } } of clients.get(pool)) stream.destroy();
  };
  return new PoolDatabase(new OwnPool({ make, end: (pool) => pool.end(), cut }));
}

function shownAs(source) {
  const { host, port, database, connectionString } = source.options;
  if (connectionString) return shownUrl(connectionString);
  const hosts = [host ?? 'localhost'].flat();
  const ports = [port ?? 5432].flat();
  const shown = hosts.map((name, i) => `${name}:${ports[i] ?? ports[0]}`).join(',');
  return `postgres://${shown}${database ? `/${database}` : ''}`;
}

// A pool may have what is refused in a URL of nextid's own, such as one without a database.
function shownUrl(connectionString) {
  try {
    return readSqlUrl(connectionString, 'PostgreSQL').shown;
  } catch {
    return 'a Pool of pg';
  }
}

// Whatever parsers the service has set for its own queries.
const TEXTS = { getTypeParser: () => String };

class PoolDatabase {
  #pool;

  constructor(pool) {
    this.#pool = pool;
  }

  query(sql, { time = answerTime(), accept = () => {} } = {}) {
    return this.#pool.use(async (pool) => {
      const client = await connection(pool.connect(), (late) => late.release());
      let warning;
      const onNotice = (notice) => {
        if (notice.code === WARNING) warning = notice;
      };
      const onError = () => {}; // without one, a lost connection would end the process; the query rejects too
      client.on('notice', onNotice).on('error', onError);
      let failure;
      try {
        const { rows, rowCount } =
          await within(time, client.query({ text: sql, rowMode: 'array', types: TEXTS }));
        // A commit that a standby has not confirmed, because somebody cancelled the wait for it.
        if (warning !== undefined) throw new Error(warning.message);
        accept(rows);
        return { rows, count: rowCount };
      } catch (error) {
        failure = error; // closes the connection, and ends what it was doing
        throw error;
      } finally {
        client.removeListener('notice', onNotice);
        client.release(failure);
        if (failure === undefined) client.removeListener('error', onError);
      }
    });
  }

  close() {
    return this.#pool.close();
  }
}

class SqlDatabase {
  hidesWarnings = true;
  #sql;

  constructor(sql) {
    this.#sql = sql;
  }

  async query(sql, { time = answerTime(), accept = () => {} } = {}) {
    const rows = await within(time, this.#sql.unsafe(sql).values());
    accept(rows);
    return { rows: [...rows], count: rows.count };
  }

  async close() {}
}

const quote = (name) => `"${name.replaceAll('"', '""')}"`;
// With E, a backslash means the same whatever standard_conforming_strings is; and an escape means the same
// letter whatever client_encoding is.
const text = (value) => `E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")
  .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}'`;

const SYNCHRONOUS = "pg_catalog.current_setting('synchronous_commit')";
const STANDBYS = "pg_catalog.current_setting('synchronous_standby_names')";
// In one message of its own, a statement and its transaction begin at the same time.
const IS_ALONE = 'pg_catalog.now() = pg_catalog.statement_timestamp()';

function schemaOf(table) {
  return `CREATE TABLE IF NOT EXISTS ${table} (
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  prefix integer NOT NULL,
  value bigint NOT NULL,
  returned_to bigint,
  fields text NOT NULL,
  PRIMARY KEY (kind, name, prefix)
)`;
}

const GUARD = `${SYNCHRONOUS} <> 'off' AND (${SYNCHRONOUS} <> 'local' OR ${STANDBYS} = '') AND ${IS_ALONE}`;

function dialect(database, facts) {
  const guard = database.hidesWarnings ? `${GUARD} AND ${STANDBYS} = ''` : GUARD;
  return {
    database, quote, text,
    number: (sql) => `(${sql})::text`,
    nameOut: 'name',
    toName: (name) => name,
    guard,
    ofNow: '', // refuse() does that
    settings: [SYNCHRONOUS, STANDBYS, `(${IS_ALONE})::text`, 'pg_is_in_recovery()::text'],
    refuse: (settings) => refuse(settings, database),
    now: '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint',
    async add(table, by, where) {
      const sql = `UPDATE ${table} SET value = value + ${by} WHERE ${where} RETURNING value::text`;
      return (await database.query(sql)).rows[0]?.[0];
    },
    async insert(table, columns, values) {
      const sql = `INSERT INTO ${table} (${columns}) SELECT ${values} WHERE ${guard} ` +
        'ON CONFLICT (kind, name, prefix) DO NOTHING';
      return (await database.query(sql)).count === 1;
    },
    missing: ({ code }) => code === UNDEFINED_TABLE,
    check: (table, shown, mayMake) => check(database, table, { ...facts, shown, mayMake }),
    failureOf: (error, isWrite, shown) => failureOf(error, isWrite, shown, facts),
  };
}

function refuse([synchronous, standbys, isAlone, isStandby], { hidesWarnings }) {
  if (synchronous === 'off' || (synchronous === 'local' && standbys !== '')) {
    throw invalid(`synchronous_commit is ${synchronous} in PostgreSQL, so a confirmed reservation can be ` +
      'lost and its ids given again', 'on',
    'run ALTER ROLE … SET synchronous_commit = on for the role of the connection');
  }
  if (hidesWarnings && standbys !== '') {
    throw invalid('the sql of the package postgres does not tell when a commit was not confirmed by the ' +
      'standbys (synchronous_standby_names), and could then be lost', 'a Pool of pg, or a postgres: URL',
    'open the store with one of them');
  }
  if (isStandby === 'true') {
    throw unavailable('the PostgreSQL server is a standby', 'the primary', 'connect to the primary');
  }
  if (isAlone !== 'true') {
    throw unavailable('a connection of the pool is in a transaction that nobody has ended',
      'connections without one', 'end transactions before release()');
  }
}

// Of a table in `pg_class AS c`.
const HAS_KEY = `EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid
  AND i.indimmediate AND i.indpred IS NULL AND ARRAY['kind', 'name', 'prefix'] = ARRAY(
    SELECT a.attname::text FROM unnest(i.indkey::smallint[]) AS k
    LEFT JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k ORDER BY 1))`;
// SET search_path on one connection would make the table another one there.
const IS_PATH_KEPT = "(SELECT setting = reset_val FROM pg_settings WHERE name = 'search_path')";

// The table may be made by hand, or by the first instance.
async function check(database, table, { shown, mayMake, hasSchema, printed }) {
  const find = 'SELECT n.nspname::text, c.relname::text, c.relkind::text, c.relpersistence::text, ' +
    `(${HAS_KEY})::text, (${IS_PATH_KEPT})::text, current_setting('fsync') ` +
    'FROM (SELECT 1) AS one ' +
    `LEFT JOIN pg_class AS c ON c.oid = to_regclass(${text(table)}) ` +
    'LEFT JOIN pg_namespace AS n ON n.oid = c.relnamespace';
  let { rows: [found] } = await database.query(find);
  if (!hasSchema && found[5] === 'false') {
    throw invalid('the search_path of a connection of the pool was changed, so each connection could have ' +
      'another table', 'one table', "pass the option 'schema' to open()");
  }
  if (found[0] === null) {
    if (!mayMake) return undefined;
    await make(database, table, shown, printed);
    ({ rows: [found] } = await database.query(find));
  }
  const [schema, name, kind, persistence, hasKey, , fsync] = found;
  if (schema === null) throw unavailable(`the table ${table} was dropped`, 'the table', 'try again');
  if (persistence === 'u' || persistence === 't') {
    throw invalid(`the table ${table} is ${persistence === 'u' ? 'UNLOGGED' : 'TEMPORARY'}, so a crash ` +
      'empties it and the same ids are given again', 'a table that is kept',
    'run ALTER TABLE … SET LOGGED, or choose another table');
  }
  if (kind !== 'r' || hasKey !== 'true') {
    throw invalid(`${table} is no table with the primary key (kind, name, prefix)`,
      'one row for each counter', `make it by the statement that ${printed} prints`);
  }
  if (fsync === 'off') {
    require('../warnings').warnOnce('NEXTID_WEAK_DURABILITY',
      `fsync is off in ${shown}: after a power cut, the same ids are given again`);
  }
  return `${quote(schema)}.${quote(name)}`;
}

async function make(database, table, shown, printed) {
  try {
    await database.query(schemaOf(table));
  } catch (error) {
    if (DUPLICATE_TABLE.includes(error.code)) return;
    if (error.code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw invalid(`there is no table ${table} in ${shown}, and the role of the connection may not make it ` +
      `(${error.message})`, 'the table', `have it made by the statement that ${printed} prints`);
  }
}

// SQLSTATEs, by https://www.postgresql.org/docs/current/errcodes-appendix.html
const REFUSES_LOGIN = /^28/;
const DENIES_ACCESS = /^42501/;
const NO_DATABASE = /^3D/;
const NO_USE_WAITING = /^(22|23|3D|3F|42(?!P01))/;
// The connection broke, or the server gave up, perhaps during a commit.
const DOUBTFUL = /^(08|57P0[124]|40003|58|XX|F0)/;
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'CONNECT_TIMEOUT']);
// What the drivers themselves refuse to do, always in the same words.
const NO_PASSWORD = /client password must be a /;
const NO_TLS = /server does not support SSL/;
const POOL_ENDED = /after calling end on the pool|CONNECTION_ENDED/;

function failureOf(error, isWrite, shown, facts) {
  const state = /^(?=.*\d)[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined; // not EPIPE
  const said = withoutPasswords(String(error.message || error.code || error));
  const [code, errorClass, problem, expected, remedy] = sort(error, state, isWrite, facts);
  const detail = state === undefined ? said : `${said}, SQLSTATE ${state}`;
  return {
    code: `ERR_NEXTID_${code}`, class: errorClass, name: toDriverName('PostgresError', error.code),
    said, number: 0,
    message: `PostgreSQL at ${shown} ${problem} (${detail}): expected ${expected}; ${remedy}`,
  };
}

function sort({ code, message, isUnsent }, state, isWrite, { isOwn, printed }) {
  if (state !== undefined && REFUSES_LOGIN.test(state)) {
    return ['ACCESS_DENIED', 'final', 'denied access', 'the right user and password',
      'check them, and whether the role may log in'];
  }
  if (NO_PASSWORD.test(message)) {
    return ['ACCESS_DENIED', 'final', 'asks for a password', 'one',
      `add it to the ${isOwn ? 'URL' : 'options of the pool'}`];
  }
  if (state !== undefined && DENIES_ACCESS.test(state)) {
    return ['ACCESS_DENIED', 'final', 'denied access', 'a role that may select, insert, update and delete',
      'check the role and its rights'];
  }
  if (state !== undefined && NO_DATABASE.test(state)) {
    return ['STORE_INVALID', 'final', 'cannot keep a counter', 'a database that exists',
      'check its name, or create it'];
  }
  if (NO_TLS.test(message)) {
    return ['STORE_INVALID', 'final', 'cannot be reached', 'a server with TLS',
      'enable TLS there, or switch it off here'];
  }
  if (POOL_ENDED.test(message)) {
    return ['STORE_INVALID', 'final', 'cannot be reached', 'a pool that is open',
      'close the store before the pool'];
  }
  if (state !== undefined && NO_USE_WAITING.test(state)) {
    return ['STORE_INVALID', 'final', 'cannot keep a counter', `the table that ${printed} prints`,
      'check the database and the table'];
  }
  if (isUnsent || UNSENT.has(code)) {
    return ['STORE_UNAVAILABLE', 'passing', 'cannot be reached', 'a connection',
      `check its host and port, and that it is running${isOwn ? '' : ' and the pool has connections'}`];
  }
  if (!isWrite || (state !== undefined && !DOUBTFUL.test(state))) {
    return ['STORE_UNAVAILABLE', 'passing', 'cannot serve just now', 'an answer', 'trying again may help'];
  }
  return ['STORE_UNAVAILABLE', 'doubtful', 'may or may not have made a change', 'an answer',
    'no number of that request is used'];
}

module.exports = {
  name: 'postgres', schemes: ['postgres', 'postgresql'], example: 'postgres://host/database',
  usage: 'postgres://HOST/DATABASE', options: ['table', 'schema'],
  takes: ['a Pool of pg', 'the sql of postgres'], gapless: ['PostgreSQL'],
  accepts, parse, connect, dialectOf, schemaOf: (place) => schemaOf(tableName(quote, place)),
};
