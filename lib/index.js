'use strict';

require('./addon'); // a machine without a binary finds out when it loads the package
const { NextIdError } = require('./errors');
const { storeOptions } = require('./options');
const { Store } = require('./store');
const { connect, defaultStoreUrl, parseStoreUrl } = require('./stores');

/**
 * Opens a store; see index.d.ts. Connects on first use.
 * @param {string | URL} [url] without any argument $NEXTID_STORE, else 'sqlite:nextid.db'; undefined is
 *   refused, because it is what a misspelt variable gives
 * @param {object} [options]
 * @returns {Store}
 */
function open(url, options) {
  const parsed = parseStoreUrl(arguments.length === 0 ? defaultStoreUrl() : url);
  const { maxConcurrentRefills, idle } = storeOptions(options);
  return new Store(connect(parsed, maxConcurrentRefills), parsed.shown, idle);
}

module.exports = { open, NextIdError };
