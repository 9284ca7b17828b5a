'use strict';

require('./addon'); // a machine without a binary finds out when it loads the package
const { NextIdError } = require('./errors');
const { storeOptions } = require('./options');
const { Store } = require('./store');
const { connect, defaultStoreUrl, parseSource } = require('./stores');

/**
 * Opens a store; see index.d.ts. Connects on first use.
 * @param {string | URL | object} [source] without any argument $NEXTID_STORE, else 'sqlite:nextid.db';
 *   undefined is refused, because it is what a misspelt variable gives
 * @param {object} [options]
 * @returns {Store}
 */
function open(source, options) {
  const parsed = parseSource(arguments.length === 0 ? defaultStoreUrl() : source);
  const { idle, ...connection } = storeOptions(options);
  return new Store(connect(parsed, connection), parsed.shown, idle);
}

module.exports = { open, NextIdError };
