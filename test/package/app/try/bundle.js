'use strict';

// node bundle.js: esbuild's bundles of a service run where nextid is left out of them, else say so.

const assert = require('node:assert/strict');
const { execFileSync, spawnSync } = require('node:child_process');
const path = require('node:path');
const esbuild = require('esbuild');
const { FIRST_IDS, newSqliteUrl } = require('./first-ids');

const root = path.join(__dirname, '..');
const common = { absWorkingDir: root, bundle: true, platform: 'node' };

for (const [source, format] of [['uses-require.js', 'cjs'], ['uses-import.mjs', 'esm']]) {
  const outfile = path.join(root, 'out', `bundle-of-${source}`);
  esbuild.buildSync({ ...common, entryPoints: [`tools/${source}`], format, external: ['nextid'], outfile });
  assert.equal(execFileSync(process.execPath, [outfile, newSqliteUrl()], { encoding: 'utf8' }), FIRST_IDS);
}

const outfile = path.join(root, 'out', 'all-in-one.js');
esbuild.buildSync({ ...common, entryPoints: ['tools/uses-require.js'], outfile });
const { status, stderr } = spawnSync(process.execPath, [outfile, newSqliteUrl()], { encoding: 'utf8' });
assert.equal(status, 1);
assert.match(stderr, /nextid was bundled.*--external:nextid/);
