'use strict';

// The store in a MongoDB database: a native module of its own, over libmongoc.

const fs = require('node:fs');
const path = require('node:path');

const { NextIdError, messageOf } = require('../errors');
const { log } = require('../watch');

/** What parseMongodbUrl() returns; see there. */
const parse = (url) => require('./mongodb-url').parseMongodbUrl(url);

function connect(parsed, options) {
  return hasModule() ? connectNative(parsed, options) : connectByDriver(parsed, options);
}

// Prebuilt it is for Linux with glibc only, and an own build has none where libmongoc was not installed.
// $NEXTID_MONGODB=driver is for tests.
function hasModule() {
  const { folder } = require('../addon');
  return process.env.NEXTID_MONGODB !== 'driver' && fs.existsSync(path.join(folder, 'nextid_mongo.node'));
}

function connectByDriver(parsed, options) {
  const store = require('./mongodb-driver').connectUrl(parsed, options);
  if (store !== undefined) return store;
  const { BUILD, isPrebuilt, platform } = require('../addon');
  const problem = isPrebuilt
    ? `nextid has no prebuilt module for mongodb: URLs on ${platform}`
    : 'nextid was built without the library libmongoc';
  const message = messageOf(problem, 'the package mongodb, for mongodb: URLs', 'run npm install mongodb. ' +
    `Or install libmongoc (Debian, Ubuntu: apt install libmongoc-dev pkg-config) and ${BUILD}`);
  throw new NextIdError(message, { code: 'ERR_NEXTID_STORE_UNSUPPORTED' });
}

function connectNative(parsed, { maxConcurrentRefills }) {
  const { url, shown, collection, countersCollection, secrets, ignored, weaknesses } = parsed;
  const { addon, isPrebuilt } = require('../addon');
  // The system's own OpenSSL knows where the system's certificates are.
  const complete = isPrebuilt ? require('./mongodb-certificates').withAuthorities(url) : url;
  const native = [complete, shown, collection, countersCollection, ...secrets];
  const store = addon.openStore(loadModule(), native, maxConcurrentRefills);
  if (ignored !== undefined) {
    log('%s: ignored, because libmongoc does not know these options: %s', shown, ignored.join(', '));
  }
  for (const weakness of weaknesses ?? []) {
    require('../warnings').warnOnce('NEXTID_WEAK_DURABILITY', `in the URL ${shown} ${weakness}`);
  }
  return store;
}

/**
 * The store module of MongoDB, a file of its own because of libmongoc: an own build needs it installed, and
 * the prebuilt one is large.
 * @returns {object} what addon.openStore() takes
 * @throws {NextIdError} ERR_NEXTID_STORE_UNSUPPORTED, says what to install
 */
function loadModule() {
  const { folder } = require('../addon');
  const file = path.join(folder, 'nextid_mongo.node');
  try {
    return withoutSharedMemory(() => require(file).storeModule);
  } catch (cause) {
    throw new NextIdError(whyNoMongo(), { code: 'ERR_NEXTID_STORE_UNSUPPORTED', cause });
  }
}

function whyNoMongo() {
  const { BUILD, isPrebuilt } = require('../addon');
  if (isPrebuilt) {
    return messageOf('the prebuilt binary for mongodb: URLs cannot be loaded', 'a build for this system',
      BUILD);
  }
  return messageOf('the library libmongoc cannot be loaded', 'it to be installed, for mongodb: URLs',
    'install it (Debian, Ubuntu: apt install libmongoc-dev)');
}

// libmongoc keeps statistics in /dev/shm/mongoc-PID. A killed process leaves the file behind, and a later
// process with the same id prints a warning about it. Some versions create it when they are loaded, others
// when they are started; loading the module does both.
function withoutSharedMemory(load) {
  const given = process.env.MONGOC_DISABLE_SHM;
  process.env.MONGOC_DISABLE_SHM = '1';
  try {
    return load();
  } finally {
    if (given === undefined) delete process.env.MONGOC_DISABLE_SHM;
    else process.env.MONGOC_DISABLE_SHM = given;
  }
}

module.exports = {
  name: 'mongodb', schemes: ['mongodb', 'mongodb+srv'], example: 'mongodb://host/database',
  usage: 'mongodb://HOST/DATABASE', parse, connect,
};
