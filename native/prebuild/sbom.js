'use strict';

// The software bill of materials of the prebuilt binaries, in CycloneDX 1.6: `node sbom.js` writes
// sbom.cdx.json. It has no date and no serial number, so that equal versions make equal files.

const fs = require('node:fs');
const path = require('node:path');

const FILE = 'sbom.cdx.json';
const TYPES = { PyPI: 'pypi', npm: 'npm' };

/** What stands in sbom.cdx.json of the project in the folder `root`: text. */
function sbom(root) {
  const read = (file) => JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'));
  const { name, version, license } = read('package.json');
  const components = Object.entries(read('native/prebuild/third-party.json')).map(([its, part]) => ({
    'type': 'library',
    'bom-ref': its,
    'name': its,
    'version': part.version,
    'description': part.part,
    'licenses': [{ expression: part.license }],
    'purl': purlOf(its, part),
  }));
  const self = { 'type': 'library', 'bom-ref': name, name, version };
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { ...self, licenses: [{ license: { id: license } }], purl: `pkg:npm/${name}@${version}` },
    },
    components,
    dependencies: [{ ref: name, dependsOn: components.map((component) => component.name) }],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

// `from` says where the source comes from; SQLite's package carries it under a version of its own.
function purlOf(name, { from, version }) {
  const [source, carrier] = from.split(' ');
  const encoded = encodeURIComponent(version);
  if (source === 'Debian') return `pkg:deb/debian/${carrier}@${encoded}?distro=trixie`;
  if (carrier === 'better-sqlite3') return `pkg:generic/${name.toLowerCase()}@${encoded}`;
  return `pkg:${TYPES[source]}/${carrier}@${encoded}`;
}

if (require.main === module) {
  const root = path.join(__dirname, '..', '..');
  fs.writeFileSync(path.join(root, FILE), sbom(root));
}

module.exports = { FILE, sbom };
