'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { NextIdError, escaped, messageOf } = require('./errors');

// Loads the native modules: those that were built here, else those that came prebuilt inside the package.

const root = path.join(__dirname, '..');
const platform = `${process.platform}-${process.arch}`;
const folders = { own: path.join(root, 'build'), prebuilt: path.join(root, 'prebuilds', platform) };
const isPrebuilt = !fs.existsSync(path.join(folders.own, 'nextid.node'));
const folder = isPrebuilt ? folders.prebuilt : folders.own;

const BUILD = `run "node ${path.join(root, 'native', 'install.js')} --build-from-source" ` +
  '(needs cmake, make and a C++20 compiler; for mongodb: URLs also libmongoc and pkg-config)';

function loadAddon() {
  const file = path.join(folder, 'nextid.node');
  if (!fs.existsSync(file)) {
    const message = path.basename(__filename) === 'addon.js'
      ? messageOf(`nextid has no prebuilt binary for ${platform}`, 'one that was built here', BUILD)
      : messageOf('nextid was bundled without its native modules', 'nextid outside of the bundle',
        'exclude it (esbuild: --external:nextid)');
    throw new NextIdError(message, { code: 'ERR_NEXTID_STORE_UNSUPPORTED' });
  }
  try {
    return require(file);
  } catch (cause) {
    throw new NextIdError(whyNoAddon(file), { code: 'ERR_NEXTID_STORE_UNSUPPORTED', cause });
  }
}

function whyNoAddon(file) {
  if (!isPrebuilt) return messageOf(`${file} cannot be loaded`, 'a build for this system', BUILD);
  return isMusl()
    ? messageOf('nextid has no prebuilt binary for musl, the C library of Alpine', 'one that was built here',
      BUILD)
    : messageOf('the prebuilt binary of nextid cannot be loaded', 'glibc 2.28 or newer, or a build made here',
      BUILD);
}

function isMusl() {
  return process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
}

const addon = loadAddon();

addon.setErrorFactory((code, message, driverName, driverMessage, driverCode) => {
  if (driverName === undefined) return new NextIdError(message, { code });
  const cause = Object.assign(new Error(escaped(driverMessage)), { name: driverName, code: driverCode });
  return new NextIdError(message, { code, cause });
});

/**
 * The store module of MongoDB, a file of its own because of libmongoc: an own build needs it installed, and
 * the prebuilt one is large.
 * @returns {object} what addon.openStore() takes
 * @throws {NextIdError} ERR_NEXTID_STORE_UNSUPPORTED, says what to install
 */
function mongoModule() {
  const file = path.join(folder, 'nextid_mongo.node');
  try {
    return withoutSharedMemory(() => require(file).storeModule);
  } catch (cause) {
    throw new NextIdError(whyNoMongo(file), { code: 'ERR_NEXTID_STORE_UNSUPPORTED', cause });
  }
}

function whyNoMongo(file) {
  if (isPrebuilt) {
    return messageOf('the prebuilt binary for mongodb: URLs cannot be loaded', 'a build for this system',
      BUILD);
  }
  return fs.existsSync(file)
    ? messageOf('the library libmongoc cannot be loaded', 'it to be installed, for mongodb: URLs',
      'install it (Debian, Ubuntu: apt install libmongoc-dev)')
    : messageOf('nextid was built without the library libmongoc', 'it to be installed, for mongodb: URLs',
      `install it (Debian, Ubuntu: apt install libmongoc-dev pkg-config) and ${BUILD}`);
}

// libmongoc keeps statistics in /dev/shm/mongoc-PID. A process that is killed leaves the file there, and a
// later one with the same id warns of it on stderr. Some versions make it when they are loaded, others when
// they are started, which the module does as it is loaded.
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

module.exports = { addon, isPrebuilt, mongoModule, platform };
