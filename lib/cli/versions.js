'use strict';

const fs = require('node:fs');
const path = require('node:path');

const parts = require('../../native/prebuild/third-party.json');
const { version } = require('../../package.json');

/** The version, where the native modules come from, and what is linked into prebuilt ones; several lines. */
function describe() {
  const { folder, isPrebuilt, platform } = require('../addon');
  const lines = [`nextid ${version}`, `Node.js ${process.versions.node}`];
  if (!isPrebuilt) {
    return [...lines, 'native modules: built here, with the libraries of this system'].join('\n');
  }
  lines.push(`native modules: prebuilt, ${platform}`);
  const hasMongo = fs.existsSync(path.join(folder, 'nextid_mongo.node'));
  for (const [name, { version: its, license, part }] of Object.entries(parts)) {
    if (part === 'the MongoDB store' && !hasMongo) continue;
    lines.push(`  ${name} ${its} (${part}; ${license})`);
  }
  return lines.join('\n');
}

module.exports = { describe };
