'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ROOT, runProgram } = require('../support/run-program');

describe('a machine without libmongoc', () => {
  let folder;
  const openBoth = async () => {
    const { open } = require('nextid');
    try {
      open('mongodb://user:hush@localhost/shop');
    } catch (error) {
      const { inspect } = require('node:util');
      console.log(error.code, error.message, inspect(error, { showHidden: true, depth: 10 }));
    }
    console.log('id', await open('sqlite:ids.db').sequence('orders').nextId());
  };

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-without-libmongoc-'));
    fs.cpSync(path.join(ROOT, 'lib'), path.join(folder, 'lib'), { recursive: true });
    fs.copyFileSync(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
    fs.mkdirSync(path.join(folder, 'build'));
    fs.copyFileSync(path.join(ROOT, 'build', 'nextid.node'), path.join(folder, 'build', 'nextid.node'));
  });

  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
  });

  test.each([
    [
      'when nextid was built',
      () => {},
      /was not there when nextid was built; install it .*apt install libmongoc-dev.*npm rebuild nextid/,
    ],
    [
      'any more',
      () => fs.writeFileSync(path.join(folder, 'build', 'nextid_mongo.node'), 'no library'),
      /libmongoc, which cannot be loaded; install it .*apt install libmongoc-dev/,
    ],
  ])('%s says what to install, and can use SQLite', async (_, prepare, message) => {
    prepare();
    const { stdout, ...others } = await runProgram(openBoth, [], { cwd: folder });
    expect(others).toEqual({ code: 0, signal: null, stderr: '' });
    expect(stdout).toMatch(/^ERR_NEXTID_STORE_UNSUPPORTED /);
    expect(stdout).toMatch(message);
    expect(stdout).not.toMatch(/hush/);
    expect(stdout).toMatch(/^id 1$/m);
  });
});
