'use strict';

// Files and servers that are no use as a store. Each error has a code and says what is wrong, what was
// expected and what to do; nothing that a user or a log may see shows a password. (For malformed URLs:
// url.test.js)

const { execFileSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { inspect } = require('node:util');

const { NextIdError, open } = require('../..');
const callbackInterface = require('../../lib/callback');
const { startMongoProxy } = require('../support/mongo-proxy');
const { needs } = require('../support/needs');
const { runNextid } = require('../support/run-nextid');
const { ROOT, runProgram } = require('../support/run-program');
const { refusal } = require('../support/short-timeouts');
const { describeMongo, sqlite } = require('../support/stores');

const DENIED = 'ERR_NEXTID_ACCESS_DENIED';
const INVALID = 'ERR_NEXTID_STORE_INVALID';
const TIMEOUT = 'ERR_NEXTID_TIMEOUT';
const UNAVAILABLE = 'ERR_NEXTID_STORE_UNAVAILABLE';
const UNSUPPORTED = 'ERR_NEXTID_STORE_UNSUPPORTED';

// The word in its middle is the same in every encoding, and in a part that is cut out wrongly.
const SECRET = 'hunter2';
const PASSWORD = `p@ss/${SECRET}:%é`;
const ENCODED = encodeURIComponent(PASSWORD);
const LOGIN = `root:${ENCODED}@`;

let folder;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-bad-'));
});

afterEach(() => {
  fs.chmodSync(folder, 0o700);
  fs.rmSync(folder, { recursive: true });
});

function rejectionOf(promise) {
  return promise.then((value) => {
    throw new Error(`it was accepted and gave ${inspect(value)}`);
  }, (error) => error);
}

/** All that logs may show of `things`. */
function everythingIn(...things) {
  return things.map((thing) => [
    inspect(thing, { showHidden: true, depth: 10 }), JSON.stringify(thing), String(thing), thing.stack,
    thing.message, inspect(thing.cause, { showHidden: true, depth: 10 }), String(thing.cause),
  ].join('\n')).join('\n');
}

/** Asks the store at `url` for everything there is, and expects the same answer. */
async function expectRefused(url, code, words) {
  const ids = open(url);
  const orders = ids.sequence('orders', { timeout: 300 });
  const errors = await Promise.all([ids.list(), ids.advance('orders', 5)].map(rejectionOf));
  const timed = await refusal(() => orders.nextId());
  const seen = everythingIn(ids, orders, orders.stats(), ...errors, timed);
  await ids.close();

  const passing = code === UNAVAILABLE;
  expect([...errors, timed].map((error) => error.code)).toEqual([code, code, passing ? TIMEOUT : code]);
  if (passing) expect(timed.cause).toMatchObject({ name: 'MongoError', message: expect.any(String) });
  for (const error of [...errors, timed]) {
    expect(error).toBeInstanceOf(NextIdError);
    for (const word of words) expect(error.message).toMatch(word);
  }
  expect(ids.url).not.toContain('@');
  expect(seen).toContain(ids.url);
  expect(seen).not.toContain(SECRET);
  await expectCommandLineRefused(url, { code, words });
}

/** As expectRefused(), of the command line. */
async function expectCommandLineRefused(url, { code, words, root }) {
  const runs = [
    runNextid(['list', '--store', url], { root, cwd: root }),
    runNextid(['advance', 'orders', '5'], { root, cwd: root, env: { NEXTID_STORE: url } }),
  ];
  // What may pass is waited for: that takes ten seconds, and is in one test only.
  if (code !== UNAVAILABLE) {
    runs.push(runNextid(['next', 'orders', '--store', url], { root, cwd: root }));
  }
  for (const run of await Promise.all(runs)) expectFailure(run, code, words);
}

function expectFailure({ code, stdout, stderr }, errorCode, words) {
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^nextid: .* \[ERR_NEXTID_\w+\]\n( {2}cause: .*\n)?$/);
  for (const word of [errorCode, ...words]) expect(stderr).toMatch(word);
  expect(stderr).not.toContain(SECRET);
}

needs('sqlite3').describe('a file', () => {
  let file;

  beforeEach(() => {
    file = path.join(folder, 'ids.db');
  });

  async function makeStore() {
    const ids = open(`sqlite:${file}`);
    await ids.advance('orders', 100);
    await ids.close();
  }

  async function changedStore(sql) {
    await makeStore();
    sqlite(file, sql);
  }

  async function overwritten() {
    await makeStore();
    const handle = fs.openSync(file, 'r+');
    fs.writeSync(handle, Buffer.alloc(4000, 0xa5), 0, 4000, 100);
    fs.closeSync(handle);
  }

  async function cutOff(bytes) {
    await makeStore();
    fs.truncateSync(file, fs.statSync(file).size + bytes);
  }

  describe.each([
    ['a folder', () => fs.mkdirSync(file),
      [/: it is a folder, and a file was expected; give a file in it, such as sqlite:.*ids\.db\/nextid\.db/]],
    ['a text file', () => fs.writeFileSync(file, 'Dear diary\n'.repeat(1000)),
      [/is not an SQLite database, and was left as it is; give the path of /]],
    ['a short text file', () => fs.writeFileSync(file, 'Dear diary\n'),
      [/is not an SQLite database/]],
    ['the database of another program', () => sqlite(file, 'CREATE TABLE counters (name, next)'),
      [/belongs to another program .*, and was left as it is; give the counters a file of their own/]],
    ['claimed by another program', () => sqlite(file, 'PRAGMA application_id = 7'),
      [/another program \(its application_id is 0x7, a nextid store's is 0x4e784964\)/]],
    ['a store of a newer version', () => changedStore('PRAGMA user_version = 3'),
      [/was written by a newer nextid \(its version is 3, this nextid knows 2\); update nextid/]],
    ['a store of no version', () => changedStore('PRAGMA user_version = 0'),
      [/is damaged \(its version is 0, 1 to 2 was expected\); restore it from a backup/]],
    ['a store with bytes overwritten', overwritten, [/is damaged; restore it from a backup/]],
    ...[-1, -1000, -4096].map((bytes) => [`a store that is cut off (${bytes} bytes)`, () => cutOff(bytes),
      [/is damaged; restore it from a backup, then .* with: nextid advance --store URL NAME N/]]),
    ['a pipe', () => execFileSync('mkfifo', [file]), [/: it is no ordinary file; give another path/]],
    ['a symbolic link to itself', () => fs.symlinkSync(file, file),
      [/: the system refuses the path; give that of a file on a local disk/]],
  ])('that is %s', (_, make, words) => {
    beforeEach(make);

    const contents = () => (fs.lstatSync(file).isFile() ? fs.readFileSync(file) : 'none');

    test('is refused and left as it was', async () => {
      const before = contents();
      await expectRefused(`sqlite:${file}`, INVALID, [file, ...words]);
      expect(contents()).toEqual(before);
    });

    test('is no longer refused once it is out of the way', async () => {
      const ids = open(`sqlite:${file}`);
      const orders = ids.sequence('orders');
      await rejectionOf(orders.nextId());
      fs.rmSync(file, { recursive: true });
      expect(await orders.nextId()).toBe(1);
      await ids.close();
    });
  });

  test('without its table is refused', async () => {
    await changedStore('DROP TABLE counters');
    await expectRefused(`sqlite:${file}`, INVALID,
      [file, /does not hold the table of counters .*; restore it from a backup, or give another path/]);
  });

  test('in a folder that is not there is refused until it is', async () => {
    const missing = path.join(folder, 'no', 'such');
    const url = `sqlite:${path.join(missing, 'ids.db')}`;
    await expectRefused(url, INVALID,
      [/cannot open sqlite:/, `: the folder ${missing} does not exist; make it, or give another path`]);
    fs.mkdirSync(missing, { recursive: true });
    const ids = open(url);
    expect(await ids.sequence('orders').nextId()).toBe(1);
    await ids.close();
  });

  test('in a file is refused', async () => {
    fs.writeFileSync(file, '');
    await expectRefused(`sqlite:${file}/ids.db`, INVALID, [`: ${file} is not a folder; give another path`]);
  });

  describe('without permission', () => {
    // Of a user who is not root, to whom permissions apply: { code, message }, or the id.
    async function nextIdOfOrdinaryUser() {
      const program = async (url) => {
        const { open } = require('nextid');
        if (process.getuid() === 0) {
          process.setgroups([]);
          process.setgid(65_534);
          process.setuid(65_534);
        }
        const orders = open(url).sequence('orders');
        const answer = await orders.nextId().catch(({ code, message }) => ({ code, message }));
        console.log(JSON.stringify(answer));
      };
      const { stdout, ...ended } = await runProgram(program, [`sqlite:${file}`]);
      expect(ended).toEqual({ code: 0, signal: null, stderr: '' });
      return JSON.parse(stdout);
    }

    const cannotOpen = /cannot open sqlite:.*: this process may not; let it read and write the file, and /;
    const cannotLock = /cannot lock the folder of sqlite:.*: this process may not read it; let it read /;
    test.each([
      ['to write the file', 0o777, 0o444, /may be read but not written by this process; let it write /],
      ['to read the file', 0o777, 0o000, cannotOpen],
      ['to make files beside it', 0o555, 0o666, /make files in /],
      ['to look into the folder', 0o000, 0o666, cannotLock],
      ['to read the folder', 0o333, 0o666, cannotLock],
      ['to make the file', 0o555, undefined, cannotOpen],
    ])('%s is refused until it is given', async (_, folderMode, fileMode, words) => {
      if (fileMode !== undefined) {
        await makeStore();
        fs.chmodSync(file, fileMode);
      }
      fs.chmodSync(folder, folderMode);
      const refused = await nextIdOfOrdinaryUser();
      expect(refused).toEqual({ code: DENIED, message: expect.stringMatching(words) });
      expect(refused.message).toContain(file);

      fs.chmodSync(folder, 0o777);
      if (fileMode !== undefined) fs.chmodSync(file, 0o666);
      expect(await nextIdOfOrdinaryUser()).toBe(fileMode === undefined ? 1 : 100);
    });
  });
});

test('an unknown scheme is refused by everything that takes a URL', async () => {
  const url = `redis://${LOGIN}localhost/shop`;
  const words =
    "the URL of the store begins with 'redis:': expected sqlite:, mongodb:, mongodb+srv:, postgres:, " +
    'postgresql:, mysql:, mariadb: or memory:';
  for (const call of [() => open(url), () => callbackInterface(url)]) {
    let error;
    try {
      call();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE', message: words });
    expect(everythingIn(error)).not.toContain(SECRET);
  }
  const stderr = `nextid: ${words} (nextid --help shows the usage)\n`;
  expect(await runNextid(['list', '--store', url])).toEqual({ code: 2, stdout: '', stderr });
  expect(await runNextid(['next'], { env: { NEXTID_STORE: url } })).toEqual({ code: 2, stdout: '', stderr });
});

describeMongo('a server', (fixture) => {
  const unreachable =
    [/ cannot be reached: /, /Check that it is running and that the URL names its host and port/];

  test.each([
    ['w=0', 'asks for writes that the server does not confirm (w=0): expected w=majority, '],
    ['tls=perhaps', 'cannot be read by libmongoc (Unsupported value for "tls": "perhaps"): expected '],
    [`tlsCertificateKeyFilePassword=${ENCODED}&tls=${ENCODED}`, '(Unsupported value for "tls": "***"): '],
    [`authMechanismProperties=A:${SECRET}&tls=x${SECRET}`, '(Unsupported value for "tls": "x***"): '],
    [`replicaSet=${SECRET}&tls=${ENCODED}`, '(Unsupported value for "tls": "***"): '],
  ])('whose URL libmongoc does not take: %s', (options, words) => {
    let error;
    try {
      open(`mongodb://${LOGIN}localhost/shop?${options}`);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ name: 'NextIdError', code: INVALID });
    expect(error.message).toContain('the URL mongodb://localhost/shop ');
    expect(error.message).toContain(words);
    expect(everythingIn(error)).not.toContain(SECRET);
  });

  test('whose name nobody knows', async () => {
    const host = 'nextid-test.invalid';
    await expectRefused(`mongodb://${LOGIN}${host}/shop`, UNAVAILABLE,
      [...unreachable, `MongoDB at mongodb://${host}/shop `, `resolve '${host}'`]);
  });

  test('whose name DNS does not know', async () => {
    const host = 'db.nextid-test.invalid';
    await expectRefused(`mongodb+srv://${LOGIN}${host}/shop`, UNAVAILABLE,
      [...unreachable, `MongoDB at mongodb+srv://${host}/shop `, /Failed to look up SRV record/]);
  });

  test('that refuses connections', async () => {
    const url = `mongodb://${LOGIN}127.0.0.1:1/shop`;
    const words = [...unreachable, 'MongoDB at mongodb://127.0.0.1:1/shop ', 'refused'];
    await expectRefused(url, UNAVAILABLE, words);
    expectFailure(await runNextid(['next', '--store', url]), TIMEOUT, [...words, 'within 10000 ms: ']);
  });

  test('that is none', async () => {
    const server = http.createServer((_, response) => response.end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const host = `127.0.0.1:${server.address().port}`;
    await expectRefused(`mongodb://${LOGIN}${host}/shop`, UNAVAILABLE, [...unreachable, host]);
    server.close();
    server.closeAllConnections();
  });

  test('that is in no replica set, where the URL names one', async () => {
    const { host, port } = await fixture.address();
    await expectRefused(`mongodb://${LOGIN}${host}:${port}/shop?replicaSet=nowhere`, UNAVAILABLE,
      [...unreachable, 'Check that replicaSet in the URL is the name of its replica set']);
  });

  test('that repeats the password in its answers', async () => {
    const proxy = await startMongoProxy(await fixture.address());
    const errmsg = `no login for root:${PASSWORD}, ${ENCODED}, ${ENCODED.toLowerCase()}`;
    const refusal = { reply: { ok: 0, code: 18, errmsg } };
    proxy.onRequest = (command) => (command === 'saslStart' ? refusal : undefined);
    await expectRefused(`mongodb://${LOGIN}127.0.0.1:${proxy.port}/shop`, DENIED,
      [/no login for root:\*\*\*, \*\*\*, \*\*\*\./]);
    await proxy.close();
  });
});

/** describe() for a server that only the environment variable `variable` can name. `define` gets the URL. */
function describeServer(variable, title, define) {
  const { describe: describeIfGiven } = needs('logins');
  describeIfGiven(title, () => define(process.env[variable] ?? 'mongodb://localhost'));
}

/** A URL of the same server with another login, a database, and no options but `options`. */
function urlWith(url, login, options = '') {
  return url.replace(/^(mongodb(?:\+srv)?:\/\/)(?:.*@)?([^/?]*).*$/, `$1${login}$2/nextid_test${options}`);
}

describeServer('NEXTID_TEST_MONGODB_AUTH_URL', 'a server that asks for a login', (url) => {
  const [, user, rightPassword = ''] = /\/\/([^:]*):(.*)@/.exec(url) ?? [];

  test.each([
    ['a wrong password', `${user}:${ENCODED}@`],
    ['an unknown user', LOGIN],
    ['an unknown user without a password', 'nobody@'],
  ])('refuses %s', async (_, login) => {
    await expectRefused(urlWith(url, login, '?authSource=admin'), DENIED,
      [/MongoDB at mongodb:.*\/nextid_test refused the login: /,
        /Check the user name, the password, authSource and authMechanism in the URL/]);
  });

  test('refuses a URL without a login', async () => {
    await expectRefused(urlWith(url, ''), DENIED,
      [/MongoDB at mongodb:.* denied access to nextid_test\.ids: /,
        /Log in, by user:password@ in the URL, as a user who may find, insert and update there/]);
  });

  test('and gets it: the password is not shown either', async () => {
    const right = urlWith(url, `${user}:${rightPassword}@`, '?authSource=admin');
    const ids = open(right);
    const orders = ids.sequence('orders');
    expect(await ids.list()).toEqual([]);
    const { code, stdout, stderr } = await runNextid(['list', '--store', right]);
    expect(code).toBe(0);
    const seen = everythingIn(ids, orders, orders.stats()) + stdout + stderr;
    await ids.close();
    expect(seen).toContain(ids.url);
    for (const form of [rightPassword, decodeURIComponent(rightPassword), rightPassword.toLowerCase()]) {
      expect(seen).not.toContain(form);
    }
  });
});

describeServer('NEXTID_TEST_MONGODB_TLS_URL', 'a server that speaks TLS', (url) => {
  const place = /MongoDB at mongodb:.*\/nextid_test cannot be reached: /;

  test('is not trusted without the certificate of its authority', async () => {
    await expectRefused(urlWith(url, LOGIN, '?tls=true'), UNAVAILABLE,
      [place, /certificate verify failed/, /private authority is trusted with tlsCAFile=FILE in the URL/]);
  });

  test('closes a connection without TLS', async () => {
    await expectRefused(urlWith(url, LOGIN), UNAVAILABLE,
      [place, /Check that it is running and .* needs tls=true in the URL/]);
  });

  test.each([
    ['of the authority', '?tls=true&tlsCAFile=%2Fnowhere'],
    ['of the client', `?tls=true&tlsCertificateKeyFile=%2Fnowhere&tlsCertificateKeyFilePassword=${ENCODED}`],
  ])('is not reached with a certificate %s that cannot be read', async (_, options) => {
    const words = [place, 'nowhere', /certificate/i];
    await expectRefused(urlWith(url, LOGIN, options), UNAVAILABLE, words);
  });
});

describe('a machine without libmongoc', () => {
  const mongodb = `mongodb://${LOGIN}localhost/shop`;
  const install =
    /libmongoc.*: expected (it|the package mongodb).* mongodb: URLs; .*\(Debian.*: apt install libmongoc-dev/;

  beforeEach(() => {
    fs.cpSync(path.join(ROOT, 'lib'), path.join(folder, 'lib'), { recursive: true });
    fs.cpSync(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'));
    fs.mkdirSync(path.join(folder, 'build'));
    fs.cpSync(path.join(ROOT, 'build', 'nextid.node'), path.join(folder, 'build', 'nextid.node'));
  });

  // What becomes of both kinds of stores there.
  async function openBoth() {
    const program = async (mongodb, sqlite) => {
      const { inspect } = require('node:util');
      const { open } = require('nextid');
      const answers = { path: require.resolve('nextid') };
      try {
        open(mongodb);
      } catch (error) {
        const { name, code, message } = error;
        answers.mongodb = { name, code, message, seen: inspect(error, { showHidden: true, depth: 10 }) };
      }
      const ids = open(sqlite);
      answers.sqlite = await ids.sequence('orders').nextId();
      await ids.close();
      console.log(JSON.stringify(answers));
    };
    const { stdout, ...ended } =
      await runProgram(program, [mongodb, `sqlite:${folder}/ids.db`], { cwd: folder });
    expect(ended).toEqual({ code: 0, signal: null, stderr: '' });
    return JSON.parse(stdout);
  }

  const brokenModule = () => fs.writeFileSync(path.join(folder, 'build', 'nextid_mongo.node'), '');
  test.each([
    ['that the addon was built on', () => {}, /built without the library .* and run "node .*--build/],
    ['that the addon was brought to', brokenModule, /cannot be loaded: .*; install it/],
  ])('%s says what to install for a mongodb: URL, and keeps counters in SQLite', async (_, change, words) => {
    change();
    const answers = await openBoth();
    expect(answers.path).toBe(fs.realpathSync(path.join(folder, 'lib', 'index.js')));
    expect(answers.mongodb).toMatchObject({ name: 'NextIdError', code: UNSUPPORTED });
    for (const word of [install, words]) expect(answers.mongodb.message).toMatch(word);
    expect(answers.mongodb.seen).not.toContain(SECRET);
    expect(answers.sqlite).toBe(1);
    await expectCommandLineRefused(mongodb, { code: UNSUPPORTED, words: [install, words], root: folder });
    const run = await runNextid(['next', 'orders', '--store', `sqlite:${folder}/ids.db`], { root: folder });
    expect(run).toEqual({ code: 0, stdout: '2\n', stderr: '' });
  });

  test('or without the addon says how to build it', async () => {
    fs.rmSync(path.join(folder, 'build'), { recursive: true });
    const { code, stdout, stderr } = await runNextid(['next'], { root: folder });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^nextid: .* no prebuilt binary .*: expected .*; .*install\.js --build/);
    expect(stderr).toContain(UNSUPPORTED);
  });
});
