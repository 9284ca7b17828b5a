'use strict';

// Paths that Windows has: drives, backslashes, long and non-ASCII ones; several names of one file; and names
// that are not files.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { open } = require('nextid');

const root = path.resolve('paths');
const folder = (...names) => {
  const made = path.join(root, ...names);
  fs.mkdirSync(made, { recursive: true });
  return made;
};
const ofLength = (length) => path.join(root, 'n'.repeat(length - root.length - 1));

const filesOf = (name) => (
  fs.readdirSync(path.dirname(name)).filter((found) => found.startsWith(path.basename(name))));

const first = async (url) => {
  const ids = open(url);
  const id = await ids.sequence('orders').nextId();
  await ids.close();
  return id;
};

async function main() {
  const plain = path.join(folder(), 'ids.db');
  const names = [
    plain,
    path.join(folder('with a blank'), 'my ids.db'),
    path.join(folder('Büro 日本 🙂'), 'zähler.db'),
    path.join(folder(), "100%25'.db"),
    path.join(folder(...Array(6).fill('x'.repeat(60))), 'ids.db'),
    path.join(folder(...Array(10).fill('日本'.repeat(40))), 'ids.db'), // 2500 bytes as UTF-8
    ...[235, 236, 239, 240, 247, 248].map(ofLength), // where a prefix becomes necessary, for it or its -wal
  ];
  for (const name of names) {
    assert.equal(await first(`sqlite:${name}`), 1, name);
    assert.deepEqual(filesOf(name), [path.basename(name)]);
    assert.equal(await first(`sqlite:${name}`), 2, name);
  }

  // The same file by other names, which must not have a -wal of their own
  const short = execFileSync('cmd', ['/c', 'for', '%i', 'in', `("${names[1]}")`, 'do', '@echo', '%~si'],
    { encoding: 'utf8', windowsVerbatimArguments: true }).trim();
  assert.notEqual(short, names[1]);
  const others = [
    [plain, plain.replaceAll('\\', '/')],
    [plain, plain.toUpperCase()],
    [plain, path.relative(process.cwd(), plain)],
    [plain, path.join(root, 'with a blank', '..', 'ids.db')],
    [names[1], short],
  ];
  for (const [name, other] of others) {
    const stores = [name, other].map((file) => open(`sqlite:${file}`));
    const [one, two] = stores.map((ids) => ids.sequence('turns', { step: 1 }));
    const given = [];
    for (let i = 0; i < 20; ++i) given.push(await one.nextId(), await two.nextId());
    assert.equal(new Set(given).size, given.length, other);
    await Promise.all(stores.map((ids) => ids.close()));
    assert.deepEqual(filesOf(name), [path.basename(name)]);
  }

  fs.linkSync(plain, path.join(root, 'hard.db'));
  await assert.rejects(first(`sqlite:${plain}`), { code: 'ERR_NEXTID_STORE_INVALID', message: /2 names/ });

  const refused = [
    'NUL', 'nul.db', 'C:\\data\\COM1', 'con', 'aux .txt', 'ids.db:stream', '/C:/data/ids.db', 'a|b.db',
    'ids.db.', 'ids.db ',
  ];
  for (const name of refused) {
    assert.throws(() => open(`sqlite:${name}`), { code: 'ERR_INVALID_ARG_VALUE' }, name);
  }
  await assert.rejects(first('sqlite:C:\\no folder\\ids.db'),
    { code: 'ERR_NEXTID_STORE_INVALID', message: /the folder C:\\no folder does not exist/ });
  await assert.rejects(first(`sqlite:${root}`),
    { code: 'ERR_NEXTID_STORE_INVALID', message: /it is a folder/ });
}

main();
