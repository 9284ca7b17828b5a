'use strict';

// Process warnings of stores that may give an id twice. (That of the default store: shared-counter.test.js)

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { open } = require('../..');
const { describeMongo } = require('../support/stores');

// Jest's `process` is a copy, on which the event does not happen.
let warnings;
beforeEach(() => {
  warnings = [];
  const keep = (message, { code }) => warnings.push({ code, message });
  jest.spyOn(process, 'emitWarning').mockImplementation(keep);
});
afterEach(() => jest.restoreAllMocks());

const nextTurn = () => new Promise((resolve) => {
  setImmediate(resolve);
});

describeMongo('options of a URL that make duplicates possible', () => {
  test('are warned of once, without a password', async () => {
    const url = (options) => `mongodb://root:hunter2@localhost:1/shop?${options}`;
    const weak = url('w=1&journal=false');
    for (const each of [weak, url('w=majority'), weak]) await open(each).close();
    const warning = (name) => ({
      code: 'NEXTID_WEAK_DURABILITY',
      message: expect.stringMatching(`^in the URL mongodb://localhost:1/shop the option '${name}' .* ` +
        'the same ids are given again; leave it out$'),
    });
    expect(warnings).toEqual([warning('w'), warning('journal')]);
  });
});

(process.platform === 'linux' ? describe : describe.skip)('a network file system', () => {
  const { statfs } = fs;
  let folder;

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-'));
  });

  afterEach(() => {
    fs.statfs = statfs;
    fs.rmSync(folder, { recursive: true });
  });

  // What a mount would be: no machine of the tests may mount one.
  function pretend(type) {
    fs.statfs = (place, callback) => {
      expect(place).toBe(folder);
      setImmediate(callback, type instanceof Error ? type : null, { type });
    };
  }

  async function openAndClose(file) {
    await open(`sqlite:${path.join(folder, file)}`).close();
    await nextTurn();
    await nextTurn();
  }

  test('is warned of, once for each file', async () => {
    pretend(0x6969);
    for (const file of ['ids.db', 'ids.db', 'others.db']) await openAndClose(file);
    const [{ code, message }] = warnings;
    expect(code).toBe('NEXTID_NETWORK_FILE_SYSTEM');
    expect(message).toMatch(`sqlite:${folder}/ids.db is on NFS, a network file system: `);
    expect(warnings.map((warning) => /\w+\.db/.exec(warning.message)[0])).toEqual(['ids.db', 'others.db']);
  });

  test.each([
    ['CIFS', 0xff534d42], ['CIFS', 0xff534d42 - 2 ** 32], ['SMB2', 0xfe534d42], ['FUSE', 0x65735546],
    ['9p', 0x01021997], ['Ceph', 0xc36400],
  ])('%s is one (%i)', async (name, type) => {
    pretend(type);
    await openAndClose('ids.db');
    const [{ message }] = warnings;
    expect(message).toContain(` is on ${name}, ${['FUSE', '9p'].includes(name) ? 'perhaps ' : ''}a network`);
  });

  test.each([['ext4', 0xef53], ['overlayfs', 0x794c7630], ['no answer', new Error('no')]])(
    '%s is none', async (_, type) => {
      pretend(type);
      await openAndClose('ids.db');
      expect(warnings).toEqual([]);
    });
});
