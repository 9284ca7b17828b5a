'use strict';

// Reads the prebuilt binaries as a sceptic would: `node check.js [PROJECT]`. Fails where one would not load
// on a bare machine, shows the building machine, is larger than it may be, holds other versions than
// third-party.json says, or is older than the sources.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { changesSince } = require('./built-from');

const MOST_BYTES = 12e6;
const ENTRY_POINTS = ['napi_register_module_v1', 'node_api_module_get_api_version_v1'];
const NODES_OWN = /^(napi|node_api)_/;
const MODULES = { 'nextid.node': 'the SQLite store', 'nextid_mongo.node': 'the MongoDB store' };
// What a binary may need: the libraries of the bare system, and the oldest release of it.
const SYSTEMS = {
  'linux': {
    magic: '\x7fELF', machines: { x64: 'X86_64', arm64: 'AARCH64' }, oldest: [2, 28], // of glibc
    hasVersions: true,
    libraries: /^(libc|libm|libdl|librt|libpthread|libresolv|ld-linux-(x86-64|aarch64))\.so\.\d$/,
    modules: ['nextid.node', 'nextid_mongo.node'],
  },
  'linux-musl': {
    magic: '\x7fELF', machines: { x64: 'X86_64', arm64: 'AARCH64' },
    libraries: /^libc\.so$/,
    modules: ['nextid.node'],
  },
  'darwin': {
    magic: '\xcf\xfa\xed\xfe', machines: { x64: 'X86_64', arm64: 'ARM64' }, oldest: [11, 0],
    libraries: /^\/usr\/lib\/libSystem\.B\.dylib$/,
    // zig's linker cannot hide them. macOS takes those of the first library for all; each calls malloc().
    mayExport: /^(_Z(nw|na|dl|da)\w+|__dso_handle|_mh_dylib_header)$/,
    modules: ['nextid.node'],
  },
  'win32': {
    magic: 'MZ', machines: { x64: 'AMD64', arm64: 'ARM64' }, oldest: [10, 0],
    libraries: /^(node\.exe|kernel32\.dll|api-ms-win-crt-\w+-l1-1-0\.dll)$/i,
    modules: ['nextid.node'],
  },
};

const project = path.resolve(process.argv[2] ?? path.join(__dirname, '..', '..'));
const parts = require(path.join(project, 'native', 'prebuild', 'third-party.json'));
const builder = [project, os.homedir(), '/tmp/', os.hostname()].filter((part) => part.length > 3);

/** What describe.py prints of a file. */
function describe(file) {
  const python = path.join(project, 'build-prebuild', `zig-${parts.zig.version}`, 'bin', 'python');
  if (!fs.existsSync(python)) throw new Error('build-prebuild/ is missing: run "npm run build:binaries"');
  const args = [path.join(__dirname, 'describe.py'), file];
  return JSON.parse(execFileSync(python, args, { encoding: 'utf8', maxBuffer: 1e9 }))[0];
}

const isNewer = ([major, minor], than) => major > than[0] || (major === than[0] && minor > than[1]);

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

function* faultsOf(file, system, arch) {
  const { size } = fs.statSync(file);
  if (size > MOST_BYTES) yield `has ${size} bytes, more than ${MOST_BYTES}`;
  if (fs.readFileSync(file).toString('latin1', 0, system.magic.length) !== system.magic) {
    yield 'is no binary';
    return;
  }
  const binary = describe(file);
  if (binary.machine !== system.machines[arch]) yield `is not for ${arch}`;
  for (const name of binary.exports) {
    if (!ENTRY_POINTS.includes(name) && !system.mayExport?.test(name)) yield `exports ${name}`;
  }
  for (const name of ENTRY_POINTS) if (!binary.exports.includes(name)) yield `does not export ${name}`;
  for (const name of binary.libraries) if (!system.libraries.test(name)) yield `needs ${name}`;
  for (const searched of binary.searched) yield `looks for libraries in ${searched}`;
  for (const symbol of binary.imports) yield* faultsOfImport(symbol, system);
  const { oldest } = binary;
  if (oldest && isNewer(oldest, system.oldest)) yield `needs release ${oldest.join('.')} of the system`;
  if (!binary.isStripped) yield 'is not stripped';
  if (binary.isRelocatable === false) yield 'lacks DYNAMIC_BASE or NX_COMPAT';
  if (binary.isSigned === false && arch === 'arm64') yield 'is not signed, which macOS insists on';
  const text = fs.readFileSync(file).toString('latin1');
  for (const part of builder) if (text.includes(part)) yield `shows the building machine: ${part}`;
  yield* otherVersions(text, MODULES[path.basename(file)]);
}

function* faultsOfImport({ name, isWeak, version, library }, { hasVersions, oldest }) {
  const isNodes = NODES_OWN.test(name);
  if (library === 'node.exe' && !isNodes) yield `asks Node for ${name}`;
  if (!hasVersions || isNodes) return;
  if (version.startsWith('GLIBC_')) {
    if (isNewer(version.slice('GLIBC_'.length).split('.').map(Number), oldest)) {
      yield `asks for ${name} of ${version}`;
    }
  } else if (!isWeak) {
    yield `asks for ${name}, which no library it names has`;
  }
}

let faulty = false;
function report(name, faults) {
  faulty ||= faults.length > 0;
  console.log(`${name}: ${faults.join('; ') || 'ok'}`);
}

for (const platform of fs.readdirSync(path.join(project, 'prebuilds'))) {
  const folder = path.join(project, 'prebuilds', platform);
  const system = SYSTEMS[platform.replace(/-(x64|arm64)/, '')];
  for (const name of system.modules) {
    const file = path.join(folder, name);
    const isThere = fs.existsSync(file);
    const size = isThere ? `, ${fs.statSync(file).size} bytes` : '';
    const faults = isThere ? faultsOf(file, system, platform.split('-')[1]) : ['is missing'];
    report(`${platform}/${name}${size}`, [...faults]);
  }
  report(`${platform}, what it was built from`, [...changesSince(folder, project)]);
}
if (faulty) process.exitCode = 1;
