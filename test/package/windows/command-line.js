'use strict';

// The command line: what it prints, and its exit codes.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const CLI = path.resolve('node_modules/nextid/lib/cli.js');
const STORE = `sqlite:${path.resolve('with a blank', 'ids.db')}`; // C:\…

function nextid(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

fs.mkdirSync('with a blank', { recursive: true });
assert.equal(nextid('next', 'orders', '--count', '5', '--store', STORE).stdout, '1\n2\n3\n4\n5\n');
assert.deepEqual(nextid('advance', 'orders', '48211', '--store', STORE).status, 0);
assert.deepEqual(nextid('next', 'orders', '--store', STORE), { status: 0, stdout: '48211\n', stderr: '' });
assert.match(nextid('next', 'tickets', '--period', 'year', '--store', STORE).stdout, /^\d\d-0*1\n$/);
const listed = JSON.parse(nextid('list', '--json', '--store', STORE).stdout);
assert.deepEqual(listed.map(({ name }) => name), ['orders', 'tickets']);
assert.match(nextid('--version', '--verbose').stdout, /prebuilt, win32-x64/);
assert.deepEqual(fs.readdirSync('with a blank'), ['ids.db']);

const wrong = [
  [2, 'sqlite:C:\\data\\', /the path of the sqlite: URL is a folder/],
  [2, 'sqlite:NUL', /'NUL', a device on Windows/],
  [2, 'sqlite:ids.db?mode=ro', /has a \? or a #/],
  [2, 'C:\\data\\ids.db', /did you mean 'sqlite:C:'/],
  [1, 'sqlite:C:\\no folder\\ids.db', /the folder C:\\no folder does not exist; make it/],
];
for (const [code, url, message] of wrong) {
  const { status, stdout, stderr } = nextid('next', 'orders', '--store', url);
  assert.deepEqual({ status, stdout }, { status: code, stdout: '' }, url);
  assert.match(stderr, message);
}
