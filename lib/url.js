'use strict';

const path = require('node:path');

const { nearest, show, wrongType, wrongValue } = require('./errors');

const EXAMPLES = "'sqlite:ids.db' or 'mongodb://host/database'";
const SCHEMES = ['sqlite', 'mongodb', 'mongodb+srv'];

/**
 * Takes the URL of a store apart. `shown` is the URL for people to see: without credentials and options.
 *   sqlite:PATH            { kind: 'sqlite', path, shown }, the path absolute
 *   mongodb://…            { kind: 'mongodb', url, collection, countersCollection, shown }, the url for
 *                          libmongoc
 * Throws a TypeError that says what is wrong, and never shows a password, for whatever else there is.
 */
function parseStoreUrl(url) {
  if (typeof url !== 'string') {
    throw wrongType('the URL of a store', `a string such as ${EXAMPLES}`, url);
  }
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(url)?.[1];
  if (scheme === 'sqlite') return parseSqliteUrl(url.slice('sqlite:'.length));
  if (scheme === 'mongodb' || scheme === 'mongodb+srv') return require('./mongodb-url').parseMongodbUrl(url);
  throw unknownScheme(url, scheme);
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

module.exports = { parseStoreUrl };
