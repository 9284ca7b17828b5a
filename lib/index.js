'use strict';

const { addon, isPrebuilt, mongoModule } = require('./addon');
const { NextIdError } = require('./errors');
const { storeOptions } = require('./options');
const { Store } = require('./store');
const { defaultStoreUrl, parseStoreUrl } = require('./url');

/**
 * Opens a store; see index.d.ts. Connects on first use.
 * @param {string | URL} [url] 'mongodb://…/database' or 'sqlite:path'. Without any argument $NEXTID_STORE,
 *   else 'sqlite:nextid.db'; undefined is refused, since it is what a misspelt variable gives
 * @param {object} [options]
 * @returns {Store}
 */
function open(url, options) {
  const target = parseStoreUrl(arguments.length === 0 ? defaultStoreUrl() : url);
  const { maxConcurrentRefills } = storeOptions(options);
  const native = target.kind === 'sqlite'
    ? openSqlite(target, maxConcurrentRefills)
    : openMongo(target, maxConcurrentRefills);
  return new Store(native, target.shown);
}

function openSqlite({ path }, maxConcurrentRefills) {
  if (process.platform === 'linux') require('./network-file-system').warnOfNetworkFileSystem(path);
  return addon.openStore(addon.sqliteModule, [path], maxConcurrentRefills);
}

function openMongo({ url, collection, countersCollection, weaknesses, shown }, maxConcurrentRefills) {
  // The system's own OpenSSL knows where the system's certificates are.
  const complete = isPrebuilt ? require('./certificates').withAuthorities(url) : url;
  const store =
    addon.openStore(mongoModule(), [complete, collection, countersCollection], maxConcurrentRefills);
  for (const weakness of weaknesses ?? []) {
    require('./warnings').warnOnce('NEXTID_WEAK_DURABILITY', `in the URL ${shown} ${weakness}`);
  }
  return store;
}

module.exports = { open, NextIdError };
