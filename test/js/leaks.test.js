'use strict';

// What is opened and closed, or terminated, leaves nothing behind: no memory, no open files, no threads.

const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { LEAK_CHECK_ENV, LEAK_CHECK_FLAGS } = require('../support/footprint');
const { needs } = require('../support/needs');
const { scaled } = require('../support/scale');
const { describeStores } = require('../support/stores');

const { test: testOnLinux } = needs('linux'); // for /proc
const MB = 2 ** 20;
const TEN_MINUTES = 600_000;

// What the program `script` of test/support prints.
async function run(script, ...args) {
  const file = path.join(__dirname, '..', 'support', script);
  const flags = [...LEAK_CHECK_FLAGS, file, ...args];
  const env = { ...process.env, ...LEAK_CHECK_ENV };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, flags, { env });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describeStores('a process', (fixture) => {
  let url;
  let folder;

  // A file in memory: a hundred thousand rounds on a disk take hours.
  beforeEach(() => {
    if (fixture.kind === 'mongodb') {
      url = fixture.freshUrl();
    } else {
      folder = fs.mkdtempSync('/dev/shm/nextid-leaks-');
      url = `sqlite:${folder}/ids.db`;
    }
  });

  afterEach(() => {
    if (folder !== undefined) fs.rmSync(folder, { recursive: true });
  });

  // In the long run 5 MB are 50 bytes a round with SQLite, and 2.5 kB with MongoDB, where a connection takes
  // 100 kB. (The prebuilt binaries take up to 10 MB in the first 2000 rounds, and in the next 4000 nothing.)
  const [warmUp, rounds] = fixture.kind === 'sqlite'
    ? scaled([500, 2000], [5000, 100_000])
    : scaled([300, fixture.isByDriver ? 300 : 600], [2000, 2000]);
  testOnLinux(`that opens and closes ${rounds} stores does not grow`, async () => {
    const { before, after } = await run('open-close-rounds.js', url, warmUp, rounds);
    expect(after.memory - before.memory).toBeLessThan(5 * MB);
    expect(after.heap - before.heap).toBeLessThan(1 * MB);
    expect(after.files).toBeLessThanOrEqual(before.files); // sockets that were closed go a little later
    expect(after.threads).toBe(before.threads);
  }, TEN_MINUTES);

  // Threads that do no more than load the package mongodb cause a noise of 90 MB: see lifetime.test.js.
  if (fixture.isByDriver) return;
  // One that stays behind takes 4 MB.
  const threads = scaled(40, 200);
  testOnLinux(`that terminates ${threads} worker_threads amid refills does not grow`, async () => {
    const { before, after, refilling } = await run('terminated-threads.js', url, scaled(20, 50), threads);
    expect(refilling).toBeGreaterThan(0.75 * threads);
    expect(after.memory - before.memory).toBeLessThan(8 * MB);
    expect(after.files).toBe(before.files);
    expect(after.threads).toBe(before.threads);
  }, TEN_MINUTES);
});
