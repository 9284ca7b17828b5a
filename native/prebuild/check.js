'use strict';

// Reads the prebuilt binaries as a sceptic would: `node check.js [PROJECT]`. Fails where one would not load
// on a bare machine, shows the building machine, or is larger than it may be.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const GLIBC = [2, 28]; // the newest that may be asked for
const MOST_BYTES = 12e6;
const ENTRY_POINTS = ['napi_register_module_v1', 'node_api_module_get_api_version_v1'];
const GLIBC_FILES = /^(libc|libm|libdl|librt|libpthread|libresolv|ld-linux-(x86-64|aarch64))\.so\.\d$/;
const MACHINES = { x64: 'X86-64', arm64: 'AArch64' };

const project = path.resolve(process.argv[2] ?? path.join(__dirname, '..', '..'));
const builder = [project, os.homedir(), '/tmp/', os.hostname()].filter((part) => part.length > 3);

function readelf(option, file) {
  return execFileSync('readelf', ['--wide', option, file], { encoding: 'utf8', maxBuffer: 1e9 });
}

function symbolsOf(file) {
  return readelf('--dyn-syms', file).split('\n').flatMap((line) => {
    const [number, , , , bind, , where, name = '', version] = line.trim().split(/\s+/);
    if (!/^\d+:$/.test(number) || name === '') return [];
    const [plain, glibc] = name.split('@').filter(Boolean);
    return [{ name: plain, bind, isThere: where !== 'UND', version: glibc ?? version }];
  });
}

const isTooNew = (version) => {
  const [major, minor] = version.replace('GLIBC_', '').split('.').map(Number);
  return major > GLIBC[0] || (major === GLIBC[0] && minor > GLIBC[1]);
};

function* faultsOf(file, arch) {
  const { size } = fs.statSync(file);
  if (size > MOST_BYTES) yield `has ${size} bytes, more than ${MOST_BYTES}`;
  if (!readelf('--file-header', file).includes(MACHINES[arch])) yield `is not for ${arch}`;
  for (const { name, bind, isThere, version } of symbolsOf(file)) {
    if (isThere) {
      if (!ENTRY_POINTS.includes(name)) yield `exports ${name}`;
    } else if (/^(napi|node_api)_/.test(name)) {
      // Node's own
    } else if (version?.startsWith('GLIBC_')) {
      if (isTooNew(version)) yield `asks for ${name} of ${version}`;
    } else if (bind !== 'WEAK') {
      yield `asks for ${name}, which no library it names has`;
    }
  }
  for (const [, tag, value] of readelf('--dynamic', file).matchAll(/\((\w+)\).*\[(.*)\]/g)) {
    if (tag === 'NEEDED' && !GLIBC_FILES.test(value)) yield `needs ${value}`;
    if (/^R(UN)?PATH$/.test(tag)) yield `has the ${tag} ${value}`;
  }
  if (/\.(symtab|debug)/.test(readelf('--section-headers', file))) yield 'is not stripped';
  const text = fs.readFileSync(file).toString('latin1');
  for (const part of builder) if (text.includes(part)) yield `shows the building machine: ${part}`;
}

let faulty = false;
for (const platform of fs.readdirSync(path.join(project, 'prebuilds'))) {
  const folder = path.join(project, 'prebuilds', platform);
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name);
    const faults = [...faultsOf(file, platform.split('-')[1])];
    faulty ||= faults.length > 0;
    console.log(`${platform}/${name}: ${fs.statSync(file).size} bytes, ${faults.join('; ') || 'ok'}`);
  }
}
if (faulty) process.exitCode = 1;
