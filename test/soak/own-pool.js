'use strict';

// A pool of connections as a service has it, with other work on it that does what it should not: it keeps the
// only connection for long, and leaves transactions open when it gives a connection back.

const { setTimeout: sleep } = require('node:timers/promises');

const REST = 1000; // ms, at most, between two pieces of other work
const LONG = 3000; // ms, at most, that one takes
const ENDS = ['COMMIT', 'ROLLBACK', undefined]; // of its transaction, which may be left open
const ISOLATIONS = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'];

const oneOf = (values, random) => values[Math.floor(random() * values.length)];

/**
 * @param {string} url of a store in PostgreSQL or MySQL
 * @param {() => number} random
 * @returns {{pool: object, place: object, end: () => Promise<void>}} what open() takes, and what ends all
 */
function ownPool(url, random) {
  const [server, query] = url.split('?');
  const make = url.startsWith('postgres:') ? postgresPool : mysqlPool;
  const { pool, take } = make(server, oneOf(ISOLATIONS, random));
  const stop = new AbortController();
  const work = otherWork(take, random, stop.signal);
  return {
    pool,
    place: { table: new URLSearchParams(query).get('table') },
    async end() {
      stop.abort();
      await work;
      await pool.end();
    },
  };
}

function postgresPool(connectionString, isolation) {
  const { Pool } = require('pg');
  const options = `-c default_transaction_isolation=${isolation.toLowerCase().replaceAll(' ', '\\ ')}`;
  const pool = new Pool({ connectionString, max: 1, options, connectionTimeoutMillis: 5000 });
  pool.on('error', () => {}); // of an idle connection
  return {
    pool,
    async take() {
      const client = await pool.connect();
      const ignore = () => {};
      client.on('error', ignore);
      return {
        query: (sql) => client.query(sql),
        release(error) {
          client.removeListener('error', ignore);
          client.release(error);
        },
      };
    },
  };
}

function mysqlPool(uri, isolation) {
  const pool = require('mysql2').createPool({ uri, connectionLimit: 1, connectTimeout: 5000 });
  pool.on('connection', (own) => {
    own.on('error', () => {});
    own.query(`SET SESSION TRANSACTION ISOLATION LEVEL ${isolation}`, () => {});
  });
  return {
    pool: pool.promise(),
    async take() {
      const own = await pool.promise().getConnection();
      return { query: (sql) => own.query(sql), release: (error) => (error ? own.destroy() : own.release()) };
    },
  };
}

async function otherWork(take, random, signal) {
  const rest = (ms) => sleep(random() ** 3 * ms, undefined, { signal }).catch(() => {});
  while (!signal.aborted) {
    await rest(REST);
    const end = oneOf(ENDS, random);
    try {
      const own = await take();
      try {
        await own.query('BEGIN');
        await rest(LONG);
        if (end !== undefined) await own.query(end);
        own.release();
      } catch (error) {
        own.release(error);
      }
    } catch {
      // The server is away.
    }
  }
}

module.exports = { ownPool };
