'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Release } = require('../package/release-check');

const ROOT = path.join(__dirname, '..', '..');

const readme = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');
const pictures = Array.from(readme.matchAll(/!\[[^\]]*\]\((?!\w+:)([^)]+)\)/g), ([, file]) => file);

// What `npm publish` would upload, by path.
function packedFiles() {
  const [{ files }] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'],
  }));
  return files.map((file) => file.path);
}

describe('the package', () => {
  let packed;
  beforeAll(() => {
    packed = packedFiles();
  });

  test('holds what test/package/contents.txt lists, and nothing else', () => {
    expect(new Release(ROOT).problems(['contents'])).toEqual([]);
  });

  test('holds sources and pages only: nothing that a build or an editor has left', () => {
    const sources = /^lib\/.+\.(js|d\.ts)$|^native\/.+\.(cmake|cpp|h)$|^native\/install\.js$|^[^/]+$/;
    const pages = /^docs\/.+\.md$/;
    const versions = /^native\/prebuild\/third-party\.json$/;
    const binaries = /^prebuilds\/[\w-]+\/(nextid(_mongo)?\.node|built-from\.json)$/;
    const isKnown = (file) => [sources, pages, versions, binaries].some((kind) => kind.test(file));
    const others = packed.filter((file) => !isKnown(file) && !pictures.includes(file));
    expect(others).toEqual([]);
  });

  // npm 12 and pnpm 11 warn of those that have one.
  test('has no install script', () => {
    const { scripts } = require('../../package.json');
    for (const script of ['preinstall', 'install', 'postinstall', 'prepare']) {
      expect(scripts).not.toHaveProperty(script);
    }
    expect(packed).not.toContain('binding.gyp'); // npm would run node-gyp
    expect(require('../../package-lock.json').packages['']).not.toHaveProperty('hasInstallScript');
  });

  test('holds the pictures that README shows', () => {
    expect(pictures).not.toEqual([]);
    for (const picture of pictures) expect(packed).toContain(picture);
  });

  test('holds every file that package.json and CMakeLists.txt name', () => {
    const { main, types, bin, exports } = require('../../package.json');
    const exported = Object.values(exports)
      .flatMap((entry) => (typeof entry === 'string' ? entry : Object.values(entry)));
    const named = [main, types, ...Object.values(bin), ...exported].map((file) => path.normalize(file));
    const cmake = fs.readFileSync(path.join(ROOT, 'CMakeLists.txt'), 'utf8');
    const built = cmake.match(/(?<!test\/|bench\/)native\/[\w/]+\.cpp/g);
    for (const file of [...named, ...built]) expect(packed).toContain(file);
  });

  describe('as a service has it installed', () => {
    let service;

    beforeAll(() => {
      service = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-service-'));
      const installed = path.join(service, 'node_modules', 'nextid');
      for (const file of packed) fs.cpSync(path.join(ROOT, file), path.join(installed, file));
      // What native/install.js makes.
      fs.symlinkSync(path.join(ROOT, 'build'), path.join(installed, 'build'), 'dir');
    });

    afterAll(() => fs.rmSync(service, { recursive: true }));

    function node(...args) {
      return execFileSync(process.execPath, args, { cwd: service, encoding: 'utf8', timeout: 120_000 });
    }

    const run = (type, source) => node(`--input-type=${type}`, '--eval', source);

    test('loads by require', () => {
      expect(run('commonjs', `
        const { open } = require('nextid');
        const { init_id } = require('nextid/callback')('sqlite:required.db');
        open('sqlite:required.db').sequence('orders').nextId().then((id) => console.log(id, typeof init_id));
      `)).toBe('1 function\n');
    });

    test('loads by import', () => {
      expect(run('module', `
        import { open, NextIdError } from 'nextid';
        import callbackInterface from 'nextid/callback';
        import { metrics } from 'nextid/prometheus';
        const ids = open('sqlite:imported.db');
        const id = await ids.sequence('orders').nextId();
        console.log(id, NextIdError.name, typeof callbackInterface, metrics(ids).slice(0, 13));
      `)).toBe('1 NextIdError function # HELP nextid\n');
    });

    test('runs as a command', () => {
      const { bin, version } = require('../../package.json');
      const command = path.join('node_modules', 'nextid', bin.nextid);
      expect(node(command, '--version').trim()).toContain(version);
      expect(node(command, 'next', 'orders', '--store', 'sqlite:command.db')).toBe('1\n');
    });
  });
});

test('in its own folder it goes by its own name, as the examples and tests use it', () => {
  expect(require('nextid')).toBe(require('../..'));
  expect(require('nextid/callback')).toBe(require('../../lib/callback'));
  expect(require('nextid/prometheus')).toBe(require('../../lib/prometheus'));
  expect(require('nextid/store-tests')).toBe(require('../../lib/store-tests'));
});
