'use strict';

const path = require('node:path');

const { IS_IT_SET, UNSET, nearest, show, wrongType, wrongValue } = require('../errors');

// All stores. Each has a file here that says
//   name       what it is called
//   schemes    of the URLs that it takes, if any
//   accepts(object)   whether it takes this object, if it takes any
//   example    a URL, for error messages
//   usage      the form of its URLs, for the command line
//   options    the options of open() that say where in the database of an object the counters are
//   schemaOf(place)   the statement that makes the table in { table, schema }, if it has one
//   takes      in place of a URL, for error messages
//   gapless    what its databases are called, if its Store objects have [gaplessRows]
//   parse(source, isUrlObject)   { store, shown, … }: the name, and the store for people, without credentials
//              and options. Throws a TypeError that says what is wrong and never shows a password
//   connect(parsed, options)   the addon's Store object (native/addon/store_handle.h). The options are
//              those of open()
const STORES = [
  require('./sqlite'), require('./mongodb'), require('./mongodb-driver'), require('./postgres'),
  require('./mysql'), require('./memory'), require('./custom'),
];

const DEFAULT_FILE = 'nextid.db';
const DATABASES = STORES.filter(({ usage }) => usage !== undefined);
const EXAMPLES = anyOf(DATABASES.map(({ example }) => `'${example}'`));
const PLACES = [...new Set(STORES.flatMap(({ options = [] }) => options))];
const SCHEMES = STORES.flatMap(({ schemes = [] }) => schemes);
const OBJECTS = anyOf(STORES.flatMap(({ takes = [] }) => takes));
/** The databases that can keep gapless counters. */
const GAPLESS = anyOf(STORES.flatMap(({ gapless = [] }) => gapless));
const WITH_SCHEMA = STORES.filter(({ schemaOf }) => schemaOf !== undefined);
/** By scheme, the statement that makes the table of a store: ({ table, schema }). */
const SCHEMAS = Object.fromEntries(WITH_SCHEMA.flatMap(({ schemes, schemaOf }) => (
  schemes.map((scheme) => [scheme, schemaOf]))));
/** The names of the stores that have a table. */
const SCHEMA_NAMES = WITH_SCHEMA.map(({ name }) => name);
/** The forms of URLs, for the command line. */
const URL_FORMS = DATABASES.map(({ usage }) => usage);

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
    require('../warnings').warnOnce('NEXTID_DEFAULT_STORE', message, 'for any file');
  }
  return `sqlite:${DEFAULT_FILE}`;
}

/** What parse() of the store makes of a URL, a string or a URL object, or of another object. */
function parseSource(url) {
  if (url === undefined) {
    throw wrongValue('the store is undefined', `a URL such as ${EXAMPLES}`,
      `${IS_IT_SET} (without an argument, open() uses $NEXTID_STORE, else sqlite:${DEFAULT_FILE})`);
  }
  if (isUrlObject(url)) return parseText(url.href, true);
  if (url === '') {
    throw wrongValue('the URL of the store is empty', `one such as ${EXAMPLES}`, IS_IT_SET);
  }
  if (typeof url === 'string') return parseText(url, false);
  const isObject = (typeof url === 'object' && url !== null) || typeof url === 'function';
  const store = isObject ? STORES.find(({ accepts }) => accepts?.(url)) : undefined;
  if (store === undefined) throw wrongType('the store', `a URL such as ${EXAMPLES}, ${OBJECTS}`, url);
  return store.parse(url, false);
}

function parseText(url, isUrlObject) {
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(url)?.[1];
  const store = STORES.find(({ schemes = [] }) => schemes.includes(scheme));
  if (store === undefined) throw unknownScheme(url, scheme);
  return store.parse(url, isUrlObject);
}

/** Makes the addon's Store object for what parseSource() returned. */
function connect(parsed, options) {
  const store = STORES.find(({ name }) => name === parsed.store);
  for (const place of PLACES) {
    if (options[place] === undefined) continue;
    if (parsed.source !== undefined && store.options?.includes(place)) continue;
    const takers = STORES.filter((other) => other.options?.includes(place));
    throw wrongValue(`the option '${place}' was given for another store`,
      anyOf(takers.flatMap(({ takes }) => takes)), `in a URL, write ?${place}=NAME`);
  }
  return store.connect(parsed, options);
}

// Also of another realm.
function isUrlObject(value) {
  return Object.prototype.toString.call(value) === '[object URL]' && typeof value.href === 'string';
}

function unknownScheme(url, scheme) {
  if (scheme === undefined) {
    return wrongValue(`the URL of the store is ${show(url)}`, `one such as ${EXAMPLES}`,
      UNSET.includes(url) ? IS_IT_SET : undefined);
  }
  const isDrive = scheme.length === 1; // of Windows
  const meant = isDrive ? `sqlite:${scheme}` : nearest(scheme, SCHEMES);
  return wrongValue(`the URL of the store begins with ${show(`${scheme}:`)}`,
    anyOf(SCHEMES.map((known) => `${known}:`)), meant && `did you mean '${meant}:'?`);
}

function anyOf(words) {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

module.exports = { GAPLESS, SCHEMAS, SCHEMA_NAMES, URL_FORMS, connect, defaultStoreUrl, parseSource };
