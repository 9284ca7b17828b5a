'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const DATABASE = 'nextid_bench';

/** Calls `use` with the path of an empty folder, and removes it afterwards. */
async function withFolder(use) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-bench-'));
  try {
    return await use(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Calls `use` with the URL of a new SQLite store. */
function withSqliteUrl(use) {
  return withFolder((folder) => use(`sqlite:${path.join(folder, 'ids.db')}`));
}

/**
 * Calls `use` with the URL of an empty database and with the official driver's `Db` of it, and drops it
 * afterwards.
 * @param {string} serverUrl $MONGODB_URL
 * @param {object} [clientOptions] of the driver
 */
async function withDatabase(serverUrl, use, clientOptions) {
  const { MongoClient } = require('mongodb');
  const client = await MongoClient.connect(serverUrl, clientOptions);
  const database = client.db(DATABASE);
  const url = new URL(serverUrl);
  url.pathname = `/${DATABASE}`;
  try {
    await database.dropDatabase();
    return await use(String(url), database);
  } finally {
    await database.dropDatabase();
    await client.close();
  }
}

/**
 * Calls `use` with a Pool of pg, or a pool of mysql2, whose database has no tables of nextid's and one named
 * `bench`; without a URL, with undefined.
 */
async function withSqlPool(url, use) {
  if (url === undefined) return use();
  const isPostgres = url.startsWith('postgres');
  const pool = isPostgres ? new (require('pg').Pool)({ connectionString: url })
    : require('mysql2').createPool(url).promise();
  const clear = () => pool.query('DROP TABLE IF EXISTS nextid_counters, bench');
  try {
    await clear();
    const id = isPostgres ? 'bigserial' : 'bigint AUTO_INCREMENT';
    await pool.query(`CREATE TABLE bench (id ${id} PRIMARY KEY, note text)`);
    return await use(pool);
  } finally {
    await clear();
    await pool.end();
  }
}

module.exports = { withDatabase, withFolder, withSqlPool, withSqliteUrl };
