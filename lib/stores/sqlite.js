'use strict';

// The store in an SQLite file: core's own, inside the addon.

const path = require('node:path');

const { IS_IT_SET, UNSET, wrongValue } = require('../errors');

const EXAMPLES = "'sqlite:ids.db' (in the working directory) or 'sqlite:/var/lib/app/ids.db'";
const LONGEST_PROPOSAL = 100; // characters

/**
 * { store, path, shown } of a URL sqlite:PATH, the path absolute. Nothing in the path is decoded, so that
 * every file can be named.
 */
function parse(url, isUrlObject) {
  // A URL object percent-encodes some characters, and nothing shows which ones were encoded before.
  if (isUrlObject && url.includes('%')) {
    throw wrongValue('a URL object with a % in its path may name another file', 'the URL as a string');
  }
  const file = url.slice('sqlite:'.length);
  if (file === '') throw wrongValue("there is no path after 'sqlite:'", EXAMPLES);
  if (file.startsWith('//')) {
    throw wrongValue('the sqlite: URL has // before its path, which tools read in different ways',
      withoutSlashes(file) ?? EXAMPLES);
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
      'text', EXAMPLES);
  }
  if (/[/\\]$/.test(file)) {
    throw wrongValue('the path of the sqlite: URL is a folder', `a file, such as ${EXAMPLES}`);
  }
  const last = path.basename(file);
  if (UNSET.includes(last)) {
    throw wrongValue(`the file of the sqlite: URL is '${last}'`, EXAMPLES, IS_IT_SET);
  }
  const absolute = path.resolve(file);
  if (process.platform === 'win32') require('./sqlite-windows').refuseOtherNames(absolute);
  return { store: 'sqlite', path: absolute, shown: `sqlite:${absolute}` };
}

// What was meant by a path that begins with //, unless it is too long or may hold a password.
function withoutSlashes(file) {
  const [, slashes, rest] = /^(\/+)([^?#]*)/.exec(file);
  if (rest === '' || rest.length > LONGEST_PROPOSAL || /[@:]/.test(file)) return undefined;
  const absolute = `'sqlite:/${rest}'`;
  return slashes.length > 2 ? absolute : `'sqlite:${rest}' (in the working directory) or ${absolute}`;
}

function connect({ path: file }, { maxConcurrentRefills }) {
  if (['linux', 'win32'].includes(process.platform)) {
    require('./sqlite-network').warnOfNetworkFileSystem(file);
  }
  const { addon } = require('../addon');
  return addon.openStore(addon.sqliteModule, [file], maxConcurrentRefills);
}

module.exports = {
  name: 'sqlite', schemes: ['sqlite'], example: 'sqlite:ids.db', usage: 'sqlite:PATH', parse, connect,
};
