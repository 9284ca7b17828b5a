'use strict';

// node first-ids.js FILE...: what a program made of tools/uses-require.js must print, given a new store.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const FIRST_IDS = '{"given":[1,2,3],"shown":true,"others":["function","function"]}\n';

function newSqliteUrl() {
  return `sqlite:${path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-')), 'ids.db')}`;
}

module.exports = { FIRST_IDS, newSqliteUrl };

for (const file of require.main === module ? process.argv.slice(2) : []) {
  assert.equal(execFileSync(process.execPath, [file, newSqliteUrl()], { encoding: 'utf8' }), FIRST_IDS);
}
