'use strict';

// Reads the prebuilt binaries as a sceptic would: `node check.js [PROJECT]`. Fails where one would not load
// on a bare machine, shows the building machine, is larger than it may be, holds other versions than
// third-party.json says, or is older than the sources.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { changesSince } = require('./built-from');

const GLIBC = [2, 28]; // the newest that may be asked for
const MOST_BYTES = 12e6;
const ENTRY_POINTS = ['napi_register_module_v1', 'node_api_module_get_api_version_v1'];
const GLIBC_FILES = /^(libc|libm|libdl|librt|libpthread|libresolv|ld-linux-(x86-64|aarch64))\.so\.\d$/;
const MODULES = { 'nextid.node': 'the SQLite store', 'nextid_mongo.node': 'the MongoDB store' };
const MACHINES = { x64: 'X86-64', arm64: 'AArch64' };

const project = path.resolve(process.argv[2] ?? path.join(__dirname, '..', '..'));
const parts = require(path.join(project, 'native', 'prebuild', 'third-party.json'));
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

// As the libraries themselves write it: 1.30.4 for Debian's 1.30.4-1+deb13u3, 1.3.1 for
// 1:1.3.dfsg+really1.3.1-1.
const upstream = (version) => /([\d.]+\d)(?:\+dfsg)?(?:-.*)?$/.exec(version)[1];

function* otherVersions(text, module) {
  for (const [name, { part, version }] of Object.entries(parts)) {
    if (part !== module) continue;
    const its = upstream(version);
    const alone = new RegExp(`(?<![\\d.])${its.replaceAll('.', '\\.')}(?![\\d.])`);
    if (!alone.test(text)) yield `holds another version of ${name} than ${its}`;
  }
}

function* faultsOf(file, arch) {
  const { size } = fs.statSync(file);
  if (size > MOST_BYTES) yield `has ${size} bytes, more than ${MOST_BYTES}`;
  if (fs.readFileSync(file).toString('latin1', 1, 4) !== 'ELF') {
    yield 'is no binary';
    return;
  }
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
  yield* otherVersions(text, MODULES[path.basename(file)]);
}

let faulty = false;
function report(name, faults) {
  faulty ||= faults.length > 0;
  console.log(`${name}: ${faults.join('; ') || 'ok'}`);
}

for (const platform of fs.readdirSync(path.join(project, 'prebuilds'))) {
  const folder = path.join(project, 'prebuilds', platform);
  for (const name of Object.keys(MODULES)) {
    const file = path.join(folder, name);
    const isThere = fs.existsSync(file);
    const size = isThere ? `, ${fs.statSync(file).size} bytes` : '';
    const faults = isThere ? faultsOf(file, platform.split('-')[1]) : ['is missing'];
    report(`${platform}/${name}${size}`, [...faults]);
  }
  report(`${platform}, what it was built from`, [...changesSince(folder, project)]);
}
if (faulty) process.exitCode = 1;
