'use strict';

// The command line with dated, cyclic and time-stamped sequences. (For plain ones: cli.test.js)

const { execFileSync } = require('node:child_process');
const path = require('node:path');

const { open } = require('../..');
const { toTable } = require('../../lib/cli/counter-table');
const prune = require('../../lib/cli/prune');
const { clock } = require('../../lib/clock');
const { needs } = require('../support/needs');
const { runNextid } = require('../support/run-nextid');
const { ROOT } = require('../support/run-program');
const { setClock } = require('../support/set-clock');
const { describeSqlite, sqlite } = require('../support/stores');

const done = (lines, stderr = '') => ({ code: 0, stdout: lines.map((line) => `${line}\n`).join(''), stderr });
const firstDigits = (text, digits) => text.replace(/\D/g, '').slice(0, digits);

// A clock that tests can set makes counters of long ago.
async function takeLongAgo(url, name, period, counts) {
  const { now } = clock;
  try {
    for (const [time, count] of Object.entries(counts)) {
      const store = open(url);
      setClock(time);
      const options = { period, step: 1 };
      const sequence = name === '' ? store.sequence(options) : store.sequence(name, options);
      await sequence.nextIds(count);
      await store.close();
    }
  } finally {
    clock.now = now;
  }
}

describeSqlite('the command line', (fixture) => {
  let url;

  beforeEach(() => {
    url = fixture.freshUrl();
  });

  function nextid(...args) {
    return runNextid(args, { env: { NEXTID_STORE: url } });
  }

  async function linesOf(...args) {
    const { code, stdout, stderr } = await nextid(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout.split('\n').slice(0, -1);
  }

  async function counters() {
    const [line] = await linesOf('list', '--json');
    return JSON.parse(line);
  }

  describe('next --period', () => {
    // What a clock shows before and after, for the seldom case that the period ends between the two.
    async function inPeriod(digits, ...args) {
      const before = firstDigits(new Date().toISOString(), digits + 2).slice(2);
      const lines = await linesOf(...args);
      const after = firstDigits(new Date().toISOString(), digits + 2).slice(2);
      expect([before, after]).toContain(lines[0].slice(0, digits));
      return lines.map((line) => line.slice(digits));
    }

    test.each([['hour', 8], ['day', 6], ['month', 4], ['year', 2]])('%s', async (period, digits) => {
      const args = ['next', 'orders', '--period', period];
      expect(await inPeriod(digits, ...args, '--count', '3')).toEqual(['-0001', '-0002', '-0003']);
      expect(await inPeriod(digits, ...args)).toEqual(['-0004']);
      // Shortly before a period ends the next one's counter is there too.
      expect((await counters())[0])
        .toEqual({ name: 'orders', kind: 'dated', prefix: expect.any(Number), next: 5 });
    });

    test('without a name takes the counters that have none', async () => {
      expect(await inPeriod(2, 'next', '--period', 'year')).toEqual(['-0001']);
      const [line] = await linesOf('next', '--period', 'year', '--json');
      expect(JSON.parse(line)).toEqual({ name: '', id: expect.stringMatching(/^\d\d-0002$/) });
      expect(await counters()).toMatchObject([{ name: '', kind: 'dated', next: 3 }]);
    });

    test('with --format and --time-zone', async () => {
      const zone = 'Pacific/Kiritimati'; // 14 hours ahead
      const today = () => new Date(Date.now() + 14 * 3_600_000).toISOString().slice(0, 10);
      const args = ['next', 'orders', '--period', 'day', '--time-zone', zone];
      const before = today();
      const [line] = await linesOf(...args, '--format', 'no. {count:1} of {YYYY}-{MM}-{DD}');
      expect([before, today()].map((day) => `no. 1 of ${day}`)).toContain(line);
    });

    test('reserves what it prints, in one go, and has nothing to give back', async () => {
      await nextid('next', '--period', 'year');
      const file = url.slice('sqlite:'.length);
      sqlite(file, 'CREATE TABLE history (next); CREATE TRIGGER record AFTER UPDATE ON dated_counters' +
        ' BEGIN INSERT INTO history VALUES (new.next); END');
      for (const count of ['5', '1000']) await nextid('next', '--period', 'year', '--count', count);
      expect(sqlite(file, 'SELECT next FROM history').split('\n')).toEqual(['7', '1007']);
    });
  });

  test('next --cycle goes round', async () => {
    const ids = await linesOf('next', '--cycle', '3', '--count', '7');
    expect(ids).toEqual(['1', '2', '3', '1', '2', '3', '1']);
    expect(await linesOf('next', 'default', '--cycle', '3', '--json')).toEqual(['{"name":"default","id":2}']);
    const { code, stderr } = await nextid('next', '--cycle', '4');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^nextid: .* \[ERR_NEXTID_OPTIONS_CONFLICT\]\n$/);
    for (const cycle of [3, 4]) expect(stderr).toMatch(new RegExp(`\\b${cycle}\\b`));
  });

  describe('next --timestamp', () => {
    test('prints the time to the microsecond and two digits', async () => {
      const before = firstDigits(new Date().toISOString(), 17);
      const ids = await linesOf('next', '--timestamp', '--count', '2000');
      const after = firstDigits(new Date().toISOString(), 17);
      expect(ids.filter((id) => !/^\d{22}$/.test(id))).toEqual([]);
      expect([...ids].sort()).toEqual(ids);
      expect(new Set(ids).size).toBe(2000);
      expect(ids[0].slice(0, 17) >= before && ids[0].slice(0, 17) <= after).toBe(true);
      const [line] = await linesOf('next', '--timestamp', '--json');
      expect(JSON.parse(line)).toEqual({ name: 'default', id: expect.stringMatching(/^\d{22}$/) });
    });

    test('with --digits, --format and --time-zone', async () => {
      const before = new Date(Date.now() + 8 * 3_600_000).toISOString();
      const format = '{YYYY}-{MM}-{DD}T{hh}:{mm}:{ss}.{ffffff}+08:00 {digits}';
      const args = ['--timestamp', '--digits', '3', '--time-zone', '+08:00', '--format', format];
      const [id] = await linesOf('next', 'trace', ...args);
      expect(id).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+08:00 \d{3}$/);
      expect(id.slice(0, 23) >= before.slice(0, 23)).toBe(true);
      const [bare] = await linesOf('next', 'bare', '--timestamp', '--digits', '0');
      expect(bare).toMatch(/^\d{20}$/);
    });
  });

  describe('list', () => {
    const rows = (text) => text.split('\n').slice(0, -1);

    test('shows every kind', async () => {
      await takeLongAgo(url, 'orders', 'day', { '2014-06-25T12:00Z': 42 });
      await takeLongAgo(url, 'orders', 'month', { '2014-06-25T12:00Z': 1 });
      await nextid('next', 'plain', '--count', '9');
      await nextid('next', 'serial', '--cycle', '99', '--count', '110');
      await nextid('next', 'trace', '--timestamp');
      await nextid('next', 'trace-0', '--timestamp', '--digits', '0');
      const { stdout } = await nextid('list');
      expect(stdout.replace(/20..-..-..T..:..:..\.\d{6}Z/g, 'YYYY-MM-DDThh:mm:ss.ffffffZ')).toBe([
        'NAME     KIND          PERIOD                            NEXT',
        'orders   dated         1406                                 2',
        'orders   dated         140625                              43',
        'plain    plain                                             10',
        'serial   cyclic                                      12 of 99',
        'trace    time-stamped          YYYY-MM-DDThh:mm:ss.ffffffZ 01',
        'trace-0  time-stamped             YYYY-MM-DDThh:mm:ss.ffffffZ',
        '',
      ].join('\n'));
    });

    test('shows counters that have no name', async () => {
      await takeLongAgo(url, '', 'day', { '2014-06-25T12:00Z': 42 });
      expect((await nextid('list')).stdout).toBe('NAME  KIND   PERIOD  NEXT\n-     dated  140625    43\n');
    });

    test('shows the time that comes next of a time-stamped counter', async () => {
      const [id] = await linesOf('next', '--timestamp', '--digits', '1');
      const next = String(BigInt(id) + 1n); // no carry but once in a long while
      const expected = next.replace(/(....)(..)(..)(..)(..)(..)(......)(.)/, '$1-$2-$3T$4:$5:$6.$7Z $8');
      expect(rows((await nextid('list')).stdout)[1]).toBe(`default  time-stamped  ${expected}`);
    });

    test('has a column for periods only where there are some', async () => {
      await nextid('next', 'serial', '--cycle', '99');
      expect((await nextid('list')).stdout).toBe('NAME    KIND       NEXT\nserial  cyclic  2 of 99\n');
    });

    test('--json', async () => {
      await takeLongAgo(url, '', 'day', { '2014-06-25T12:00Z': 42 });
      await nextid('next', 'serial', '--cycle', '99');
      await nextid('next', 'trace', '--timestamp');
      expect(await counters()).toEqual([
        { name: '', kind: 'dated', prefix: 140625, next: 43 },
        { name: 'serial', kind: 'cyclic', cycle: 99, next: 2 },
        {
          name: 'trace', kind: 'time-stamped', digits: 2, timeZone: 'UTC',
          next: expect.stringMatching(/^\d{18}$/),
        },
      ]);
    });
  });

  describe('prune', () => {
    const DAYS = {
      '2014-12-30T12:00Z': 5, '2014-12-31T12:00Z': 1, '2015-01-01T12:00Z': 7, '2015-02-01T12:00Z': 2,
    };

    const NOTHING = done([], 'nextid: nothing to remove\n');

    async function prefixes() {
      return (await counters()).map(({ name, prefix }) => `${name}:${prefix}`);
    }

    test('without a name prunes the counters that have none', async () => {
      await takeLongAgo(url, '', 'day', DAYS);
      await takeLongAgo(url, 'orders', 'month', DAYS); // in MongoDB no two of one prefix beside those
      expect(await nextid('prune', '--before', '150000'))
        .toEqual(done(['141230 5', '141231 1'], 'nextid: removed 2 counters\n'));
      expect(await prefixes()).toEqual([
        ':150101', ':150201', 'orders:1412', 'orders:1501', 'orders:1502',
      ]);
      expect(await nextid('prune', '--before', '150000')).toEqual(NOTHING);
    });

    test('says so where there is no such sequence', async () => {
      await takeLongAgo(url, 'orders', 'day', DAYS);
      expect(await nextid('prune', 'ordres', '--before', '150000'))
        .toEqual(done([], expect.stringMatching(
          /^nextid: there are no dated counters of 'ordres' in .+; did you mean 'orders'\?\n$/)));
      expect(await nextid('prune', '--before', '150000'))
        .toEqual(done([], expect.stringContaining('there are no dated counters without a name')));
    });

    test('says so where --before is about periods of another kind', async () => {
      await takeLongAgo(url, 'orders', 'day', { '2014-12-30T12:00Z': 1 });
      const words = (text) => done([], `nextid: nothing to remove${text}\n`);
      const daily = "but those of 'orders' are daily; use --before";
      expect(await nextid('prune', 'orders', '--before', '15'))
        .toEqual(words(`: --before 15 is about yearly counters, ${daily} 150101`));
      expect(await nextid('prune', 'orders', '--before', '15013100'))
        .toEqual(words(`: --before 15013100 is about hourly counters, ${daily} 150131`));
      await takeLongAgo(url, 'orders', 'hour', { '2014-12-30T12:00Z': 1 });
      expect(await nextid('prune', 'orders', '--before', '1502')).toEqual(words(': --before 1502 is about ' +
        "monthly counters, but those of 'orders' are daily and hourly; use --before 150201 or 15020100"));
      expect(await nextid('prune', 'orders', '--before', '140101')).toEqual(words(''));
    });

    test('advance refuses the name of a sequence of another kind', async () => {
      await takeLongAgo(url, 'orders', 'day', DAYS);
      const before = await counters();
      expect(await nextid('advance', 'orders', '5')).toMatchObject({
        code: 1, stdout: '', stderr: expect.stringMatching(/is dated .*--period day.*_OPTIONS_CONFLICT/),
      });
      expect(await counters()).toEqual(before);
    });

    test('advance without NAME moves the counters that have no name', async () => {
      expect(await nextid('advance', '7', '--prefix', '1406', '--json'))
        .toEqual(done(['{"name":"","prefix":1406,"next":7}']));
      expect(await fixture.readDated(url, '')).toEqual({ 1406: 6 });
    });

    test('advance moves the counter of each kind', async () => {
      expect(await nextid('advance', 'orders', '5', '--prefix', '140625', '--json'))
        .toEqual(done(['{"name":"orders","prefix":140625,"next":5}']));
      const zone = ['--time-zone', 'Europe/Berlin'];
      const period = expect.stringMatching(
        /^nextid: the year is \d\d \(time zone Europe\/Berlin\)\nnextid: created the dated counter/);
      expect(await nextid('advance', 'invoices', '421', '--period', 'year', ...zone))
        .toEqual(done(['421'], period));
      const [invoice] = await linesOf('next', 'invoices', '--period', 'year', ...zone);
      expect(invoice).toMatch(/^\d\d-0421$/);
      expect(await nextid('advance', 'serial', '50', '--cycle', '99')).toEqual(done(['50']));
      const warning = 'nextid: the counter is already past 20 in its round; it was not changed\n';
      expect(await nextid('advance', 'serial', '20', '--cycle', '99', '--restore'))
        .toEqual(done(['50'], warning));
      const slot = '4102444800000000000';
      const stamp = ['--timestamp', '--digits', '3', '--time-zone', '+08:00'];
      expect(await nextid('advance', 'trace', slot, ...stamp)).toEqual(done([slot]));
      expect(await nextid('next', 'trace', ...stamp)).toEqual(done(['21000101080000000000000']));
    });

    test('--dry-run prints what would go and removes nothing', async () => {
      await takeLongAgo(url, 'orders', 'day', DAYS);
      const before = await counters();
      const rules = ['prune', 'orders', '--keep-daily', '1', '--keep-monthly', '2'];
      const lines = ['orders 141230 5', 'orders 141231 1'];
      expect(await nextid(...rules, '--dry-run'))
        .toEqual(done(lines, 'nextid: dry run: 2 counters would be removed\n'));
      expect(await counters()).toEqual(before);
      expect(await nextid(...rules)).toEqual(done(lines, 'nextid: removed 2 counters\n'));
      expect(await prefixes()).toEqual(['orders:150101', 'orders:150201']);
    });

    test('keeps by all rules, and prints names that would command the terminal as JSON', async () => {
      await takeLongAgo(url, 'a\x1b', 'hour', {
        '2013-03-01T05:00Z': 1, '2014-03-01T05:00Z': 1, '2014-03-01T06:00Z': 1, '2014-04-01T05:00Z': 1,
        '2014-04-09T05:00Z': 1, '2014-04-10T05:00Z': 1, '2014-04-10T06:00Z': 1,
      });
      const keep = ['--keep-hourly', '1', '--keep-daily', '2', '--keep-weekly', '2', '--keep-monthly', '3'];
      expect(await nextid('prune', 'a\x1b', ...keep, '--keep-yearly', '1')).toEqual(done(
        ['"a\\u001b" 14030105 1', '"a\\u001b" 14041005 1'], 'nextid: removed 2 counters\n'));
    });

    test('--before takes a date, in a time zone', async () => {
      await takeLongAgo(url, 'orders', 'hour', {
        '2014-12-31T22:00Z': 1, '2014-12-31T23:00Z': 1, '2015-01-01T00:00Z': 1,
      });
      expect(await nextid('prune', 'orders', '--before', '2014-12-31', '--dry-run'))
        .toEqual(NOTHING);
      const berlin = ['--before', '2015-01-01', '--time-zone', 'Europe/Berlin', '--dry-run', '--json'];
      expect(await nextid('prune', 'orders', ...berlin)).toEqual(done(
        ['{"name":"orders","prefix":14123122,"count":1}', '{"name":"orders","prefix":14123123,"count":1}'],
        'nextid: dry run: 2 counters would be removed\n'));
      expect(await nextid('prune', 'orders', '--before', '2014-12-31', '--time-zone', 'Asia/Tokyo'))
        .toEqual(NOTHING);
    });

    test('never removes the current period', async () => {
      await takeLongAgo(url, '', 'year', { '2014-06-25T12:00Z': 3 });
      await nextid('next', '--period', 'year');
      expect(await nextid('prune', '--before', '2099-12-31', '--json'))
        .toEqual(done(['{"name":"","prefix":14,"count":3}'], 'nextid: removed 1 counter\n'));
      expect(await counters()).toHaveLength(1);
    });

    needs('script').test('shows on a terminal how far it is', async () => {
      await takeLongAgo(url, 'orders', 'day', DAYS);
      const command = `"${process.execPath}" "${path.join(ROOT, 'lib/cli.js')}" prune orders --before 150000`;
      const shown = execFileSync('script', ['-qec', command, '/dev/null'], {
        env: { ...process.env, NEXTID_STORE: url }, encoding: 'utf8',
      });
      expect(shown).toBe('\r2 of 2 (100%)\x1b[K\r\x1b[K' +
        'orders 141230 5\r\norders 141231 1\r\nnextid: removed 2 counters\r\n');
    });

    test('that is stopped tells what it has removed', async () => {
      await takeLongAgo(url, 'orders', 'day', DAYS);
      await takeLongAgo(url, 'orders', 'year', { '2014-06-25T12:00Z': 3 });
      const store = open(url);
      const said = [];
      const context = { signal: AbortSignal.abort(new Error('stop')), warn: (text) => said.push(text) };
      const options = { keep: { daily: 0 } };
      await expect(prune.run(store, { name: 'orders', options }, context)).rejects.toThrow('stop');
      await store.close();
      expect(said).toEqual(['stopped after removing the oldest 1 of 5 counters']);
      expect(await prefixes()).toEqual(['orders:141230', 'orders:141231', 'orders:150101', 'orders:150201']);
    });
  });
});

test.each([
  [0, 1_795_261_590_050_003n, '2026-11-21T11:46:30.050003Z'],
  [1, 1_795_261_590_000_100_9n, '2026-11-21T11:46:30.000100Z 9'],
  [4, 217_424_790_000_000_0001n, '2026-11-21T11:46:30.000000Z 0001'],
  [2, 2n ** 63n - 2n, '9223372036854775806'], // past the times that ids can show
])('a slot with %d digits is shown as a time', (digits, next, shown) => {
  const [, row] = toTable([{ name: 'trace', kind: 'time-stamped', next, digits }]).split('\n');
  expect(row).toBe(`trace  time-stamped  ${shown}`);
});

test.each([
  [['next', '--period', 'week'], "'period'", "'week'", "'day'"],
  [['next', '--period', 'day', '--format', '{YYMMDD}'], "'format'", 'count'],
  [['next', '--period', 'day', '--time-zone', 'Europe/Berln'], "'Europe/Berlin'"],
  [['next', '--period', 'day', '--start', '5'], "'start'"],
  [['next', '--period', 'day', '--cycle', '5'], "'period'", "'cycle'"],
  [['next', '--cycle', '0'], "'cycle'", '0'],
  [['next', '--cycle', 'many'], '--cycle', "'many'"],
  [['next', '--cycle', '5', '--format', 'T'], "'format'", '{count}'],
  [['next', '--timestamp', '--cycle', '5'], "'timestamp'", "'cycle'"],
  [['next', '--timestamp', '--digits', '5'], "'timestamp.digits'", '0 to 4'],
  [['next', '--timestamp', '--digits', 'two'], '--digits', "'two'"],
  [['next', '--timestamp', '--time-zone', 'Europe/Berlin'], "'timestamp.timeZone'", "'+08:00'"],
  [['next', '--timestamp=yes'], '--timestamp'],
  [['next', '--digits', '2'], '--digits', '--timestamp'],
  [['next', '--format', '{YYMMDD}-{count}'], "'format'", "the option 'period'"],
  [['next', '--series', '3/3'], "'series.index'", 'from 0 to 2'],
  [['advance', 'orders', '5', '--series', '3'], '--series', 'such as 1/3'],
  [['next', '--timestamp', '--series', '1/3'], 'time-stamped', "'series'"],
  [['next', '--time-zone', 'UTC'], '--time-zone requires --period or --timestamp'],
  [['next', '--keep-daily', '5'], "'next' has no option --keep-daily"],
  [['next', '--timezone', 'UTC'], "did you mean '--time-zone'?"],
  [['list', '--period', 'day'], "'list' has no option --period"],
  [['advance', 'orders', '5', '--count', '5'], "'advance' has no option --count"],
  [['advance', 'orders', '6', '--cycle', '5'], "'next'", 'from 1 to 5'],
  [['advance', 'orders', '5', '--period', 'week'], "'period'", "'week'"],
  [['advance', 'orders', '5', '--period', 'day', '--prefix', '14'], "'period'", "'prefix'"],
  [['advance', 'orders', '5', '--prefix', 'today'], '--prefix', "'today'"],
  [['advance', 'orders', '5', '--prefix', '1413'], "'prefix'", '1413'],
  [['advance', 'orders', '5', '--digits', '3'], '--digits', '--timestamp'],
  [['advance', 'orders', '5', '--time-zone', 'UTC'], '--time-zone requires --period or --timestamp'],
  [['advance', 'orders', '--period', 'day'], 'the number N', "'orders'"],
  [['advance', '5', '--cycle', '5'], 'nextid advance NAME N'],
  [['prune'], '--before D, or flags such as --keep-daily N'],
  [['prune', 'orders', 'serial', '--before', '15'], "unexpected argument 'serial'"],
  [['prune', '', '--before', '15'], 'is empty'],
  [['prune', '--count', '5'], "'prune' has no option --count"],
  [['prune', '--before', '15000'], "'before'", '6 (days)', '15000'],
  [['prune', '--before', 'yesterday'], '--before', 'YYYY-MM-DD', "'yesterday'"],
  [['prune', '--before', '2015-02-29'], '--before', "'2015-02-29'"],
  [['prune', '--before', '1999-01-01'], '--before', 'from 2010-01-01', "'1999-01-01'"],
  [['prune', '--before', '2015-01-01', '--time-zone', 'Europe/Berln'], "'Europe/Berlin'"],
  [['prune', '--keep-daily', '1.5'], '--keep-daily', "'1.5'"],
  [['prune', '--keep-daily', '100001'], "'keep.daily'", '100000'],
])('%p is wrong usage', async (args, ...words) => {
  const env = { NEXTID_STORE: 'sqlite:no-such-folder/ids.db' };
  const { code, stdout, stderr } = await runNextid(args, { env });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^nextid: .*nextid --help.*\n$/);
  for (const word of words) expect(stderr).toContain(word);
});
