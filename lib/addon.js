'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { driverCodeOf } = require('./bridge');
const { NextIdError, escaped, messageOf } = require('./errors');
const { platform } = require('./platform');

// Loads the native modules: those that were built here, else those that came prebuilt inside the package.

const root = path.join(__dirname, '..');
const folders = { own: path.join(root, 'build'), prebuilt: path.join(root, 'prebuilds', platform) };
const isPrebuilt = !fs.existsSync(path.join(folders.own, 'nextid.node'));
const folder = isPrebuilt ? folders.prebuilt : folders.own;

// What prebuild.sh builds for.
const OLDEST = {
  'linux': 'glibc 2.28', 'linux-musl': 'musl 1.2.3', 'darwin': 'macOS 11', 'win32': 'Windows 10',
};
const BUILD = `run "node ${path.join(root, 'native', 'install.js')} --build-from-source" ` +
  (process.platform === 'win32'
    ? '(needs CMake and Visual Studio with C++)' : '(needs cmake, make and a C++20 compiler)');

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
  const oldest = OLDEST[platform.replace(/-(x64|arm64)/, '')];
  return messageOf(`the prebuilt binary of nextid for ${platform} cannot be loaded`,
    `${oldest} or newer, or a build made here`, BUILD);
}

const addon = loadAddon();

addon.setErrorFactory((code, message, driverName, driverMessage, driverCode) => {
  if (driverName === undefined) return new NextIdError(message, { code });
  const cause = Object.assign(new Error(escaped(driverMessage)), driverCodeOf(driverName, driverCode));
  return new NextIdError(message, { code, cause });
});

module.exports = { BUILD, addon, folder, isPrebuilt, platform };
