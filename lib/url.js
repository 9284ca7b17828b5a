'use strict';

const path = require('node:path');

const { nearest, show, wrongType, wrongValue } = require('./errors');

const DEFAULT_FILE = 'nextid.db';
const EXAMPLES = "'sqlite:ids.db' or 'mongodb://host/database'";
const SCHEMES = ['sqlite', 'mongodb', 'mongodb+srv'];

/** The URL of the store where none was named: $NEXTID_STORE, else a file in the working directory. */
function defaultStoreUrl() {
  const { NEXTID_STORE, NODE_ENV } = process.env;
  if (NEXTID_STORE === '') {
    throw wrongValue(`$NEXTID_STORE is empty: expected the URL of a store such as ${EXAMPLES}; set it, ` +
      `or remove it to use sqlite:${DEFAULT_FILE}`);
  }
  if (NEXTID_STORE !== undefined) return NEXTID_STORE;
  if (NODE_ENV === 'production') {
    const message = 'no store was named and $NEXTID_STORE is not set, so ids come from the file ' +
      `${path.resolve(DEFAULT_FILE)}: another machine or container has a file of its own and gives the ` +
      'same ids; set $NEXTID_STORE, or name the store';
    require('./warnings').warnOnce('NEXTID_DEFAULT_STORE', message, 'for any file');
  }
  return `sqlite:${DEFAULT_FILE}`;
}

/**
 * Takes the URL of a store apart, a string or a URL object. `shown` is the URL for people to see: without
 * credentials and options.
 *   sqlite:PATH            { kind: 'sqlite', path, shown }, the path absolute
 *   mongodb://…            { kind: 'mongodb', url, collection, countersCollection, shown }, the url for
 *                          libmongoc
 * Throws a TypeError that says what is wrong, and never shows a password, for whatever else there is.
 */
function parseStoreUrl(url) {
  if (url === undefined) {
    throw wrongValue(`the store is undefined: expected a URL such as ${EXAMPLES}; is the environment ` +
      'variable set that it comes from? Leave the argument out to use $NEXTID_STORE, else ' +
      `sqlite:${DEFAULT_FILE}`);
  }
  if (isUrlObject(url)) return parseStoreUrl(textOf(url));
  if (url === '') {
    throw wrongValue(`the URL of the store is empty: expected one such as ${EXAMPLES}; is the environment ` +
      'variable set that it comes from?');
  }
  if (typeof url !== 'string') {
    throw wrongType('the URL of a store', `a string such as ${EXAMPLES}`, url);
  }
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(url)?.[1];
  if (scheme === 'sqlite') return parseSqliteUrl(url.slice('sqlite:'.length));
  if (scheme === 'mongodb' || scheme === 'mongodb+srv') return require('./mongodb-url').parseMongodbUrl(url);
  throw unknownScheme(url, scheme);
}

// Also of another realm.
function isUrlObject(value) {
  return Object.prototype.toString.call(value) === '[object URL]' && typeof value.href === 'string';
}

// A URL object percent-encodes some characters of a path, and which were so before cannot be told.
function textOf({ href }) {
  if (href.startsWith('sqlite:') && href.includes('%')) {
    throw sqliteError('a URL object with a % in its path may name another file: give the URL as a string');
  }
  return href;
}

// The path is taken as it stands: nothing is decoded, so that every file can be named.
function parseSqliteUrl(file) {
  if (file === '') throw sqliteError('there is no path');
  if (file.startsWith('//')) {
    throw sqliteError('there must be no // before the path, which tools read in different ways');
  }
  if (file === ':memory:') {
    throw wrongValue("'sqlite::memory:' would give the same numbers again after each start;" +
      ' for tests, use a file in a folder for temporary files');
  }
  if (/[?#]/.test(file)) {
    throw sqliteError('a sqlite: URL has no options, and ? and # are not allowed in its path');
  }
  // Not \p{Cc}: to compile that takes as long as all else here.
  if (/[^ -~\xa0-\uffff]/.test(file) || !file.isWellFormed()) {
    throw sqliteError('the path holds a NUL, a line end or another character that is not text');
  }
  if (/[/\\]$/.test(file)) throw sqliteError('the path names a folder; a file is needed');
  const absolute = path.resolve(file);
  return { kind: 'sqlite', path: absolute, shown: `sqlite:${absolute}` };
}

function sqliteError(problem) {
  return wrongValue(
    `${problem}; write sqlite:ids.db (in the working directory) or sqlite:/var/lib/app/ids.db`);
}

function unknownScheme(url, scheme) {
  if (scheme === undefined) {
    return wrongValue(`the URL of a store begins with sqlite: or mongodb://, as in ${EXAMPLES};` +
      ` received ${show(url)}`);
  }
  const meant = nearest(scheme, SCHEMES);
  const hint = meant === undefined ? '' : `; did you mean '${meant}:'?`;
  return wrongValue(
    `a store is one of sqlite:, mongodb: and mongodb+srv:, not ${show(`${scheme}:`)}${hint}`);
}

module.exports = { defaultStoreUrl, parseStoreUrl };
