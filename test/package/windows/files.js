'use strict';

// What others do with the file of a store that is open, and files that this process may not use.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { DatabaseSync } = require('node:sqlite');

const { open } = require('nextid');

const UV_FS_O_EXLOCK = 0x10000000; // shares the file with nobody

async function inUse() {
  const ids = open('sqlite:files.db');
  const orders = ids.sequence('orders', { step: 1 });
  assert.equal(await orders.nextId(), 1);
  fs.writeFileSync('other.db', '');
  // Windows itself keeps the file of an open store in its place.
  for (const name of ['files.db', 'files.db-wal', 'files.db-shm']) {
    assert.throws(() => fs.unlinkSync(name), { code: /EBUSY|EPERM|EACCES/ }, name);
    assert.throws(() => fs.renameSync('other.db', name), { code: /EBUSY|EPERM|EACCES/ }, name);
    assert.throws(() => fs.renameSync(name, 'moved.db'), { code: /EBUSY|EPERM|EACCES/ }, name);
  }
  assert.ok(await orders.nextId() > 1);
  // A copy of an open file, as a backup program makes, takes no lock away.
  fs.copyFileSync('files.db', 'copy.db');
  const before = await orders.nextId();

  const other = new DatabaseSync('files.db');
  other.exec('BEGIN IMMEDIATE');
  const waiting = orders.nextIds(5);
  setTimeout(() => other.exec('ROLLBACK'), 300);
  assert.ok((await waiting)[0] > before);
  other.exec('BEGIN IMMEDIATE');
  await assert.rejects(ids.sequence('late', { timeout: 100 }).nextId(), { code: 'ERR_NEXTID_TIMEOUT' });
  other.exec('ROLLBACK');
  other.close();
  await ids.close();
  fs.unlinkSync('files.db');
}

async function mayNot() {
  const ids = open('sqlite:refused.db');
  await ids.sequence('orders').nextId();
  await ids.close();

  fs.chmodSync('refused.db', 0o444);
  const readOnly = open('sqlite:refused.db');
  await assert.rejects(readOnly.sequence('orders').nextId(),
    { code: 'ERR_NEXTID_ACCESS_DENIED', message: /may be read but not written/ });
  fs.chmodSync('refused.db', 0o666);
  assert.equal(await readOnly.sequence('orders').nextId(), 2);
  await readOnly.close();

  const exclusive = fs.openSync('refused.db', fs.constants.O_RDWR + UV_FS_O_EXLOCK);
  const late = open('sqlite:refused.db');
  // SQLite itself tries again for seconds.
  await assert.rejects(late.sequence('orders', { timeout: 20_000 }).nextId(),
    { code: 'ERR_NEXTID_TIMEOUT', message: /another program has it open and does not share it/ });
  fs.closeSync(exclusive);
  assert.equal(await late.sequence('orders', { timeout: 20_000 }).nextId(), 3);
  await late.close();
  fs.unlinkSync('refused.db');
}

// link.db is a symbolic link to a file that does not exist yet.
async function linked() {
  const stores = ['link.db', 'made-by-link.db'].map((file) => open(`sqlite:${file}`));
  const [one, two] = stores.map((ids) => ids.sequence('turns', { step: 1 }));
  const given = [];
  for (let i = 0; i < 20; ++i) given.push(await one.nextId(), await two.nextId());
  assert.equal(new Set(given).size, given.length);
  assert.deepEqual(fs.readdirSync('.').filter((name) => /link\.db-(wal|shm)$/.test(name)),
    ['made-by-link.db-shm', 'made-by-link.db-wal']);
  await Promise.all(stores.map((ids) => ids.close()));
}

inUse().then(mayNot).then(linked);
