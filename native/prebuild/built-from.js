'use strict';

// What the prebuilt binaries of one platform were built from; kept beside them as built-from.json, by which
// check.js sees what has changed since. `node built-from.js FOLDER ZIG` writes it for the binaries in FOLDER,
// made by the program ZIG.

const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const NAME = 'built-from.json';
const SOURCES = /\.(c|cmake|cpp|h|json|map)$/; // those in native/; third-party.json stands for the libraries

const read = (...parts) => fs.readFileSync(path.join(...parts));

function hashOf(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** One hash over all that is compiled. */
function sourcesHash(project) {
  const files = fs.readdirSync(path.join(project, 'native'), { recursive: true })
    .filter((file) => SOURCES.test(file))
    .map((file) => path.posix.join('native', file));
  const parts = ['CMakeLists.txt', ...files.sort()].flatMap((file) => [`\0${file}\0`, read(project, file)]);
  return hashOf(...parts);
}

/** The versions of what comes from node_modules. (SQLite's is pinned among the sources.) */
function moduleVersions(project) {
  const { version } = JSON.parse(read(project, 'node_modules/node-addon-api/package.json'));
  return { 'node-addon-api': version };
}

function binaryHashes(folder) {
  const names = fs.readdirSync(folder).filter((name) => name.endsWith('.node')).sort();
  return Object.fromEntries(names.map((name) => [name, hashOf(read(folder, name))]));
}

const noticesHash = (project) => hashOf(read(project, 'THIRD_PARTY_NOTICES'));

/** What stands in built-from.json and is no longer so; sentences. */
function* changesSince(folder, project) {
  const file = path.join(folder, NAME);
  if (!fs.existsSync(file)) {
    yield `has no ${NAME}`;
    return;
  }
  const { binaries, notices, sources, versions } = JSON.parse(read(file));
  const parts = JSON.parse(read(project, 'native/prebuild/third-party.json'));
  if (sources !== sourcesHash(project)) yield 'is older than the sources';
  if (notices !== noticesHash(project)) yield 'goes with another THIRD_PARTY_NOTICES';
  for (const [name, hash] of Object.entries(binaryHashes(folder))) {
    if (hash !== binaries[name]) yield `${name} is not the file that was built`;
  }
  const found = { 'was built with': versions, 'node_modules has': moduleVersions(project) };
  for (const [where, itsVersions] of Object.entries(found)) {
    for (const [name, version] of Object.entries(itsVersions)) {
      const listed = parts[name]?.version;
      if (version !== listed) yield `${where} ${name} ${version}, third-party.json says ${listed}`;
    }
  }
}

/** What built-from.json holds, for the binaries in `folder` that the release `zig` of zig has made. */
function describeBuild(folder, project, zig) {
  return {
    sources: sourcesHash(project),
    versions: { zig, ...moduleVersions(project) },
    notices: noticesHash(project),
    binaries: binaryHashes(folder),
  };
}

if (require.main === module) {
  const [folder, zig] = process.argv.slice(2);
  const version = execFileSync(zig, ['version'], { encoding: 'utf8' }).trim();
  const build = describeBuild(folder, path.join(__dirname, '..', '..'), version);
  fs.writeFileSync(path.join(folder, NAME), `${JSON.stringify(build, null, 2)}\n`);
}

module.exports = { changesSince, describeBuild };
