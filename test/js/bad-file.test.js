'use strict';

// Files that are no store, or no use as one. Each error has a code and says what is wrong, what was expected
// and what to do.

const { execFileSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { open } = require('../..');
const { startProgram } = require('../support/run-program');
const { sqlite } = require('../support/stores');

let folder;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-bad-file-'));
});
afterEach(() => {
  for (const name of fs.readdirSync(folder)) fs.chmodSync(path.join(folder, name), 0o700);
  fs.rmSync(folder, { recursive: true });
});

// What the calls that reach the store reject with.
async function errorsOf(ids) {
  const orders = ids.sequence('orders');
  const calls = [ids.list(), orders.nextId(), orders.nextIds(2), orders.reserve(2), ids.advance('orders', 5)];
  const outcomes = await Promise.allSettled(calls);
  return outcomes.map(({ reason }) => reason);
}

describe('a file', () => {
  let file;
  beforeEach(() => {
    file = path.join(folder, 'ids.db');
  });

  async function makeStore() {
    const ids = open(`sqlite:${file}`);
    await ids.sequence('orders').nextId();
    await ids.close();
  }

  function facts() {
    try {
      const { size, mtimeMs } = fs.statSync(file);
      return { size, mtimeMs };
    } catch ({ code }) {
      return { code };
    }
  }

  const STORE_INVALID = { name: 'NextIdError', code: 'ERR_NEXTID_STORE_INVALID' };
  const rows = {
    'that is a folder': {
      make: () => fs.mkdirSync(file),
      message: /ids\.db: it is a folder, and a file was expected; give a file in it, such as .*nextid\.db/,
      mend: () => fs.rmdirSync(file),
    },
    'that is a text': {
      make: () => fs.writeFileSync(file, 'To whom it may concern, '.repeat(100)),
      message: /ids\.db is not an SQLite database, and was left as it is; give the path of a nextid store/,
      mend: () => fs.unlinkSync(file),
    },
    'that is a short text': {
      make: () => fs.writeFileSync(file, 'hello\n'),
      message: /ids\.db is not an SQLite database, and was left as it is; give the path of a nextid store/,
      mend: () => fs.unlinkSync(file),
    },
    'that is a pipe': {
      make: () => execFileSync('mkfifo', [file]),
      message: /ids\.db: it is no ordinary file; give another path/,
      mend: () => fs.unlinkSync(file),
    },
    'in a folder that is missing': {
      make: () => {
        file = path.join(folder, 'missing', 'ids.db');
      },
      message: /ids\.db: the folder .*missing does not exist; make it, or give another path/,
      mend: () => fs.mkdirSync(path.join(folder, 'missing')),
    },
    'in a folder that is a file': {
      make: () => {
        fs.writeFileSync(file, '');
        file = path.join(file, 'ids.db');
      },
      message: /ids\.db\/ids\.db: .*ids\.db is not a folder; give another path/,
      mend: () => {
        fs.unlinkSync(path.dirname(file));
        fs.mkdirSync(path.dirname(file));
      },
    },
    'that is a database of another program': {
      make: () => sqlite(file, 'CREATE TABLE albums (title TEXT)'),
      message: /ids\.db belongs to another program .*left as it is; give the counters a file of their own/,
      mend: () => sqlite(file, 'DROP TABLE albums'),
    },
    'that is another program\'s by its application id': {
      make: () => sqlite(file, 'PRAGMA application_id = 4919'),
      message: /ids\.db belongs to another program \(its application_id is 0x1337, a nextid store's is 0x/,
      mend: () => sqlite(file, 'PRAGMA application_id = 0'),
    },
    'of a newer schema': {
      make: async () => {
        await makeStore();
        sqlite(file, 'PRAGMA user_version = 2');
      },
      message: /ids\.db was written by a newer nextid \(its version is 2, .* knows 1\); update nextid/,
      mend: () => sqlite(file, 'PRAGMA user_version = 1'),
    },
    'of no schema': {
      make: async () => {
        await makeStore();
        sqlite(file, 'PRAGMA user_version = 0');
      },
      message: /ids\.db is damaged \(its version is 0, 1 was expected\); restore it from a backup/,
      mend: () => sqlite(file, 'PRAGMA user_version = 1'),
    },
    'whose table is gone': {
      make: async () => {
        await makeStore();
        sqlite(file, 'ALTER TABLE counters RENAME TO others');
      },
      message: /ids\.db does not hold the table of counters .*restore it from a backup, or give another path/,
      mend: () => sqlite(file, 'ALTER TABLE others RENAME TO counters'),
    },
    'with bytes overwritten': {
      make: async () => {
        await makeStore();
        fs.copyFileSync(file, `${file}.good`);
        const handle = fs.openSync(file, 'r+');
        fs.writeSync(handle, Buffer.alloc(4000, 0xa5), 0, 4000, 100);
        fs.closeSync(handle);
      },
      message: /ids\.db is damaged; restore it from a backup, then move each counter .*nextid advance NAME N/,
      mend: () => fs.renameSync(`${file}.good`, file),
    },
  };

  test.each(Object.entries(rows))('%s', async (_, { make, message, mend }) => {
    await make();
    const before = facts();
    const ids = open(`sqlite:${file}`);
    for (const error of await errorsOf(ids)) {
      expect(error).toMatchObject(STORE_INVALID);
      expect(error.message).toMatch(message);
    }
    expect(facts()).toEqual(before);

    // No error sticks.
    await mend();
    expect(await ids.sequence('orders').nextId()).toBeGreaterThan(0);
    await ids.close();
  });
});

describe('a file without permission', () => {
  // Tries each URL in a process that may not do everything.
  const tryAll = async (urls) => {
    const { open } = require('nextid');
    if (process.getuid() === 0) {
      process.setgroups([]);
      process.setgid(65534);
      process.setuid(65534);
    }
    const calls = urls.map((url) => open(url).sequence('orders').nextId());
    const errors = (await Promise.allSettled(calls)).map(({ reason: { code, message } }) => [code, message]);
    process.send(errors);
  };

  test('to read, to write, or to make files in its folder', async () => {
    fs.chmodSync(folder, 0o755);
    const make = async (name, { inFolder, onFile }) => {
      fs.mkdirSync(path.join(folder, name), { mode: 0o755 });
      const url = `sqlite:${path.join(folder, name, 'ids.db')}`;
      if (onFile !== undefined) {
        const ids = open(url);
        await ids.sequence('orders').nextId();
        await ids.close();
        fs.chmodSync(path.join(folder, name, 'ids.db'), onFile);
      }
      fs.chmodSync(path.join(folder, name), inFolder);
      return url;
    };
    const urls = [
      await make('read-only file', { inFolder: 0o777, onFile: 0o444 }),
      await make('unreadable file', { inFolder: 0o777, onFile: 0o000 }),
      await make('read-only folder', { inFolder: 0o555 }),
      await make('read-only folder with a file', { inFolder: 0o555, onFile: 0o666 }),
      await make('closed folder', { inFolder: 0o000 }),
    ];
    const { process: child, ended } = startProgram(tryAll, [urls]);
    const [errors] = await once(child, 'message');
    expect(await ended).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
    for (const [i, [code, message]] of errors.entries()) {
      expect(`${urls[i]}: ${code}`).toBe(`${urls[i]}: ERR_NEXTID_ACCESS_DENIED`);
      expect(message).toContain(urls[i]);
      expect(message).toMatch(/this process.*; let it (read and )?write the file, and make files in /);
    }
  });
});
