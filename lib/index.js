'use strict';

const { addon, mongoModule } = require('./addon');
const { NextIdError } = require('./errors');
const { storeOptions } = require('./options');
const { Store } = require('./store');
const { parseStoreUrl } = require('./url');

/**
 * Opens a store; see index.d.ts. Connects on first use.
 * @param {string} [url] 'mongodb://…/database' or 'sqlite:path'; default $NEXTID_STORE, else
 *   'sqlite:nextid.db'
 * @param {object} [options]
 * @returns {Store}
 */
function open(url = process.env.NEXTID_STORE || 'sqlite:nextid.db', options = undefined) {
  const target = parseStoreUrl(url);
  const { maxConcurrentRefills } = storeOptions(options);
  const native =
    target.kind === 'sqlite'
      ? addon.openSqlite(target.path, maxConcurrentRefills)
      : addon.openMongo(
        mongoModule(), target.url, target.collection, target.countersCollection, maxConcurrentRefills);
  return new Store(native, target.shown);
}

module.exports = { open, NextIdError };
