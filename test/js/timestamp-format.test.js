'use strict';

const { TimestampFormat, slotLimit, slotTime } = require('../../lib/formats/timestamp-format');
const { RANGE, TYPE, VALUE, expectError } = require('../support/argument-errors');

const ALL_DIGITS = [0, 1, 2, 3, 4];
const DATES = '{YYYYMMDDhhmmssffffff}';
const SPACED = 'T{YYYY}-{MM}-{DD} {hh}:{mm}:{ss}.{ffffff}/{digits}!';

// The slot of a UTC time such as '2014-06-25T13:45:01.123456' and a digit part.
function slotOf(text, digit, digits) {
  const epoch = digits === 4 ? Date.UTC(2020) : 0;
  const milliseconds = BigInt(Date.parse(`${text.slice(0, 19)}Z`) - epoch);
  return (milliseconds * 1000n + BigInt(text.slice(20))) * 10n ** BigInt(digits) + BigInt(digit);
}

const MOMENT = '2026-06-25T13:45:01.123456';

test.each([
  [{}, MOMENT, 7, '2026062513450112345607'],
  [{ digits: 0 }, MOMENT, 0, '20260625134501123456'],
  [{ digits: 1 }, MOMENT, 7, '202606251345011234567'],
  [{ digits: 3 }, MOMENT, 7, '20260625134501123456007'],
  [{ digits: 4 }, MOMENT, 9999, '202606251345011234569999'],
  [{ digits: 4 }, '2020-01-01T00:00:00.000000', 0, '202001010000000000000000'],
  [{ timeZone: '+08:00' }, MOMENT, 99, '2026062521450112345699'],
  [{ timeZone: '-09:30' }, MOMENT, 99, '2026062504150112345699'],
  [{ timeZone: '+14:00' }, '2026-12-31T23:59:59.999999', 99, '2027010113595999999999'],
  [{ timeZone: '-14:00' }, '1970-01-01T00:00:00.000000', 0, '1969123110000000000000'],
  [{ timeZone: '+00:00' }, MOMENT, 1, '2026062513450112345601'],
  [{}, '2024-02-29T23:59:59.000000', 1, '2024022923595900000001'],
  [{ format: SPACED }, MOMENT, 7, 'T2026-06-25 13:45:01.123456/07!'],
  [{ format: SPACED, digits: 4 }, MOMENT, 7, 'T2026-06-25 13:45:01.123456/0007!'],
  [{ format: `${DATES}Z{{}}`, digits: 0 }, MOMENT, 0, '20260625134501123456Z{}'],
  [{ format: `00${DATES}11{digits}22` }, MOMENT, 7, '00202606251345011234561107' + '22'],
])('%p writes %s and %d as %s', (options, time, digit, id) => {
  const format = new TimestampFormat(options);
  const slot = slotOf(time, digit, options.digits ?? 2);
  expect(format.write(slot)).toBe(id);
  const microseconds = Date.parse(`${time.slice(0, 19)}Z`) * 1000 + Number(time.slice(20));
  expect(format.parse(id)).toEqual({
    time: new Date(`${time.slice(0, 23)}Z`), microseconds, digit,
  });
  expect(slotTime(slot, options.digits ?? 2)).toBe(microseconds);
});

describe('ids grow as the slots do', () => {
  test.each(ALL_DIGITS)('with %d digits, over the ends of seconds, days and years', (digits) => {
    for (const options of [{}, { timeZone: '-03:30' }]) {
      const format = new TimestampFormat({ digits, ...options });
      for (const time of [
        '2026-06-25T13:45:02.000000', '2024-03-01T03:30:00.000000', '2026-01-01T00:00:00.000000',
        '2030-01-01T03:30:00.000000',
      ]) {
        const middle = slotOf(time, 0, digits);
        const ids = [];
        for (let slot = middle - 200n; slot < middle + 200n; ++slot) ids.push(format.write(slot));
        expect(new Set(ids).size).toBe(400);
        expect(ids).toEqual(ids.toSorted());
        expect(new Set(ids.map((id) => id.length)).size).toBe(1);
        // What is kept of the second before makes no difference.
        const fresh = ids.map((_, i) => (
          new TimestampFormat({ digits, ...options }).write(middle - 200n + BigInt(i))
        ));
        expect(ids).toEqual(fresh);
      }
    }
  });

  test.each(ALL_DIGITS)('with %d digits, random slots are read back', (digits) => {
    let state = 5n;
    const format = new TimestampFormat({ digits, timeZone: '+05:45' });
    const limit = slotLimit(digits);
    const slots = [0n, limit - 1n];
    for (let i = 0; i < 500; ++i) {
      state = (state * 6364136223846793005n + 1442695040888963407n) % 2n ** 64n;
      slots.push(state % limit);
    }
    const ids = slots.map((slot) => format.write(slot));
    const epoch = digits === 4 ? BigInt(Date.UTC(2020)) * 1000n : 0n;
    const read = ids.map((id) => {
      const { time, microseconds, digit } = format.parse(id);
      expect(time.getTime()).toBe(Math.floor(microseconds / 1000));
      return (BigInt(microseconds) - epoch) * 10n ** BigInt(digits) + BigInt(digit);
    });
    expect(read).toEqual(slots);
    const inOrder = (a, b) => (a < b ? -1 : 1);
    expect(ids.toSorted()).toEqual(slots.toSorted(inOrder).map((slot) => format.write(slot)));
  });
});

test('a call that runs out of stack in the middle changes no later id', () => {
  const [first, second] = [1_400_000_000_000_000n, 1_500_000_000_000_000n];
  const expected = new TimestampFormat({ digits: 0 }).write(second + 1n);
  const format = new TimestampFormat({ digits: 0 });
  const head = format.write(first);
  jest.spyOn(Date.prototype, 'toISOString').mockImplementationOnce(() => {
    throw new RangeError('Maximum call stack size exceeded');
  });
  expect(() => format.write(second)).toThrow('stack');
  expect(format.write(second + 1n)).toBe(expected);
  expect(format.write(first)).toBe(head);
});

describe('the end of the slots', () => {
  test.each([
    [0, '2255-06-05T23:47:34.740Z'], [1, '2255-06-05T23:47:34.740Z'], [2, '2255-06-05T23:47:34.740Z'],
    [3, '2255-06-05T23:47:34.740Z'], [4, '2049-03-24T04:46:43.685Z'],
  ])('with %d digits: %s', (digits, last) => {
    const limit = slotLimit(digits);
    const format = new TimestampFormat({ digits });
    const { time, microseconds } = format.parse(format.write(limit - 1n));
    expect(time.toISOString()).toBe(last);
    expect(microseconds).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
    expect(limit).toBeLessThanOrEqual(2n ** 63n - 1n);
    expectError(() => format.write(limit), RANGE, 'the slot', String(limit - 1n));
    expectError(() => format.write(-1n), RANGE, 'the slot', '-1n');
  });

  test('is where microseconds or slots become too large', () => {
    expect(ALL_DIGITS.map(slotLimit)).toEqual([
      2n ** 53n, 2n ** 53n * 10n, 2n ** 53n * 100n, 2n ** 53n * 1000n, 2n ** 63n - 1n,
    ]);
  });
});

describe('an id is refused', () => {
  const shape = [`'${DATES}{digits}'`, "such as '20260102030405678901"];
  const time = 'its time is not from 1970-01-01 to 2255-06-05';

  test.each([
    ['2026023013450112345607', time], // 30 February
    ['2025022913450112345607', time],
    ['2026022524000112345607', time],
    ['2026022523600112345607', time],
    ['2026022523596012345607', time],
    ['2026130113450112345607', time],
    ['2026000113450112345607', time],
    ['2026010013450112345607', time],
    ['1969123123595999999999', time],
    ['0026022513450112345607', time],
    ['2255060523473474099200', time],
    ['9999123123595999999999', time],
    ['202602251345011234560'],
    ['20260225134501123456077'],
    ['2026022513450112345607 '],
    ['2026022513450112345607\n'],
    ['20260225T34501123456007'],
    ['2026-022513450112345607'],
    [''],
  ])('%p', (id, ...words) => {
    expectError(() => new TimestampFormat().parse(id), VALUE, ...shape, ...words);
  });

  test.each([
    [{ digits: 4 }, '201912312359599999999999', 'from 2020-01-01 to 2049-03-24'],
    [{ digits: 4 }, '204903240446436854775807', 'from 2020-01-01 to 2049-03-24'],
    [{ digits: 0 }, '2026022513450112345607'],
    [{ timeZone: '+08:00' }, '1970010107595999999999', time],
    [{ format: SPACED }, '2026022513450112345607'],
    [{ format: SPACED }, 'T2026-06-25 13:45:01,123456/07!'],
    [{ format: SPACED }, 't2026-06-25 13:45:01.123456/07!'],
  ])('with %p: %s', (options, id, ...words) => {
    expectError(() => new TimestampFormat(options).parse(id), VALUE, ...words);
  });

  test.each([[undefined], [null], [2026], [2026n], [new Date()]])('%p', (id) => {
    expectError(() => new TimestampFormat().parse(id), TYPE, "the argument 'id'", 'a string');
  });
});

describe('an option is refused', () => {
  const inOrder = 'once each and in this order, so that ids increase';

  test.each([
    [{ digits: 5 }, RANGE, "'timestamp.digits'", 'from 0 to 4', '5'],
    [{ digits: -1 }, RANGE, "'timestamp.digits'", '-1'],
    [{ digits: 1.5 }, RANGE, "'timestamp.digits'", '1.5'],
    [{ digits: NaN }, RANGE, "'timestamp.digits'", 'NaN'],
    [{ digits: '2' }, TYPE, "'timestamp.digits'", "'2'"],
    [{ digits: null }, TYPE, "'timestamp.digits'", 'null'],
    [{ digits: 2n }, TYPE, "'timestamp.digits'", '2n'],

    ...[
      'Europe/Berlin', 'Asia/Tokyo', 'local', 'utc', 'Z', '', '+0800', '+08', '+8:00', '08:00', '+08:00 ',
      '+08:60', '+14:01', '-14:30', '+15:00', '+24:00', '\u221208:00',
    ].map((timeZone) => [
      { timeZone }, VALUE, "'timestamp.timeZone'", "'UTC' or an offset such as '+08:00'",
      'the same hour twice', `'timestamp.timeZone' is '${timeZone}': `,
    ]),
    [{ timeZone: 8 }, TYPE, "'timestamp.timeZone'", '8'],
    [{ timeZone: null }, TYPE, "'timestamp.timeZone'", 'null'],

    [{ format: DATES }, VALUE, "'timestamp.format'", 'expected {digits} in it', 'two ids could be equal'],
    [{ format: '{YYYYMMDDhhmmss}{digits}' }, VALUE, 'expected {ffffff} in it'],
    [{ format: '{MMDDhhmmssffffff}{digits}' }, VALUE, 'expected {YYYY} in it'],
    [{ format: '{{YYYYMMDDhhmmssffffff}}' }, VALUE, 'expected {YYYY} in it'],
    [{ format: '' }, VALUE, 'expected {YYYY} in it'],
    [{ digits: 0, format: `${DATES}{digits}` }, VALUE, 'expected no {digits}', "'timestamp.digits' is 0"],
    [{ format: '{DDMMYYYYhhmmssffffff}{digits}' }, VALUE, inOrder, '{YYYY} {MM} {DD} {hh}'],
    [{ format: `{digits}${DATES}` }, VALUE, inOrder, '{ffffff} {digits}'],
    [{ format: '{YYYYmmDDhhMMssffffff}{digits}' }, VALUE, inOrder],
    [{ format: `{YYYY}${DATES}{digits}` }, VALUE, inOrder],
    [{ format: `${DATES}{digits}{digits}` }, VALUE, inOrder],
    [{ digits: 0, format: `${DATES}{MM}` }, VALUE, inOrder],
    [{ format: '{YYYYMMDDHHmmssffffff}{digits}' }, VALUE, "'HHmmssffffff'", '{hh}', '{digits}'],
    [{ format: '{YYMMDDhhmmssffffff}{digits}' }, VALUE, "'YYMMDDhhmmssffffff'"],
    [{ format: `${DATES}{digits:2}` }, VALUE, "'digits:2'"],
    [{ format: `${DATES}{count}` }, VALUE, "'count'"],
    [{ format: `${DATES}{digits` }, VALUE, 'is not closed'],
    [{ format: `${DATES}}{digits}` }, VALUE, 'is not opened'],
    [{ format: `\t${DATES}{digits}` }, VALUE, 'control characters'],
    [{ format: 'x'.repeat(201) }, VALUE, 'at most 200 characters'],
    [{ format: null }, TYPE, "'timestamp.format'", 'null'],
    [{ format: true }, TYPE, "'timestamp.format'", 'true'],
  ])('%p', (options, kind, ...words) => {
    expectError(() => new TimestampFormat(options), kind, 'the option ', ...words);
  });
});
