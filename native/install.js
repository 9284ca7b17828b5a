'use strict';

// Builds the native modules into build/, unless prebuilt ones work here; `--build-from-source` builds in any
// case. No script of npm runs it: npm 12 warns of packages with "install" or "prepare".

const { spawnSync } = require('node:child_process');
const path = require('node:path');

const root = path.join(__dirname, '..');
const build = path.join(root, 'build');

const INSTALL = `
  Debian, Ubuntu:  apt install cmake make g++
  Alpine:          apk add cmake make g++
  Fedora, RHEL:    dnf install cmake make gcc-c++
  macOS:           xcode-select --install && brew install cmake
  Windows:         Visual Studio with C++, and CMake`;

function prebuiltWorks() {
  try {
    const { platform } = require('../lib/platform');
    require(path.join(root, 'prebuilds', platform, 'nextid.node'));
    return true;
  } catch {
    return false;
  }
}

const runs = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

// What a build needs and this machine lacks. On Windows CMake itself looks for Visual Studio.
function missingTools() {
  const compilers = process.env.CXX ? [process.env.CXX.split(' ')[0]] : ['c++', 'g++', 'clang++'];
  const tools = [['cmake', ['cmake']]];
  if (process.platform !== 'win32') {
    tools.push(['make', [process.env.CMAKE_GENERATOR?.startsWith('Ninja') ? 'ninja' : 'make']],
      ['a C++20 compiler', compilers]);
  }
  return tools.filter(([, programs]) => !programs.some(runs)).map(([tool]) => tool);
}

function cmake(...args) {
  const { status } = spawnSync('cmake', args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status || 1);
}

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg !== '--build-from-source');
if (unknown !== undefined) {
  console.error(`nextid: unknown argument '${unknown}': the only argument is --build-from-source`);
  process.exit(2);
}
const isWanted = args.length > 0 || process.env.npm_config_build_from_source === 'true';
if (isWanted || !prebuiltWorks()) {
  const missing = missingTools();
  if (missing.length > 0) {
    const tools = missing.join(' and ');
    console.error(`nextid: cannot build without ${tools}; install what is missing and try again:${INSTALL}`);
    process.exit(1);
  }
  cmake('-S', '.', '-B', build, '-DNEXTID_TESTS=OFF');
  cmake('--build', build, '--parallel', '2', '--config', 'Release');
}
