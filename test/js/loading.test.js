'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { platform } = require('../../lib/platform');
const { describeMongo } = require('../support/stores');

let folder;

// As in a service that has installed the package.
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-service-'));
  fs.mkdirSync(path.join(folder, 'node_modules'));
  fs.symlinkSync(path.join(__dirname, '..', '..'), path.join(folder, 'node_modules', 'nextid'), 'dir');
});

afterAll(() => fs.rmSync(folder, { recursive: true }));

// What a process in the folder of the service prints that runs `source`.
function output(type, source) {
  const flags = [`--input-type=${type}`, '--eval', source];
  return execFileSync(process.execPath, flags, { cwd: folder, encoding: 'utf8', timeout: 120_000 });
}

test('the package loads by require', () => {
  expect(output('commonjs', `
    const { open, NextIdError } = require('nextid');
    const ids = open('sqlite:required.db');
    ids.sequence('orders').nextId().then((id) => console.log(id, NextIdError.name));
  `)).toBe('1 NextIdError\n');
});

test('the package loads by import', () => {
  expect(output('module', `
    import { open, NextIdError } from 'nextid';
    const ids = open('sqlite:imported.db');
    console.log(await ids.sequence('orders').nextId(), NextIdError.name);
  `)).toBe('1 NextIdError\n');
});

test('a service loads no kind of sequence that it does not use', () => {
  const plain = 'index.js,plain.js,series.js,count-options.js';
  expect(output('commonjs', `
    const { sep, basename } = require('path');
    const ids = require('nextid').open('sqlite:kinds.db');
    const folders = ['kinds', 'formats'].map((name) => sep + name + sep);
    const loaded = () => Object.keys(require.cache)
      .filter((file) => folders.some((folder) => file.includes(folder))).map((file) => basename(file)).join();
    ids.sequence('orders');
    console.log(loaded());
    ids.sequence('serial', { cycle: 9 });
    console.log(loaded());
    ids.close();
  `)).toBe(`${plain}\n${plain},cyclic.js,counted.js\n`);
});

test('nextid/callback loads by require', () => {
  expect(output('commonjs', `
    const { init_id, next_id } = require('nextid/callback')('sqlite:required-callback.db');
    init_id('myseq', (err, idstatus) => next_id(idstatus, (err, id) => console.log(err, id)));
  `)).toBe('null 1000\n');
});

test('nextid/callback loads by import', () => {
  expect(output('module', `
    import callback from 'nextid/callback';
    const { init_id, next_id } = callback('sqlite:imported-callback.db');
    init_id('myseq', (err, idstatus) => next_id(idstatus, (err, id) => console.log(err, id)));
  `)).toBe('null 1000\n');
});

// What `await using` calls, which Node knows from version 24 on.
test('sequences and stores are disposed of by Symbol.asyncDispose', () => {
  expect(output('module', `
    import { open } from 'nextid';
    const ids = open('sqlite:disposed.db');
    const orders = ids.sequence('orders');
    await orders.nextId();
    await orders[Symbol.asyncDispose]();
    console.log((await ids.list())[0].next);
    await ids[Symbol.asyncDispose]();
    await ids.list().catch((error) => console.log(error.code));
  `)).toBe('2\nERR_NEXTID_CLOSED\n');
});

test('nothing else of the package can be loaded', () => {
  expect(output('module', `
    await import('nextid/lib/sequence.js').catch((error) => console.log(error.code));
  `)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED\n');
});

describe('where no binary works', () => {
  const addon = () => path.join(folder, 'bare', 'lib', 'addon.js');
  const prebuilt = () => path.join(folder, 'bare', 'prebuilds', platform, 'nextid.node');

  beforeAll(() => {
    fs.cpSync(path.join(__dirname, '..', '..', 'lib'), path.join(folder, 'bare', 'lib'), { recursive: true });
  });

  // The error's message, after `change` of what the process says of itself.
  const message = (change = '') => output('commonjs', `
    ${change};
    try { require(${JSON.stringify(addon())}); } catch (error) { console.log(error.code, error.message); }
  `);
  const HOW = /; run "node .+install\.js --build-from-source" \(needs cmake, make and a C\+\+20 compiler\)/;

  test('and none is there for the platform, the error names the platform and how to build', () => {
    expect(message()).toContain(`no prebuilt binary for ${platform}`);
    expect(message()).toMatch(HOW);
  });

  test('and the prebuilt one cannot be loaded, the error says what that needs', () => {
    fs.mkdirSync(path.dirname(prebuilt()), { recursive: true });
    fs.writeFileSync(prebuilt(), 'no binary');
    const shown = message();
    expect(shown).toMatch(/^ERR_NEXTID_STORE_UNSUPPORTED .* cannot be loaded: expected (glibc|musl) \d/);
    expect(shown).toMatch(HOW);
    fs.rmSync(prebuilt());
  });

  test('and the C library is musl, a binary for musl is wanted', () => {
    const program = path.join(folder, 'bare', 'program');
    const runsAs = `Object.defineProperty(process, 'execPath', { value: ${JSON.stringify(program)} })`;
    fs.writeFileSync(program, '\x7fELF\0/lib/ld-musl-x86_64.so.1\0');
    expect(message(runsAs)).toContain(`no prebuilt binary for linux-${process.arch}-musl: expected`);
    expect(message(runsAs)).toMatch(HOW);
    fs.writeFileSync(program, '\x7fELF\0/lib64/ld-linux-x86-64.so.2\0');
    expect(message(runsAs)).not.toContain('musl');
    fs.writeFileSync(program, '\x7fELF, whose interpreter stands elsewhere');
    expect(message(runsAs)).toContain(platform);
    const report = 'process.report.getReport = () => ({ header: {} })';
    expect(message(`${runsAs}; ${report}`)).toContain(`linux-${process.arch}-musl`);
  });
});

describeMongo('libmongoc', () => {
  // It would stay there after a SIGKILL, and disturb a later process with the same id.
  test('leaves no file in /dev/shm', () => {
    expect(output('commonjs', `
      const ids = require('nextid').open('mongodb://127.0.0.1:1/ids');
      const file = '/dev/shm/mongoc-' + process.pid;
      console.log(require('fs').existsSync(file), 'MONGOC_DISABLE_SHM' in process.env);
      ids.close();
    `)).toBe('false false\n');
  });
});
