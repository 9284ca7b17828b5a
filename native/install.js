'use strict';

// What npm runs in a checkout, and where install scripts of dependencies are allowed: builds the native
// modules into build/, unless prebuilt ones work here. `--build-from-source` builds in any case.

const { spawnSync } = require('node:child_process');
const path = require('node:path');

const root = path.join(__dirname, '..');
const build = path.join(root, 'build');

function prebuiltWorks() {
  try {
    require(path.join(root, 'prebuilds', `${process.platform}-${process.arch}`, 'nextid.node'));
    return true;
  } catch {
    return false;
  }
}

function cmake(...args) {
  const { status, error } = spawnSync('cmake', args, { cwd: root, stdio: 'inherit' });
  if (error) console.error(`nextid: cannot run cmake (${error.code}); install it, make and a C++20 compiler`);
  if (error || status !== 0) process.exit(status || 1);
}

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg !== '--build-from-source');
if (unknown !== undefined) {
  console.error(`nextid: unknown argument '${unknown}'; there is only --build-from-source`);
  process.exit(2);
}
const isWanted = args.length > 0 || process.env.npm_config_build_from_source === 'true';
if (isWanted || !prebuiltWorks()) {
  cmake('-S', '.', '-B', build, '-DNEXTID_TESTS=OFF');
  cmake('--build', build, '--parallel', '2', '--config', 'Release');
}
