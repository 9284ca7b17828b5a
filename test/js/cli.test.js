'use strict';

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { buffer } = require('node:stream/consumers');

const { needs } = require('../support/needs');
const { scaled } = require('../support/scale');
const { open } = require('../..');
const { sqlite } = require('../support/stores');
const { Progress } = require('../../lib/cli/progress');
const { version } = require('../../package.json');

const cli = path.join(__dirname, '..', '..', 'lib', 'cli.js');
let folder;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-cli-'));
});

afterEach(() => {
  fs.rmSync(folder, { recursive: true });
});

// In a folder of its own, so that the default store is a new one.
function start(args, { env, nodeArgs = [] } = {}) {
  const { NEXTID_STORE, ...inherited } = process.env;
  return spawn(process.execPath, [...nodeArgs, cli, ...args], { cwd: folder, env: { ...inherited, ...env } });
}

async function nextid(args, options) {
  const child = start(args, options);
  const [stdout, stderr, [code]] =
    await Promise.all([buffer(child.stdout), buffer(child.stderr), once(child, 'close')]);
  return { code, stdout: stdout.toString(), stderr: stderr.toString() };
}

async function nextOf(name) {
  const { stdout } = await nextid(['list', '--json']);
  return JSON.parse(stdout).find((counter) => counter.name === name)?.next;
}

const done = (stdout, stderr = '') => ({ code: 0, stdout, stderr });
const created = (name, file = 'nextid.db') => (
  `nextid: created the plain counter '${name}' in sqlite:${path.join(fs.realpathSync(folder), file)}\n`);

describe('next', () => {
  test('prints ids, one a line, and goes on where it stopped', async () => {
    expect(await nextid(['next', 'orders', '--count', '5']))
      .toEqual(done('1\n2\n3\n4\n5\n', created('orders')));
    expect(await nextid(['next', 'orders', '--count', '5'])).toEqual(done('6\n7\n8\n9\n10\n'));
    expect(await nextid(['next', 'orders'])).toEqual(done('11\n'));
  });

  needs('sqlite3').test('reserves what it prints, in one go, and has nothing to give back', async () => {
    await nextid(['next']);
    const file = path.join(folder, 'nextid.db');
    sqlite(file, 'CREATE TABLE history (next); CREATE TRIGGER record AFTER UPDATE ON counters' +
      ' BEGIN INSERT INTO history VALUES (new.next); END');
    for (const count of [5, 1000]) await nextid(['next', '--count', String(count)]);
    expect(sqlite(file, 'SELECT next FROM history').split('\n')).toEqual(['7', '1007']);
  });

  test("takes the name 'default' if none is given", async () => {
    expect(await nextid(['next'])).toEqual(done('1\n', created('default')));
    expect(await nextOf('default')).toBe(2);
  });

  test('begins a new sequence with --start', async () => {
    expect(await nextid(['next', 'orders', '--start', '1000'])).toEqual(done('1000\n', created('orders')));
    expect(await nextid(['next', 'orders', '--start', '1000'])).toEqual(done('1001\n'));
    expect(await nextid(['next', 'zero', '--start', '0'])).toEqual(done('0\n', created('zero')));
  });

  test('prints a JSON object a line with --json, and numbers that would be rounded as strings', async () => {
    const args = ['next', 'a"b', '--json', '--count', '2', '--start', '9007199254740991'];
    expect(await nextid(args)).toEqual(done(
      '{"name":"a\\"b","id":9007199254740991}\n{"name":"a\\"b","id":"9007199254740992"}\n',
      created('a"b')));
  });

  test('several at once on a new file share the numbers, and one created the counter', async () => {
    const runs = await Promise.all(Array.from({ length: 4 }, () => nextid(['next', '--count', '3000'])));
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(runs.map(({ stderr }) => stderr).sort()).toEqual(['', '', '', created('default')]);
    const ids = runs.flatMap(({ stdout }) => stdout.trim().split('\n').map(Number));
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 12_000 }, (_, i) => i + 1));
  });

  test('--count with millions streams with flat memory', async () => {
    const count = scaled(3_000_000, 10_000_000);
    // In MiB: so many BigInts alone take more.
    const child = start(['next', '--count', String(count)], { nodeArgs: ['--max-old-space-size=64'] });
    const stderr = buffer(child.stderr);
    let lines = 0;
    let tail = '';
    for await (const chunk of child.stdout) {
      for (const byte of chunk) if (byte === 10) ++lines;
      tail = chunk.toString().slice(-20);
    }
    expect(lines).toBe(count);
    expect(tail.endsWith(`\n${count}\n`)).toBe(true);
    expect(String(await stderr)).toBe(created('default')); // no progress where there is no terminal
  });
});

describe('a run that is stopped', () => {
  async function startEndlessRun() {
    const child = start(['next', '--count', '1000000000']);
    const stderr = buffer(child.stderr);
    const [chunk] = await once(child.stdout, 'data');
    child.stdout.pause();
    const lines = chunk.toString().split('\n');
    return { child, stderr, lastRead: Number(lines.at(-2)) };
  }

  test('by a reader that stands still, then goes away, ends well and wastes little', async () => {
    const { child, stderr, lastRead } = await startEndlessRun();
    for (let before = -1, now = 0; before !== now;) [before, now] = [now, await nextOf('default')];
    child.stdout.destroy();
    const [code] = await once(child, 'close');
    expect({ code, stderr: String(await stderr) }).toEqual({ code: 0, stderr: created('default') });
    const next = await nextOf('default');
    expect(next).toBeGreaterThan(lastRead);
    expect(next).toBeLessThan(lastRead + 1_000_000);
  });

  test.each([['SIGINT', 130], ['SIGTERM', 143]])('by %s closes the store', async (signal, exitCode) => {
    const { child, stderr, lastRead } = await startEndlessRun();
    child.kill(signal); // while it waits for us, who do not read on
    const [code] = await once(child, 'exit');
    child.stdout.destroy();
    expect({ code, stderr: String(await stderr) }).toEqual({ code: exitCode, stderr: created('default') });
    expect(await nextOf('default')).toBeGreaterThan(lastRead);
    expect(fs.readdirSync(folder)).toEqual(['nextid.db']); // SQLite takes its log away when it is closed
  });
});

describe('list', () => {
  test('prints an aligned table', async () => {
    await nextid(['next', 'orders', '--count', '99']);
    await nextid(['advance', 'x', '123456']);
    await nextid(['next', 'line\nend\x1b']);
    expect((await nextid(['list'])).stdout).toBe([
      'NAME               KIND     NEXT',
      '"line\\nend\\u001b"  plain       2',
      'orders             plain     100',
      'x                  plain  123456',
      '',
    ].join('\n'));
  });

  test('shows how many numbers were returned', async () => {
    const file = path.join(folder, 'nextid.db');
    const [one, other] = [open(`sqlite:${file}`), open(`sqlite:${file}`)];
    for (const store of [one, other]) await store.sequence('orders', { step: 10 }).nextId();
    await one.close();
    const table = 'NAME    KIND   NEXT  RETURNED\norders  plain    21         9\n';
    expect((await nextid(['list'])).stdout).toBe(table);
    expect((await nextid(['list', '--json'])).stdout)
      .toBe('[{"name":"orders","kind":"plain","returned":9,"next":21}]\n');
    await other.close();
  });

  test('prints an array with --json', async () => {
    expect(await nextid(['list', '--json'])).toEqual(done('[]\n'));
    await nextid(['next', 'b']);
    await nextid(['advance', 'a', '9007199254740992']);
    expect(await nextid(['list', '--json'])).toEqual(done(
      '[{"name":"a","kind":"plain","next":"9007199254740992"},{"name":"b","kind":"plain","next":2}]\n'));
  });

  test('prints nothing on stdout if there is nothing', async () => {
    const { code, stdout, stderr } = await nextid(['list']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toMatch(/^nextid: there are no counters in sqlite:.*nextid\.db\n$/);
  });
});

describe('advance', () => {
  test('makes a counter, moves it up, and never down', async () => {
    expect(await nextid(['advance', 'orders', '1000'])).toEqual(done('1000\n', created('orders')));
    expect(await nextid(['advance', 'orders', '2000', '--json']))
      .toEqual(done('{"name":"orders","next":2000}\n'));
    expect(await nextid(['advance', 'orders', '2000'])).toEqual(done('2000\n'));
    const { code, stdout, stderr } = await nextid(['advance', 'orders', '500']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '2000\n' });
    expect(stderr).toMatch(/^nextid: .*higher than 500.*\n$/);
    expect(await nextid(['next', 'orders'])).toEqual(done('2000\n'));
  });
});

describe('the store', () => {
  test('is that of --store, else of $NEXTID_STORE, else sqlite:nextid.db', async () => {
    const env = { NEXTID_STORE: 'sqlite:environment.db' };
    expect(await nextid(['next', '--store', 'sqlite:option.db'], { env }))
      .toEqual(done('1\n', created('default', 'option.db')));
    expect(await nextid(['next', '--count', '2'], { env }))
      .toEqual(done('1\n2\n', created('default', 'environment.db')));
    expect(await nextid(['next'])).toEqual(done('1\n', created('default')));
    expect(fs.readdirSync(folder)).toEqual(['environment.db', 'nextid.db', 'option.db']);
  });

  test('is refused where the variable that should name it is empty', async () => {
    for (const run of [nextid(['list', '--store', '']), nextid(['list'], { env: { NEXTID_STORE: '' } })]) {
      const { code, stdout, stderr } = await run;
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^nextid: (the URL of the store|\$NEXTID_STORE) is empty: expected .*\n$/);
    }
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test('that cannot be used is an error in few lines, with its code and cause', async () => {
    fs.writeFileSync(path.join(folder, 'notes.txt'), 'This is no database.\n'.repeat(100));
    const { code, stdout, stderr } = await nextid(['next', '--store', 'sqlite:notes.txt']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^nextid: .*notes\.txt.* \[ERR_NEXTID_STORE_INVALID\]\n( {2}cause: \w+: .*\n)?$/);
  });

  test('that is not there does not show its password', async () => {
    const url = 'mongodb://root:hunter2@127.0.0.1:1/shop?serverSelectionTimeoutMS=100';
    for (const args of [['list'], ['advance', 'orders', '5']]) {
      const { code, stdout, stderr } = await nextid([...args, '--store', url]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^nextid: .* \[ERR_NEXTID_\w+\]\n( {2}cause: .*\n)?$/);
      expect(stderr).not.toContain('hunter2');
    }
  });
});

test.each([
  ['postgresql', 'postgres'], ['mariadb', 'mysql'],
])('schema %s is that of %s', async (alias, name) => {
  const printed = await nextid(['schema', name]);
  expect(printed.stdout).toMatch(/^CREATE TABLE /);
  expect(await nextid(['schema', alias])).toEqual(printed);
});

test.each([
  [[], 'the command is missing', 'next, list, advance'],
  [['nxt'], "unknown command 'nxt'", "did you mean 'next'?"],
  [['destroy'], "unknown command 'destroy'", 'next, list, advance, adopt, prune or schema'],
  [['mongodb://root:hunter2@localhost/shop'], 'unknown command'],
  [['next', 'a', 'b'], "unexpected argument 'b'", 'nextid next [NAME]'],
  [['list', 'orders'], "unexpected argument 'orders'"],
  [['advance', 'orders'], 'nextid advance NAME N'],
  [['advance', 'orders', '5', '6'], "unexpected argument '6'", 'nextid advance NAME N'],
  [['advance', 'orders', 'five'], 'an integer', "'five'"],
  [['advance', 'orders', '1e3'], 'an integer', "'1e3'"],
  [['advance', 'orders', '9223372036854775807'], '9223372036854775806'],
  [['adopt'], 'TABLE.COLUMN', 'COLLECTION.FIELD', "'mongoose-sequence'"],
  [['adopt', 'orders'], 'TABLE.COLUMN', 'COLLECTION.FIELD'],
  [['adopt', 'orders.$n', '--store', 'mongodb://h/shop'], "'orders.$n'", 'COLLECTION.FIELD'],
  [['adopt', 'orders.n'], 'nextid.db', 'a mongodb:, postgres: or mysql: store'],
  [['adopt', 'a.b.c.d', '--store', 'mysql://u:hunter2@h/shop'], "'a.b.c.d'", 'SCHEMA.TABLE.COLUMN'],
  [['adopt', 'mongoose-sequence', '--store', 'postgres://h/shop'], 'TABLE.COLUMN'],
  [['adopt', 'mongoose-sequence', '--sequence', 'a'], '--sequence', 'TABLE.COLUMN'],
  [['adopt', 'orders.n', '--sequence', ''], 'is empty'],
  [['next', '--cuont', '5'], "unknown option '--cuont'", "did you mean '--count'?"],
  [['next', '--mongodb://root:hunter2@localhost/shop'], 'unknown option'],
  [['next', '-n', '5'], "unknown option '-n'", 'write -- before'],
  [['next', '--count'], '--count VALUE'],
  [['next', '--count', '--json'], '--count VALUE', '--count=VALUE'],
  [['next', '--count', '0'], '--count', "'0'"],
  [['next', '--count', '1.5'], '--count', "'1.5'"],
  [['next', '--count=-1'], '--count', "'-1'"],
  [['next', '--count', '9007199254740992'], '--count', '9007199254740991'],
  [['next', '--start', '9223372036854775807'], "'start'", '9223372036854775806'],
  [['next', '--json=yes'], '--json takes no value'],
  [['next', ''], 'is empty'],
  [['next', 'x'.repeat(256)], '255 bytes'],
  [['list', '--count', '5'], "'list' has no option --count", '--store, --json'],
  [['advance', 'orders', '5', '--start', '5'], "'advance' has no option --start"],
  [['next', '--store', 'mongdb://root:hunter2@localhost/shop'], "did you mean 'mongodb:'?"],
  [['next', '--store', 'mongodb://root:hunt@er2@localhost/shop'], 'percent-encoded'],
  [['next', '--store', 'sqlite::memory:'], 'temporary'],
])('%p is wrong usage: one line on stderr and exit code 2', async (args, ...words) => {
  const { code, stdout, stderr } = await nextid(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^nextid: .*nextid --help.*\n$/);
  for (const word of words) expect(stderr).toContain(word);
  expect(stderr).not.toMatch(/hunt|er2/);
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('--help and --version print on stdout', async () => {
  const help = await nextid(['--help']);
  expect(help).toEqual(done(expect.stringMatching(/^Usage: nextid next /)));
  expect(help.stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
  expect(await nextid(['next', '-h'])).toEqual(help);
  expect(await nextid(['--version'])).toEqual(done(`${version}\n`));
});

test('progress is shown on a terminal only', () => {
  const written = [];
  const write = (text) => written.push(text);
  for (const isTTY of [undefined, true]) {
    const progress = new Progress({ isTTY, write });
    progress.show(50, 200);
    progress.clear();
  }
  expect(written).toEqual(['\r50 of 200 (25%)\x1b[K', '\r\x1b[K']);
});
