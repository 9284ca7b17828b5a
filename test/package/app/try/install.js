'use strict';

// node install.js MANAGER: a service whose package is installed by that manager, which must have nothing to
// say of install scripts. $NPM: the program of npm.

const assert = require('node:assert/strict');
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { FIRST_IDS, newSqliteUrl } = require('./first-ids');

const root = path.join(__dirname, '..');
const { NPM } = process.env;
const PNPM = 'pnpm/bin/pnpm.mjs';
const YARN = '@yarnpkg/cli-dist/bin/yarn.js';
const ofYarn = (linker) => ({
  program: YARN,
  flags: [],
  files: {
    'yarn.lock': '', // else it looks for a project further up
    '.yarnrc.yml': `nodeLinker: ${linker}\nenableScripts: false\nenableTelemetry: false\n`,
  },
});
const MANAGERS = {
  'npm': { program: NPM, flags: ['--offline'], files: {} },
  'npm, with a lockfile of another platform and without optional packages': {
    program: NPM, before: ['install', '--package-lock-only', '--offline', '--os=win32', '--cpu=arm64'],
    command: 'ci', flags: ['--offline', '--omit=optional'], files: {},
  },
  'pnpm': { program: PNPM, flags: [], files: {} },
  'yarn 1': { program: 'yarn/bin/yarn.js', flags: ['--offline', '--cache-folder', '.cache'], files: {} },
  'yarn 4 with node_modules': ofYarn('node-modules'),
  "yarn 4 with Plug'n'Play": { ...ofYarn('pnp'), runner: [YARN, 'node'] },
};

const name = process.argv[2];
const { program, before, command = 'install', flags, files, runner = [] } = MANAGERS[name];
const inModules = (file) => path.resolve(root, 'node_modules', file);
const folder = path.join(root, 'by-manager', name.replaceAll(/\W+/g, '-'));
// Not the user's caches: yarn's may hold an earlier tarball of the same version.
const env = { PATH: process.env.PATH, HOME: folder };
const node = (...args) => execFileSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });

fs.mkdirSync(folder, { recursive: true });
const manifest = { name: 'shop', private: true, dependencies: { nextid: 'file:./nextid.tgz' } };
fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
for (const [file, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, file), text);
fs.copyFileSync(path.join(root, 'nextid.tgz'), path.join(folder, 'nextid.tgz'));
fs.copyFileSync(path.join(root, 'tools', 'uses-require.js'), path.join(folder, 'service.js'));

if (before) node(inModules(program), ...before);
const options = { cwd: folder, env, encoding: 'utf8' };
const run = spawnSync(process.execPath, [inModules(program), command, ...flags], options);
assert.equal(run.status, 0, run.stdout + run.stderr);
assert.doesNotMatch(run.stdout + run.stderr, /script/i);
const started = runner.map((part, i) => (i === 0 ? inModules(part) : part));
assert.equal(node(...started, 'service.js', newSqliteUrl()), FIRST_IDS);
