'use strict';

// Whatever template is accepted: ids can be read back, no two are equal, and they grow as they are said to.

const fc = require('fast-check');

const { Calendar, PERIODS, periodOf } = require('../../lib/formats/calendar');
const { CountFormat } = require('../../lib/formats/count-format');
const { DatedFormat } = require('../../lib/formats/dated-format');
const { TimestampFormat, slotLimit } = require('../../lib/formats/timestamp-format');

const CHECKED = { seed: 20140625, numRuns: 500 };

const DATE_TOKENS = ['YYYY', 'YY', 'MM', 'DD', 'HH'];
// Text that looks like ids, tokens and regular expressions too.
const text = fc.oneof(
  fc.constantFrom('', '-', '0', '7', '{{', '}}', '.', '\\d', '(', '[0-9]', '$', 'count', 'ß', '𝒳'),
  fc.string({ unit: 'grapheme', maxLength: 6 }).filter((t) => !/[{}\p{Cc}]/u.test(t)),
);
const count = fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.maxSafeNat().map((n) => Math.max(n, 1)));
const instant = fc.integer({ min: Date.UTC(2010), max: Date.UTC(2100) - 1 });

const joined = (pieces) => fc.tuple(...pieces.flatMap((piece) => [text, fc.constant(piece)]), text)
  .map((parts) => parts.join(''));

// Templates that are often accepted: the tokens of the period in any order, some twice, some missing.
const datedTemplate = fc.tuple(fc.constantFrom(...Object.keys(PERIODS)), fc.integer({ min: 0, max: 15 }),
  fc.array(fc.constantFrom(...DATE_TOKENS, 'count', 'count:3'), { maxLength: 2 }))
  .chain(([period, width, extra]) => {
    const own = DATE_TOKENS.slice(1, 1 + PERIODS[period].places);
    const tokens = [...own, ...extra].map((token) => `{${token}}`);
    return fc.shuffledSubarray([...tokens, width === 0 ? '{count}' : `{count:${width}}`],
      { minLength: tokens.length })
      .chain(joined).map((template) => ({ period, template }));
  });

function acceptedDated({ period, template }) {
  try {
    return new DatedFormat(period, template);
  } catch (error) {
    expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' });
    return fc.pre(false);
  }
}

const prefixOf = (period, ms) => new Calendar(period, 'UTC').prefixAt(ms);

test('a dated id is read back as what it was made of', () => {
  fc.assert(fc.property(datedTemplate, instant, count, (given, ms, n) => {
    const format = acceptedDated(given);
    const prefix = prefixOf(given.period, ms);
    const id = format.for(prefix)(n);
    expect(format.parse(id)).toEqual({ prefix, count: n });
  }), CHECKED);
});

test('two dated ids are equal only if period and count are', () => {
  const hours = fc.constantFrom(0, 1, 24, 31 * 24, 366 * 24);
  const near = fc.tuple(instant, hours.map((n) => n * 3_600_000))
    .map(([ms, later]) => [ms, Math.min(ms + later, Date.UTC(2100) - 1)]);
  // Counts that differ by a digit in front or at the end.
  const twoCounts = fc.tuple(count, fc.constantFrom('', '0', '1', '12'), fc.boolean())
    .map(([n, more, before]) => [n, Number(before ? `${more}${n}` : `${n}${more}`)])
    .filter(([, other]) => Number.isSafeInteger(other) && other >= 1);
  fc.assert(fc.property(datedTemplate, near, twoCounts, (given, times, [n, other]) => {
    const format = acceptedDated(given);
    const [a, b] = times.map((ms) => prefixOf(given.period, ms));
    const same = a === b && n === other;
    expect(format.for(a)(n) === format.for(b)(other)).toBe(same);
  }), CHECKED);
});

test('dated ids of one period grow with the count as long as it fits the width', () => {
  fc.assert(fc.property(datedTemplate, instant, fc.integer({ min: 1, max: 8998 }), (given, ms, n) => {
    const template = given.template.replace(/\{count(:\d+)?\}/, '{count:4}');
    const write = acceptedDated({ ...given, template }).for(prefixOf(given.period, ms));
    expect(write(n) < write(n + 1)).toBe(true);
  }), CHECKED);
});

test('any text is read as a dated id that is written the same, or refused', () => {
  const digits = fc.stringMatching(/^[0-9]{0,20}$/);
  const nearly = fc.tuple(
    fc.oneof(instant.map((ms) => prefixOf('day', ms)), digits), fc.constantFrom('-', '-', ' ', '\n'),
    fc.stringMatching(/^0{0,5}[0-9]{0,16}$/)).map((parts) => parts.join(''));
  const id = fc.oneof(digits, nearly, fc.string());
  fc.assert(fc.property(fc.constantFrom(...Object.keys(PERIODS)), id, (period, tried) => {
    const format = new DatedFormat(period);
    let read;
    try {
      read = format.parse(tried);
    } catch (error) {
      expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' });
      return;
    }
    expect(periodOf(read.prefix)).toBe(period);
    expect(format.for(read.prefix)(read.count)).toBe(tried);
  }), CHECKED);
});

test('any template is accepted or refused as one', () => {
  const odd = fc.constantFrom('{', '}', '{}', '{count}', '{count:}', '{count:99}', '{YYMMDD}', '{YYYYMMDDHH}',
    '{digits}', '{YYYYMMDDhhmmssffffff}', '{Y}', '\n', '\ud800');
  const piece = fc.oneof(text, odd, fc.string());
  const template = fc.oneof(fc.array(piece, { maxLength: 8 }).map((all) => all.join('')), fc.anything());
  fc.assert(fc.property(template, (given) => {
    for (const make of [
      () => new CountFormat(given),
      () => new DatedFormat('day', given), () => new TimestampFormat({ format: given }),
    ]) {
      try {
        make();
      } catch (error) {
        expect(error.name).toBe('TypeError');
        expect(error.code).toMatch(/^ERR_INVALID_ARG_(TYPE|VALUE)$/);
      }
    }
  }), CHECKED);
});

// --- plain and cyclic ids

// Of any format that is accepted, with numbers or BigInts, and counts near each other in any order.
const countFormat = fc.tuple(text, fc.integer({ min: 0, max: 15 }), text, fc.boolean())
  .map(([head, width, tail, bigint]) => {
    const template = `${head}{count${width === 0 ? '' : `:${width}`}}${tail}`;
    return { format: new CountFormat(template, { bigint }), bigint };
  });
const distances = fc.array(fc.nat(250), { minLength: 2, maxLength: 8 });
const nearCounts = fc.tuple(fc.oneof(count, fc.nat(120)), distances)
  .map(([from, more]) => more.map((n) => from + n).filter(Number.isSafeInteger));

test('a plain or cyclic id is read back as its count, and no two are equal', () => {
  fc.assert(fc.property(countFormat, nearCounts, fc.bigInt(0n, 2n ** 63n - 2n), (given, near, large) => {
    const { format, bigint } = given;
    const counts = bigint ? [...near.map(BigInt), large] : near;
    const ids = counts.map((n) => format.write(n));
    expect(ids.map((id) => format.parse(id).count)).toEqual(counts);
    expect(new Set(ids).size).toBe(new Set(counts).size);
  }), CHECKED);
});

test('a text that is nearly a plain id is refused, or written the same', () => {
  const nearly = fc.tuple(fc.constantFrom('T', 't', '', 'T0'), fc.stringMatching(/^[0-9]{0,20}$/))
    .map((parts) => parts.join(''));
  const format = new CountFormat('T{count:3}');
  fc.assert(fc.property(fc.oneof(nearly, fc.string()), (tried) => {
    let read;
    try {
      read = format.parse(tried);
    } catch (error) {
      expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' });
      return;
    }
    expect(format.write(read.count)).toBe(tried);
  }), CHECKED);
});

// --- time-stamped ids

const timestampFormat = fc.tuple(fc.integer({ min: 0, max: 4 }),
  fc.constantFrom('UTC', '+08:00', '-03:30', '+14:00', '-13:59', '+00:00'))
  .chain(([digits, timeZone]) => {
    const tokens = ['YYYY', 'MM', 'DD', 'hh', 'mm', 'ss', 'ffffff', ...(digits === 0 ? [] : ['digits'])];
    return joined(tokens.map((token) => `{${token}}`)).map((format) => ({ digits, timeZone, format }));
  });
const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const slotAt = (digits, part) => {
  const last = slotLimit(digits) - 1n;
  return last * BigInt(Math.floor(part * 1_000_000)) / 1_000_000n;
};

test('a time-stamped id is read back as its time and digit', () => {
  const least = fc.integer({ min: 0, max: 9999 });
  fc.assert(fc.property(timestampFormat, fraction, least, (options, part, more) => {
    const { digits } = options;
    const format = new TimestampFormat(options);
    const slot = slotAt(digits, part) + BigInt(more) % slotLimit(digits);
    fc.pre(slot < slotLimit(digits));
    const { microseconds, digit, time } = format.parse(format.write(slot));
    const epoch = digits === 4 ? Date.UTC(2020) * 1000 : 0;
    expect(BigInt(microseconds - epoch) * 10n ** BigInt(digits) + BigInt(digit)).toBe(slot);
    expect(time.getTime()).toBe(Math.floor(microseconds / 1000));
  }), CHECKED);
});

test('time-stamped ids grow as slots do, in whatever order they are written', () => {
  const gaps = fc.array(fc.constantFrom(1n, 9n, 100n, 999_999n, 100_000_000n, 10n ** 12n),
    { minLength: 1, maxLength: 8 });
  fc.assert(fc.property(timestampFormat, fraction, gaps, fc.boolean(), (options, part, steps, backwards) => {
    const format = new TimestampFormat(options);
    const slots = [slotAt(options.digits, part)];
    for (const step of steps) slots.push(slots.at(-1) + step);
    fc.pre(slots.at(-1) < slotLimit(options.digits));
    const order = backwards ? [...slots].reverse() : slots;
    const ids = order.map((slot) => format.write(slot));
    const ascending = backwards ? ids.reverse() : ids;
    for (let i = 1; i < ascending.length; ++i) expect(ascending[i - 1] < ascending[i]).toBe(true);
  }), CHECKED);
});
