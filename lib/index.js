'use strict';

const { addon, isPrebuilt, mongoModule } = require('./addon');
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
  const native = target.kind === 'sqlite'
    ? addon.openSqlite(target.path, maxConcurrentRefills)
    : openMongo(target, maxConcurrentRefills);
  return new Store(native, target.shown);
}

function openMongo({ url, collection, countersCollection }, maxConcurrentRefills) {
  // The system's own OpenSSL knows where the system's certificates are.
  const complete = isPrebuilt ? require('./certificates').withAuthorities(url) : url;
  return addon.openMongo(mongoModule(), complete, collection, countersCollection, maxConcurrentRefills);
}

module.exports = { open, NextIdError };
