'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { NextIdError } = require('./errors');

// Loads the native modules that the build has left in build/.

const builtIn = path.join(__dirname, '..', 'build');

function loadAddon() {
  const file = path.join(builtIn, 'nextid.node');
  if (!fs.existsSync(file)) {
    throw new NextIdError(
      `the native addon of nextid is not built: ${file} is missing; ` +
        'run "npm rebuild nextid" (needs cmake and a C++20 compiler)',
      { code: 'ERR_NEXTID_STORE_UNSUPPORTED' },
    );
  }
  return require(file);
}

const addon = loadAddon();

addon.setErrorFactory((code, message, driverName, driverMessage, driverCode) => {
  if (driverName === undefined) return new NextIdError(message, { code });
  const cause = Object.assign(new Error(driverMessage), { name: driverName, code: driverCode });
  return new NextIdError(message, { code, cause });
});

/**
 * The store module of MongoDB, a file of its own because it needs libmongoc.
 * @returns {object} what addon.openMongo() takes
 * @throws {NextIdError} ERR_NEXTID_STORE_UNSUPPORTED, says what to install
 */
function mongoModule() {
  const file = path.join(builtIn, 'nextid_mongo.node');
  try {
    return withoutSharedMemory(() => require(file).storeModule);
  } catch (cause) {
    throw new NextIdError(
      fs.existsSync(file)
        ? 'mongodb: URLs need the library libmongoc, which cannot be loaded; ' +
          'install it (Debian, Ubuntu: apt install libmongoc-dev)'
        : 'mongodb: URLs need the library libmongoc, which was not there when nextid was built; install it ' +
          '(Debian, Ubuntu: apt install libmongoc-dev pkg-config) and run "npm rebuild nextid"',
      { code: 'ERR_NEXTID_STORE_UNSUPPORTED', cause },
    );
  }
}

// libmongoc keeps statistics in /dev/shm/mongoc-PID. A process that is killed leaves the file there, and a
// later one with the same id warns of it on stderr.
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

module.exports = { addon, mongoModule };
