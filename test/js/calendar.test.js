'use strict';

const { Calendar, checkPeriod, checkTimeZone, periodOf } = require('../../lib/formats/calendar');
const { TYPE, VALUE, expectError } = require('../support/argument-errors');
const { runProgram } = require('../support/run-program');

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PERIODS = { hour: 4, day: 3, month: 2, year: 1 }; // and how many fields a prefix names

const CLOCK = ['NextIdError', 'ERR_NEXTID_CLOCK_INVALID'];

// The prefix of a clock that shows, as UTC, `ms`: from the text of the date.
function utcPrefix(period, ms) {
  const fields = new Date(ms).toISOString().slice(2).match(/\d\d/g);
  return Number(fields.slice(0, PERIODS[period]).join(''));
}

// Numbers from 0 to 1, the same in each run.
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const at = (text) => Date.parse(`${text}Z`);
const hours = ({ from, to }) => (to - from) / HOUR;

describe('in UTC', () => {
  test.each(Object.keys(PERIODS))('each %s is as Date shows it', (period) => {
    const calendar = new Calendar(period, 'UTC');
    const random = randomNumbers(1);
    for (let i = 0; i < 100; ++i) {
      const ms = at('2010-01-01T00:00') + random() * (at('2100-01-01T00:00') - at('2010-01-01T00:00'));
      const prefix = utcPrefix(period, ms);
      expect(calendar.prefixAt(ms)).toBe(prefix);
      const { from, to } = calendar.boundsOf(prefix);
      expect(from).toBeLessThanOrEqual(ms);
      expect(to).toBeGreaterThan(ms);
      expect(calendar.prefixAt(from)).toBe(prefix);
      expect(calendar.prefixAt(to - 1)).toBe(prefix);
      if (to < at('2100-01-01T00:00')) expect(calendar.prefixAt(to)).toBeGreaterThan(prefix);
      if (from > at('2010-01-01T00:00')) expect(calendar.prefixAt(from - 1)).toBeLessThan(prefix);
    }
  });

  test.each([
    ['hour', 14062513, '2014-06-25T13:00', '2014-06-25T14:00'],
    ['hour', 24123123, '2024-12-31T23:00', '2025-01-01T00:00'],
    ['day', 140625, '2014-06-25T00:00', '2014-06-26T00:00'],
    ['day', 240229, '2024-02-29T00:00', '2024-03-01T00:00'],
    ['day', 250228, '2025-02-28T00:00', '2025-03-01T00:00'],
    ['day', 241231, '2024-12-31T00:00', '2025-01-01T00:00'],
    ['month', 2402, '2024-02-01T00:00', '2024-03-01T00:00'],
    ['month', 2412, '2024-12-01T00:00', '2025-01-01T00:00'],
    ['year', 10, '2010-01-01T00:00', '2011-01-01T00:00'],
    ['year', 99, '2099-01-01T00:00', '2100-01-01T00:00'],
  ])('%s %i', (period, prefix, from, to) => {
    const calendar = new Calendar(period, 'UTC');
    expect(calendar.boundsOf(prefix)).toEqual({ from: at(from), to: at(to) });
    expect(calendar.prefixAt(at(from))).toBe(prefix);
    expect(calendar.prefixAt(at(to) - 0.5)).toBe(prefix);
  });

  test('Intl is not needed', async () => {
    const { stdout, stderr } = await runProgram(() => {
      delete globalThis.Intl;
      const { Calendar: Plain } = require('./lib/formats/calendar');
      console.log(new Plain('day', 'UTC').prefixAt(Date.UTC(2014, 5, 25)));
    });
    expect({ stdout, stderr }).toEqual({ stdout: '140625\n', stderr: '' });
  });
});

describe('around a change of the clock', () => {
  // When the clock changes (UTC), and how many minutes it is before UTC until then and from then on.
  const changes = [
    ['Europe/Berlin', '2024-03-31T01:00', 60, 120],
    ['Europe/Berlin', '2024-10-27T01:00', 120, 60],
    ['America/New_York', '2024-03-10T07:00', -300, -240],
    ['America/New_York', '2024-11-03T06:00', -240, -300],
    ['Australia/Lord_Howe', '2024-04-06T15:00', 660, 630],
    ['Australia/Lord_Howe', '2024-10-05T15:30', 630, 660],
    ['America/St_Johns', '2010-03-14T03:31', -210, -150], // at 00:01
    ['Pacific/Apia', '2011-12-30T10:00', -600, 840],
  ];

  // Each minute of two days before the change and after it, with the prefix that the clock then shows.
  function walk(period, change, before, after) {
    const minutes = [];
    for (let ms = at(change) - 2 * DAY; ms < at(change) + 2 * DAY; ms += MINUTE) {
      const offset = ms < at(change) ? before : after;
      minutes.push([ms, utcPrefix(period, ms + offset * MINUTE)]);
    }
    return minutes;
  }

  for (const period of ['hour', 'day']) {
    test.each(changes)(`each minute and the bounds of each ${period}, %s, %s`, (zone, ...change) => {
      const calendar = new Calendar(period, zone);
      const shown = walk(period, ...change);
      expect(shown.map(([ms]) => [ms, calendar.prefixAt(ms)])).toEqual(shown);

      const prefixes = shown.map(([, prefix]) => prefix);
      expect(prefixes).toEqual(prefixes.toSorted((a, b) => a - b)); // it never goes back
      const whole = [...new Set(prefixes)].slice(1, -1); // of the first and last a part may be missing
      expect(whole.length).toBeGreaterThanOrEqual(period === 'hour' ? 93 : 2);
      const scanned = whole.map((prefix) => {
        const [from] = shown.find(([, other]) => other === prefix);
        const [to] = shown.find(([, other]) => other > prefix);
        return [prefix, { from, to }];
      });
      expect(whole.map((prefix) => [prefix, calendar.boundsOf(prefix)])).toEqual(scanned);
    });
  }

  test.each([
    ['Europe/Berlin', 'day', 240331, 23],
    ['Europe/Berlin', 'day', 241027, 25],
    ['Europe/Berlin', 'hour', 24033102, 0],
    ['Europe/Berlin', 'hour', 24102702, 2],
    ['America/New_York', 'day', 240310, 23],
    ['America/New_York', 'day', 241103, 25],
    ['America/New_York', 'hour', 24031002, 0],
    ['America/New_York', 'hour', 24110301, 2],
    ['US/Eastern', 'hour', 24110301, 2],
    ['Australia/Lord_Howe', 'day', 240407, 24.5],
    ['Australia/Lord_Howe', 'day', 241006, 23.5],
    ['Australia/Lord_Howe', 'hour', 24040701, 1.5],
    ['Australia/Lord_Howe', 'hour', 24100602, 0.5],
    ['Pacific/Apia', 'day', 111230, 0],
    ['Asia/Kathmandu', 'day', 240407, 24],
    ['Europe/Berlin', 'month', 2403, 31 * 24 - 1],
    ['Europe/Berlin', 'year', 24, 366 * 24],
  ])('in %s the %s %i has %d hours', (zone, period, prefix, length) => {
    expect(hours(new Calendar(period, zone).boundsOf(prefix))).toBe(length);
  });

  test('a skipped day lies between its neighbours', () => {
    const calendar = new Calendar('day', 'Pacific/Apia');
    const { from } = calendar.boundsOf(111230);
    expect(calendar.boundsOf(111229).to).toBe(from);
    expect(calendar.boundsOf(111231).from).toBe(from);
  });

  test.each([
    ['Pacific/Chatham', 'hour', '2024-04-06T13:59', 24040703, 24040702],
    ['America/St_Johns', 'day', '2010-11-07T02:30', 101107, 101106],
    ['Antarctica/Troll', 'hour', '2024-10-27T00:59', 24102702, 24102701],
  ])('in %s, where periods of an %s come back, it is told exactly', (zone, period, last, before, after) => {
    const calendar = new Calendar(period, zone);
    expect(calendar.prefixAt(at(last) + MINUTE - 1)).toBe(before);
    expect(calendar.prefixAt(at(last) + MINUTE)).toBe(after);
  });
});

test('in every zone a period begins and ends where its bounds are', () => {
  const random = randomNumbers(2);
  Intl.supportedValuesOf('timeZone').forEach((zone, i) => {
    const calendar = new Calendar(Object.keys(PERIODS)[i % 4], zone);
    const ms = at('2011-12-01T00:00') + random() * 87 * 365 * DAY;
    const prefix = calendar.prefixAt(ms);
    const { from, to } = calendar.boundsOf(prefix);
    expect([zone, from <= ms, ms < to]).toEqual([zone, true, true]);
    expect([zone, calendar.prefixAt(from), calendar.prefixAt(to - 1)]).toEqual([zone, prefix, prefix]);
    expect(calendar.prefixAt(from - 1)).toBeLessThan(prefix);
    expect(calendar.prefixAt(to)).toBeGreaterThan(prefix);
  });
});

describe("the zone 'local' is that of the process", () => {
  test.each(['Australia/Lord_Howe', 'America/New_York', 'Asia/Tokyo', 'UTC'])('%s', async (TZ) => {
    const times = [at('2024-04-06T14:59'), at('2024-11-03T06:30'), at('2024-12-31T22:00')];
    const { stdout, stderr } = await runProgram((list) => {
      const { Calendar: Local } = require('./lib/formats/calendar');
      const calendar = new Local('hour', 'local');
      console.log(JSON.stringify(list.map((ms) => {
        const prefix = calendar.prefixAt(ms);
        return [prefix, calendar.boundsOf(prefix)];
      })));
    }, [times], { env: { TZ } });
    const named = new Calendar('hour', TZ);
    const expected = times.map((ms) => [named.prefixAt(ms), named.boundsOf(named.prefixAt(ms))]);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(expected);
  });
});

describe('the first and the last period', () => {
  const ends = { hour: [10010100, 99123123], day: [100101, 991231], month: [1001, 9912], year: [10, 99] };

  // And how many hours their clocks are before UTC.
  test.each([
    ['UTC', 0], ['Pacific/Kiritimati', 14], ['Etc/GMT+12', -12],
  ])('in %s', (zone, offset) => {
    for (const [period, [first, last]] of Object.entries(ends)) {
      const calendar = new Calendar(period, zone);
      const { from } = calendar.boundsOf(first);
      const { to } = calendar.boundsOf(last);
      expect([from, to]).toEqual([
        at('2010-01-01T00:00') - offset * HOUR, at('2100-01-01T00:00') - offset * HOUR,
      ]);
      expect([calendar.prefixAt(from), calendar.prefixAt(to - 1)]).toEqual([first, last]);
      expectError(() => calendar.prefixAt(from - 1), CLOCK);
      expectError(() => calendar.prefixAt(to), CLOCK);
    }
  });

  test.each([
    ['UTC', 0, 'shows 1970-01-01T00:00:00.000Z', "'UTC'"],
    ['Asia/Tokyo', 0, 'shows 1970-01-01T00:00:00.000Z', "'Asia/Tokyo'"],
    ['local', at('2123-06-25T12:00'), 'shows 2123-06-25T12:00:00.000Z', "'local'"],
    ['Asia/Tokyo', Date.parse('-002019-06-25T12:00:00Z'), 'shows -002019-06-25', '2010 to 2099'], // 2020 BC
    ['Asia/Tokyo', NaN, 'shows NaN'],
    ['UTC', Infinity, 'shows Infinity'],
    ['UTC', -1e300, 'shows -1e+300', 'set the clock'],
  ])('a clock in %s at %d is refused', (zone, ms, ...words) => {
    for (const period of Object.keys(PERIODS)) {
      expectError(() => new Calendar(period, zone).prefixAt(ms), CLOCK, ...words);
    }
  });
});

describe('a prefix', () => {
  test.each([10, 23, 24, 99])('of six digits is a day if the year %i has such a day', (year) => {
    const days = [];
    const end = Date.UTC(2001 + year);
    for (let ms = Date.UTC(2000 + year); ms < end; ms += DAY) days.push(utcPrefix('day', ms));
    const all = Array.from({ length: 10_000 }, (_, rest) => year * 10_000 + rest);
    expect(all.filter((prefix) => periodOf(prefix) === 'day')).toEqual(days);
    expect(all.filter((prefix) => periodOf(prefix) !== undefined)).toEqual(days);
  });

  test.each([
    [10, 'year'], [99, 'year'], [1001, 'month'], [9912, 'month'], [140625, 'day'], [240229, 'day'],
    [10010100, 'hour'], [14062523, 'hour'], [99123123, 'hour'],
  ])('%d is a %s', (prefix, period) => expect(periodOf(prefix)).toBe(period));

  test.each([
    [0], [9], [100], [999], [1000], [1013], [10101], [912], [91231], [141332], [140230], [250229], [140600],
    [14062524], [9123123], [1406251], [140625130], [20140625], [-4], [-14], [-406],
    [14.5], [1e21], [NaN], [Infinity], ['140625'], [140625n], [null], [undefined], [{}],
  ])('%p is none', (prefix) => {
    expect(periodOf(prefix)).toBeUndefined();
    for (const period of Object.keys(PERIODS)) {
      const calendar = new Calendar(period, 'Europe/Berlin');
      expectError(() => calendar.boundsOf(prefix), VALUE, `one ${period}`, 'such as 14');
    }
  });

  test('of another period is refused', () => {
    expectError(() => new Calendar('day', 'UTC').boundsOf(1406), VALUE, 'one day', 'such as 140625', '1406');
  });
});

describe('the option period', () => {
  test.each(Object.keys(PERIODS))('%s', (period) => expect(checkPeriod(period)).toBe(period));

  test.each([
    ['days', VALUE, "'days'", "did you mean 'day'?"], ['week', VALUE, "'hour', 'day', 'month' or 'year'"],
    ['', VALUE], ['toString', VALUE], [undefined, TYPE, 'undefined'], [1, TYPE], [null, TYPE],
  ])('%p is refused', (period, kind, ...words) => {
    expectError(() => checkPeriod(period), kind, "'period'", ...words);
    expectError(() => new Calendar(period, 'UTC'), kind, "'period'", ...words);
  });
});

describe('the option timeZone', () => {
  test.each(['UTC', 'local', 'Europe/Berlin', 'US/Eastern', 'Etc/GMT-8', 'europe/berlin', 'Etc/UTC'])(
    '%s', (zone) => expect(checkTimeZone(zone)).toBe(zone));

  test.each([
    ['Europe/Berln', VALUE, "'Europe/Berln'", "did you mean 'Europe/Berlin'?"],
    ['Local', VALUE, "did you mean 'local'?"],
    ['Mars/Olympus_Mons', VALUE, "'Mars/Olympus_Mons'"],
    ['', VALUE, "''"],
    ['+08:00', VALUE, 'not an offset', "'+08:00'", "'Europe/Berlin'"],
    ['-0330', VALUE, 'not an offset'],
    ['\u221205:00', VALUE, 'not an offset'],
    ['GMT+8', VALUE, "'GMT+8'"],
    ['Europe/Berlin ', VALUE],
    [8, TYPE, '8'],
    [undefined, TYPE, 'undefined'],
    [null, TYPE, 'null'],
    [{ timeZone: 'UTC' }, TYPE, 'an object'],
  ])('%p is refused', (zone, kind, ...words) => {
    expectError(() => checkTimeZone(zone), kind, "'timeZone'", ...words);
    expectError(() => new Calendar('day', zone), kind, "'timeZone'", ...words);
  });
});
