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

module.exports = { withDatabase, withFolder, withSqliteUrl };
