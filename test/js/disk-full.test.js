'use strict';

// A SQLite store on a real disk that is full, and on one that turns read-only.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { open } = require('../..');
const { Journals, SEQUENCES, startTaking } = require('../support/ids-of-all-kinds');
const { needs } = require('../support/needs');
const { refusal, served } = require('../support/short-timeouts');
const { SmallDisk } = require('../support/small-disk');

const PROCESSES = 3;
const TIMEOUT = 500; // ms

needs('mount', 'sqlite3').describe('a disk of 1 MB', () => {
  let disk;
  let file;
  let ids;
  let journalFolder;
  let programs;

  beforeEach(() => {
    programs = [];
    disk = new SmallDisk();
    file = path.join(disk.folder, 'ids.db');
    ids = open(`sqlite:${file}`);
    journalFolder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-'));
  });

  afterEach(async () => {
    for (const program of programs) program.kill('SIGKILL');
    await ids.close();
    disk.remove();
    fs.rmSync(journalFolder, { recursive: true });
  });

  // While somebody reads, -wal cannot be begun anew: each commit makes it longer. (Else a store in use goes
  // on although the disk is full, as it needs no more room.)
  async function startReading() {
    const shell = spawn('sqlite3', [file], { stdio: ['pipe', 'pipe', 'inherit'] });
    programs.push(shell);
    shell.stdin.write(".timeout 5000\nBEGIN;\nSELECT count(*) || ' counters' FROM counters;\n");
    await once(shell.stdout, 'data');
    return () => {
      shell.stdin.end();
      return once(shell, 'exit');
    };
  }

  // Resolves once each process has said of each sequence what `isIt` is true for.
  function allTell(processes, isIt) {
    return Promise.all(processes.map((process) => new Promise((resolve) => {
      const missing = new Set(Object.keys(SEQUENCES));
      process.onTold = (message) => {
        if (isIt(message)) missing.delete(message.name);
        if (missing.size === 0) resolve();
      };
    })));
  }

  test('full: calls are refused, ids in memory are not, and all goes on where there is room', async () => {
    const orders = ids.sequence('orders', { step: 1000, timeout: TIMEOUT });
    const given = [await served(() => orders.nextId())];
    const journals = new Journals(journalFolder);
    const processes = Array.from({ length: PROCESSES }, (_, i) => (
      startTaking(`sqlite:${file}`, journals.pathOf(i), { timeout: 1000 })));
    programs.push(...processes.map(({ process }) => process));
    await allTell(processes, ({ last }) => last !== undefined);

    const stopReading = await startReading();
    disk.fill();
    const refusals = [];
    await allTell(processes, (told) => told.cause !== undefined && refusals.push(told));
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ code: 'ERR_NEXTID_TIMEOUT', cause: 'SqliteError' });
    }
    expect(refusals.some(({ message }) => /is full; free some space/.test(message))).toBe(true);

    for (let id; (id = orders.tryNextId()) !== undefined;) given.push(id);
    expect(given.length).toBeGreaterThanOrEqual(1000);
    expect(await refusal(() => orders.nextId())).toMatchObject({
      code: 'ERR_NEXTID_TIMEOUT',
      message: expect.stringContaining('full'),
      cause: { name: 'SqliteError' },
    });

    disk.makeRoom();
    await stopReading();
    await allTell(processes, ({ last }) => last !== undefined);
    given.push(...await served(() => orders.nextIds(1000)));
    for (const { code, stderr } of await Promise.all(processes.map((process) => process.stop()))) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    journals.read();
    expect(journals.twice).toEqual([]);
    expect(new Set(given).size).toBe(given.length);
  });

  test('full before there is a store: the first number comes where there is room', async () => {
    disk.fill();
    const orders = ids.sequence('orders', { timeout: TIMEOUT });
    expect(await refusal(() => orders.nextId())).toMatchObject({
      code: 'ERR_NEXTID_TIMEOUT', message: expect.stringContaining('full'),
    });
    disk.makeRoom();
    expect(await served(() => orders.nextId())).toBe(1);
  });

  test('read-only: calls are refused, ids in memory are not, and all goes on afterwards', async () => {
    const orders = ids.sequence('orders', { step: 100 });
    const given = [await orders.nextId()];
    // A disk on which a file is open for writing does not become read-only. A store that misses its file
    // closes it, and opens it anew with the next call.
    fs.renameSync(file, `${file}.away`);
    await expect(ids.list()).rejects.toMatchObject({ code: 'ERR_NEXTID_SEQUENCE_MISSING' });
    fs.renameSync(`${file}.away`, file);
    disk.makeReadOnly();

    const denied = { code: 'ERR_NEXTID_ACCESS_DENIED', message: expect.stringContaining(file) };
    await expect(orders.reserve(1000)).rejects.toMatchObject(denied);
    for (let id; (id = orders.tryNextId()) !== undefined;) given.push(id);
    expect(given.length).toBeGreaterThanOrEqual(100);
    await expect(orders.nextId()).rejects.toMatchObject(denied);
    await expect(ids.list()).rejects.toMatchObject(denied);
    await expect(ids.advance('orders', 5)).rejects.toMatchObject(denied);

    disk.makeWritable();
    given.push(...await orders.nextIds(1000));
    expect(new Set(given).size).toBe(given.length);
    expect(Math.min(...given.slice(-1000))).toBeGreaterThan(given.at(-1001));
  });
});
