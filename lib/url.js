'use strict';

const path = require('node:path');

const { nearest, show, wrongType, wrongValue } = require('./errors');

const DEFAULT_FILE = 'nextid.db';
const EXAMPLES = "'sqlite:ids.db' or 'mongodb://host/database'";
const SCHEMES = ['sqlite', 'mongodb', 'mongodb+srv'];
const SQLITE_EXAMPLES = "'sqlite:ids.db' (in the working directory) or 'sqlite:/var/lib/app/ids.db'";
const LONGEST_PROPOSAL = 100; // characters
const UNSET = ['undefined', 'null']; // what a template string makes of a variable that is not set
const IS_IT_SET = 'is the environment variable set that it comes from?';

/** The URL of the store where none was named: $NEXTID_STORE, else a file in the working directory. */
function defaultStoreUrl() {
  const { NEXTID_STORE, NODE_ENV } = process.env;
  if (NEXTID_STORE === '') {
    throw wrongValue('$NEXTID_STORE is empty', `the URL of a store such as ${EXAMPLES}`,
      `set it, or remove it to use sqlite:${DEFAULT_FILE}`);
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
    throw wrongValue('the store is undefined', `a URL such as ${EXAMPLES}`,
      `${IS_IT_SET} (without an argument, open() uses $NEXTID_STORE, else sqlite:${DEFAULT_FILE})`);
  }
  if (isUrlObject(url)) return parseStoreUrl(textOf(url));
  if (url === '') {
    throw wrongValue('the URL of the store is empty', `one such as ${EXAMPLES}`, IS_IT_SET);
  }
  if (typeof url !== 'string') {
    throw wrongType('the URL of the store', `a string such as ${EXAMPLES}`, url);
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

// A URL object percent-encodes some characters of a path, and nothing shows which ones were encoded before.
function textOf({ href }) {
  if (href.startsWith('sqlite:') && href.includes('%')) {
    throw wrongValue('a URL object with a % in its path may name another file', 'the URL as a string');
  }
  return href;
}

// The path is taken as it stands: nothing is decoded, so that every file can be named.
function parseSqliteUrl(file) {
  if (file === '') throw wrongValue("there is no path after 'sqlite:'", SQLITE_EXAMPLES);
  if (file.startsWith('//')) {
    throw wrongValue('the sqlite: URL has // before its path, which tools read in different ways',
      withoutSlashes(file) ?? SQLITE_EXAMPLES);
  }
  if (file === ':memory:') {
    throw wrongValue("'sqlite::memory:' would give the same numbers again after each start", 'a file',
      'for tests, use one in a temporary folder');
  }
  if (/[?#]/.test(file)) {
    throw wrongValue('the path of the sqlite: URL has a ? or a #',
      'neither of them, because a sqlite: URL has no options');
  }
  // Not \p{Cc}: to compile that takes as long as all else here.
  if (/[^ -~\xa0-\uffff]/.test(file) || !file.isWellFormed()) {
    throw wrongValue('the path of the sqlite: URL has a NUL, a line end or another character that is not ' +
      'text', SQLITE_EXAMPLES);
  }
  if (/[/\\]$/.test(file)) {
    throw wrongValue('the path of the sqlite: URL is a folder', `a file, such as ${SQLITE_EXAMPLES}`);
  }
  const last = path.basename(file);
  if (UNSET.includes(last)) {
    throw wrongValue(`the file of the sqlite: URL is '${last}'`, SQLITE_EXAMPLES, IS_IT_SET);
  }
  const absolute = path.resolve(file);
  return { kind: 'sqlite', path: absolute, shown: `sqlite:${absolute}` };
}

// What was meant by a path that begins with //, unless it is too long or may hold a password.
function withoutSlashes(file) {
  const [, slashes, rest] = /^(\/+)([^?#]*)/.exec(file);
  if (rest === '' || rest.length > LONGEST_PROPOSAL || /[@:]/.test(file)) return undefined;
  const absolute = `'sqlite:/${rest}'`;
  return slashes.length > 2 ? absolute : `'sqlite:${rest}' (in the working directory) or ${absolute}`;
}

function unknownScheme(url, scheme) {
  if (scheme === undefined) {
    return wrongValue(`the URL of the store is ${show(url)}`,
      `one that begins with sqlite: or mongodb://, such as ${EXAMPLES}`,
      UNSET.includes(url) ? IS_IT_SET : undefined);
  }
  const meant = nearest(scheme, SCHEMES);
  return wrongValue(`the URL of the store begins with ${show(`${scheme}:`)}`,
    'sqlite:, mongodb: or mongodb+srv:', meant && `did you mean '${meant}:'?`);
}

module.exports = { defaultStoreUrl, parseStoreUrl };
