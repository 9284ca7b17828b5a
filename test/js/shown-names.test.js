'use strict';

// Names with line ends and other hidden characters: no message, line of NODE_DEBUG or command shows them raw,
// and the commands in messages still name the counter.

const { execFileSync } = require('node:child_process');
const { inspect } = require('node:util');
const vm = require('node:vm');

const { open } = require('../..');
const { NextIdError, show, wrongValue } = require('../../lib/errors');
const { confirmAtOnce } = require('../support/confirm-at-once');
const { runNextid } = require('../support/run-nextid');
const { runProgram } = require('../support/run-program');
const { refusal } = require('../support/short-timeouts');
const { describeMongo, describeStores, sqlite, SqliteFixture } = require('../support/stores');

confirmAtOnce();

const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const NAMES = [
  "a\necho pwned >&2; it's #", 'a\r\nb\t!1', 'a\x1b[2Jb\x7f\x85', 'a\u2028b\u2029c',
  'a\u202egpj\u2066\u200bb', '\ufeffa\u00ad\u{e0041}b', 'a\\n\nb', '-a\nb',
];
const ORDINARY = ['orders', '-orders', "it's", 'größe 订单 👍', 'a\\nb', '$(id) `id`', '--'];

/** The arguments of a command that a message shows, as bash reads it. */
function argumentsOf(command) {
  const script = `nextid() { printf '%s\\0' "$@"; }\n${command}\n`;
  const output = execFileSync('bash', ['-c', script], { encoding: 'utf8' });
  return output.split('\0').slice(0, -1);
}

function expectInOneLine(text) {
  expect(text).not.toMatch(HIDDEN);
}

describeStores('the command of a message', (fixture) => {
  test('names the counter in one line, whatever its name is', async () => {
    const url = fixture.freshUrl();
    const ids = open(url);
    for (const name of [...NAMES, ...ORDINARY]) {
      const sequence = ids.sequence(name, { step: 5, start: 100 });
      await sequence.nextId();
      await sequence.ready();
      await fixture.write(url, name, 1);
      const error = await sequence.nextIds(1000).catch((reason) => reason);
      expect(error.code).toBe('ERR_NEXTID_SEQUENCE_REWOUND');
      expectInOneLine(error.message);
      const [command, next] = /nextid advance .* (\d+)/.exec(error.message);
      const operands = name.startsWith('-') ? ['--', name] : [name];
      expect(argumentsOf(command)).toEqual(['advance', '--store', 'URL', ...operands, next]);
    }
    await ids.close();
  });

  test('is understood by the command line', async () => {
    const url = fixture.freshUrl();
    for (const name of ['--json', '-a\nb']) {
      expect(await runNextid(['advance', '--store', url, '--', name, '81']))
        .toMatchObject({ code: 0, stdout: '81\n' });
      expect(await fixture.read(url, name)).toBe(81);
    }
  });
});

describe('the SQL of a message', () => {
  const fixture = new SqliteFixture();
  afterAll(() => fixture.stop());

  test('names the counter in one line, whatever its name is', async () => {
    const url = fixture.freshUrl();
    const file = url.slice('sqlite:'.length);
    const ids = open(url);
    for (const name of [...NAMES, ...ORDINARY]) {
      await ids.advance(name, 2, { prefix: 141230 });
      await ids.prune(name, { before: 141231 });
      sqlite(file, `PRAGMA ignore_check_constraints = ON;
        UPDATE closed_periods SET up_to = 'damaged' WHERE up_to = 141230`);
      const days = ids.sequence(name, { period: 'day' });
      const { code, message } = await days.nextId().catch((error) => error);
      expect(code).toBe('ERR_NEXTID_COUNTER_INVALID');
      expectInOneLine(message);
      sqlite(file, /UPDATE .*;/.exec(message)[0].replace('= P', '= 141231'));
      expect(await days.nextId()).toMatch(/-0001$/);
    }
    await ids.close();
  });
});

describeMongo('the command for the MongoDB shell in a message', (fixture) => {
  test('names the counter in one line, whatever its name is', async () => {
    const url = fixture.freshUrl();
    const ids = open(url);
    for (const name of [...NAMES, ...ORDINARY]) {
      await fixture.collection(url).insertOne({ _id: `${name}:pruned`, name, pruned: { day: 'damaged' } });
      const { code, message } = await ids.sequence(name, { period: 'day' }).nextId().catch((error) => error);
      expect(code).toBe('ERR_NEXTID_COUNTER_INVALID');
      expectInOneLine(message);
      const calls = [];
      const updateOne = (query) => calls.push(query._id);
      const db = { getCollection: () => ({ updateOne }) };
      vm.runInNewContext(/db\.getCollection.*\)/.exec(message)[0], { db, P: 141231 });
      expect(calls).toEqual([`${name}:pruned`]);
    }
    await ids.close();
  });
});

describe('hidden characters', () => {
  const fixture = new SqliteFixture();
  afterAll(() => fixture.stop());
  const name = 'a\nNEXTID 1: forged\x1b\u2028b';

  test('are escaped in messages and stacks', () => {
    const errors = [new NextIdError(`'${name}' is gone`, { code: 'ERR_NEXTID_CLOSED' }), wrongValue(name)];
    for (const error of errors) {
      expect(error.message).toContain('a\\nNEXTID 1: forged\\u001b\\u2028b');
      expect(error.stack.split('\n')[0]).toContain(error.message);
      expectInOneLine(inspect(error).split('\n    at ')[0]);
    }
    expect(wrongValue(`'größe 订单 👍…' ${show('a\u202eb')}`, 'another').message)
      .toBe("'größe 订单 👍…' 'a\\u202eb': expected another");
    expect(wrongValue('\u{e0041}', 'another').message).toBe('\\u{e0041}: expected another');
  });

  test('are escaped where the database says something', async () => {
    const url = fixture.freshUrl();
    const ids = open(url);
    await ids.sequence('orders').ready();
    sqlite(url.slice('sqlite:'.length), 'CREATE TRIGGER t BEFORE INSERT ON counters BEGIN' +
      " SELECT RAISE(ABORT, 'one\ntwo'); END");
    const error = await refusal(() => ids.sequence(name, { timeout: 100 }).nextId());
    expect(error.message).toContain('one\\ntwo');
    expect(error.cause.message).toContain('one\\ntwo');
    await ids.close();
  });

  test('are escaped in what list() finds wrong', async () => {
    const url = fixture.freshUrl();
    const ids = open(url);
    await ids.sequence('orders').ready();
    await fixture.write(url, 'orders', 'one\ntwo');
    const [{ problem }] = await ids.list();
    expect(problem).toContain("the string 'one\\ntwo'");
    await ids.close();
  });

  test('forge no line of NODE_DEBUG', async () => {
    const { stderr } = await runProgram(async (url, name) => {
      const ids = require('nextid').open(url);
      const orders = ids.sequence(name);
      await orders.nextId();
      const reason = Object.assign(new Error('no\nNEXTID 2: forged'), { code: 'x\ny' });
      const dated = ids.sequence(`${name} too`, { period: 'day' });
      await dated.nextId({ signal: AbortSignal.abort(reason) }).catch(() => {});
      await ids.close();
    }, [fixture.freshUrl(), name], { env: { NODE_DEBUG: 'nextid' } });
    const lines = stderr.split('\n').slice(0, -1);
    expect(lines.length).toBeGreaterThan(4);
    const begin = /^NEXTID \d+: (sqlite:|sequence 'a\\nNEXTID 1: forged\\u)/;
    for (const line of lines) expect(line).toMatch(begin);
  });

  test('forge no line of the command line', async () => {
    const env = { NEXTID_STORE: fixture.freshUrl() };
    const inLines = (text) => text.split('\n').slice(0, -1);
    await runNextid(['next', '--', name], { env });
    const shows = [
      ['list'], ['prune', name, '--before', '150000'], ['next', `--${name}`], ['advance', name, name],
    ];
    await Promise.all(shows.map(async (args) => {
      const { stdout, stderr } = await runNextid(args, { env });
      const lines = [...inLines(stdout), ...inLines(stderr)];
      for (const line of lines) expectInOneLine(line);
      expect(lines.filter((line) => line.includes('forged'))).toHaveLength(1);
    }));
  });
});
