'use strict';

const { Calendar } = require('../../lib/formats/calendar');
const { DatedFormat } = require('../../lib/formats/dated-format');
const { TYPE, VALUE, expectError } = require('../support/argument-errors');

const MOST = Number.MAX_SAFE_INTEGER;
const PLACES = { hour: 4, day: 3, month: 2, year: 1 }; // how many fields a prefix has

test.each([
  ['hour', undefined, 14062513, 42, '14062513-0042'],
  ['day', undefined, 140625, 42, '140625-0042'],
  ['month', undefined, 1406, 42, '1406-0042'],
  ['year', undefined, 14, 42, '14-0042'],
  ['day', undefined, 140625, 9999, '140625-9999'],
  ['day', undefined, 140625, 10_000, '140625-10000'],
  ['day', undefined, 140625, MOST, `140625-${MOST}`],
  ['day', '{YYMMDD}{count}', 140625, 7, '1406257'],
  ['day', '{count:15}{YYYYMMDD}', 140625, 7, '00000000000000720140625'],
  ['day', '{DD}.{MM}.{YYYY} no. {count:1}', 240229, 12, '29.02.2024 no. 12'],
  ['day', '{YYYY}{MMDD}{count:3}1', 140625, 5, '201406250051'],
  ['day', '{YY}{YYYY}{YY}{MM}{count}{DD}{MM}', 140625, 1, '14201414061' + '2506'],
  ['year', '{{{YY}}}{{{count}}}', 14, 8, '{14}{8}'],
  ['month', '^$.*+?()[]|\\/-{YYMM}-{count}$', 1406, 8, '^$.*+?()[]|\\/-1406-8$'],
  ['hour', 'Ünïcödé😀{YYMMDDHH}/{count:2}', 14062500, 8, 'Ünïcödé😀14062500/08'],
])('period %s, format %p: %d and %d are %s', (period, template, prefix, count, id) => {
  const format = new DatedFormat(period, template);
  expect(format.for(prefix)(count)).toBe(id);
  expect(format.parse(id)).toEqual({ prefix, count });
});

describe('a template is refused', () => {
  test.each([
    // It could give the same id twice.
    ['day', '{YYMM}-{count}', VALUE, '{DD}', 'two days', "'{YYMM}-{count}'"],
    ['day', '{MMDD}-{count}', VALUE, '{YYYY} or {YY}'],
    ['hour', '{YYMMDD}-{count}', VALUE, '{HH}', 'two hours'],
    ['month', '{YYYY}-{count}', VALUE, '{MM}', 'two months'],
    ['year', '{count}', VALUE, '{YYYY} or {YY}', 'two years'],
    ['day', '{YYMMDD}', VALUE, '{count}', 'all ids of one day'],
    ['day', '{{YYMMDD}}{{count}}', VALUE, '{YYYY} or {YY}'],
    ['day', '', VALUE, '{YYYY} or {YY}', "''"],
    // It could not be read back, or says what is not so.
    ['day', '{YYMMDD}{count}{count}', VALUE, '{count} only once'],
    ['day', '{count}-{YYMMDD}-{count:4}', VALUE, '{count} only once'],
    ['day', '{YYMMDDHH}-{count}', VALUE, 'expected no {HH}', 'a whole day'],
    ['year', '{YY}{count}{DD}', VALUE, 'expected no {DD}'],
    // It is no template.
    ['day', '{YYMMDD-{count}', VALUE, 'is not closed', "'{YYMMDD-{count}'", "'{{'"],
    ['day', 'No. {YYMMDD}-{count', VALUE, 'is not closed', "'{count'"],
    ['day', '{YYMMDD}}-{count}', VALUE, 'is not opened', "'}-{count}'", "'}}'"],
    ['day', '{YYMMDD}-{}{count}', VALUE, "no token in '{}'", '{YYYY} {YY} {MM} {DD} {HH} {count} {count:4}'],
    ['day', '{YYMMDDX}-{count}', VALUE, "'X' in '{YYMMDDX}'", '{count:4}'],
    ['day', '{yymmdd}-{count}', VALUE, "'yymmdd'"],
    ['day', '{YYYMMDD}-{count}', VALUE, "'YMMDD' in '{YYYMMDD}'"],
    ['day', '{YY MM DD}-{count}', VALUE, "' MM DD'"],
    ['day', '{YYMMDDcount}', VALUE, "'count' in '{YYMMDDcount}'"],
    ['day', '{YYMMDD}{Count}', VALUE, "'Count'"],
    ['day', '{YYMMDD}{digits}', VALUE, "'digits'"],
    ['day', '{YYMMDD}{mm}{count}', VALUE, "'mm'"],
    ['day', '{YYMMDD:2}{count}', VALUE, "':2'"],
    ['day', '{YYMMDD}{count:0}', VALUE, 'from 1 to 15', "'{count:0}'"],
    ['day', '{YYMMDD}{count:16}', VALUE, 'from 1 to 15', "'{count:16}'"],
    ['day', '{YYMMDD}{count:04}', VALUE, "'{count:04}'"],
    ['day', '{YYMMDD}{count:}', VALUE, "'{count:}'"],
    ['day', '{YYMMDD}{count:4:5}', VALUE, "'{count:4:5}'"],
    ['day', '{YYMMDD}{count:-4}', VALUE, "'{count:-4}'"],
    ['day', `{YYMMDD}{count}${'x'.repeat(186)}`, VALUE, 'at most 200 characters', '201'],
    ['day', '{YYMMDD}\n{count}', VALUE, 'control characters', '\\n'],
    ['day', '{YYMMDD}\0{count}', VALUE, 'control characters'],
    ['day', '{YYMMDD}\x85{count}', VALUE, 'control characters'],
    ['day', '{YYMMDD}\ud83d{count}', VALUE, 'surrogate'],
    ['day', null, TYPE, 'null'],
    ['day', 4, TYPE, 'a string', '4'],
    ['day', ['{YYMMDD}{count}'], TYPE, 'an array'],
  ])('period %s, format %p', (period, template, kind, ...words) => {
    expectError(() => new DatedFormat(period, template), kind, "the option 'format'", ...words);
  });

  test('but not for its length, up to 200 characters', () => {
    const text = 'x'.repeat(185);
    const id = new DatedFormat('day', `{YYMMDD}{count}${text}`).for(140625)(1);
    expect(id).toBe(`1406251${text}`);
  });

  test.each([['week', VALUE], [undefined, TYPE]])('for its period, %p', (period, kind) => {
    expectError(() => new DatedFormat(period), kind, "the option 'period'");
    expectError(() => new DatedFormat(period, '{YYMMDD}{count}'), kind, "the option 'period'");
  });
});

describe('an id is refused', () => {
  const example = ["'{YYMMDD}-{count:4}'", "'140625-0042'"];

  test.each([
    ['140625-00042', "did you mean '140625-0042'?"],
    ['140625-010000', "did you mean '140625-10000'?"],
    ['140625-0000', `from 1 to ${MOST}`],
    ['140625-9007199254740992', `from 1 to ${MOST}`],
    ['140625-9999999999999999', `from 1 to ${MOST}`],
    ['140625-10000000000000000'],
    ['140625-042'],
    ['140625-'],
    ['140625_0042'],
    ['140625-0042 '],
    [' 140625-0042'],
    ['140625-0042\n'],
    ['140625-00x2'],
    ['140625--042'],
    ['140625-+042'],
    ['140625-1e10'],
    ['140625-٠٠٤٢'],
    ['14625-0042'],
    ['20140625-0042'],
    ['140230-0001', 'no day 140230'],
    ['250229-0001', 'no day 250229'],
    ['141325-0001', 'no day 141325'],
    ['140600-0001', 'no day 140600'],
    ['090625-0001', 'no day 090625'],
    ['001406-0001', 'no day 001406'],
    [''],
  ])('%p', (id, ...words) => {
    expectError(() => new DatedFormat('day').parse(id), VALUE, ...example, ...words);
  });

  test.each([
    ['{YY}{YYYY}{MMDD}{count}', '15201406251', "did you mean '15201506251'?"],
    ['{YYYYMMDD}-{count}', '19140625-1', "did you mean '20140625-1'?"],
    ['{YYYYMMDD}-{count}', '21140625-1', "did you mean '20140625-1'?"],
    ['{YYMMDD}{count}{MM}', '140625105', "did you mean '140625106'?"],
    ['{YYMMDD}.{count}', '140625-1'],
    ['{{{YYMMDD}}}{count}', '(140625)1'],
  ])('of the format %s: %s', (template, id, ...words) => {
    expectError(() => new DatedFormat('day', template).parse(id), VALUE, 'the format', ...words);
  });

  test.each([
    ['hour', '14062524-0001', 'no hour 14062524'], ['month', '1413-0001', 'no month 1413'],
    ['year', '09-0001', 'no year 09'], ['hour', '00140625-0001', 'no hour 00140625'],
  ])('of one %s: %s', (period, id, ...words) => {
    expectError(() => new DatedFormat(period).parse(id), VALUE, ...words);
  });

  test.each([[undefined], [null], [140625], [['140625-0042']], [140625n]])('%p', (id) => {
    expectError(() => new DatedFormat('day').parse(id), TYPE, "the argument 'id'", 'a string');
  });
});

test.each([[1406], [14062513], [141332], [140230], ['140625'], [undefined], [NaN]])(
  'no ids of the day %p', (prefix) => {
    expectError(() => new DatedFormat('day').for(prefix), VALUE, 'one day');
  });

describe('random templates', () => {
  let state = 4;
  // From 0 to n - 1, the same in each run.
  function random(n) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * n);
  }
  const pick = (list) => list[random(list.length)];

  // Digits, for these could be taken for those of a token, and what means something in a regular expression.
  const texts = ['', '', '', '0', '00', '1', '14', '2014', '-', '.', '$', '{{', '}}', '\\d', 'x|y', '😀'];

  function randomTemplate(period) {
    const ofPeriod = [pick(['YY', 'YYYY']), 'MM', 'DD', 'HH'].slice(0, PLACES[period]);
    const tokens = [...ofPeriod, pick(['count', `count:${1 + random(6)}`])];
    while (random(3) === 0) tokens.push(pick(pick([ofPeriod, ['YY', 'YYYY']])));
    for (let i = tokens.length - 1; i > 0; --i) {
      const j = random(i + 1);
      [tokens[i], tokens[j]] = [tokens[j], tokens[i]];
    }
    return tokens.map((token) => `${pick(texts)}{${token}}`).join('') + pick(texts);
  }

  // Small and large ones, and such as differ by a digit in front or behind.
  const counts = [1, 2, 9, 10, 11, 12, 14, 99, 100, 101, 111, 1000, 1111, 1114, 1401, 11_111, 140_114, MOST];

  test.each(Object.keys(PLACES))('period %s: all ids differ and are read back', (period) => {
    const calendar = new Calendar(period, 'UTC');
    const first = Date.UTC(2010);
    const length = Date.UTC(2100) - first;
    for (let i = 0; i < 100; ++i) {
      const template = randomTemplate(period);
      const format = new DatedFormat(period, template);
      const ids = new Set();
      const prefixes = new Set();
      const wrong = [];
      for (const alike of [Date.UTC(2014, 0, 14, 14), Date.UTC(2011, 10, 11, 11)]) {
        prefixes.add(calendar.prefixAt(alike));
      }
      while (prefixes.size < 20) prefixes.add(calendar.prefixAt(first + random(length)));
      for (const prefix of prefixes) {
        const write = format.for(prefix);
        for (const count of counts) {
          const id = write(count);
          ids.add(id);
          const read = format.parse(id);
          if (read.prefix !== prefix || read.count !== count) wrong.push([id, prefix, count, read]);
        }
      }
      expect([template, wrong]).toEqual([template, []]);
      expect([template, ids.size]).toEqual([template, prefixes.size * counts.length]);
    }
  });

  test('a text with a character changed is another id or none', () => {
    for (let i = 0; i < 300; ++i) {
      const format = new DatedFormat('day', randomTemplate('day'));
      const id = format.for(140625)(pick(counts));
      const place = random(id.length);
      const changed = id.slice(0, place) + pick(['0', '1', '9', '', '-', '00']) + id.slice(place + 1);
      if (changed === id) continue;
      let read;
      try {
        read = format.parse(changed);
      } catch (error) {
        expect(error.code).toBe('ERR_INVALID_ARG_VALUE');
        continue;
      }
      expect(read).not.toEqual(format.parse(id));
      expect(format.for(read.prefix)(read.count)).toBe(changed);
    }
  });
});
