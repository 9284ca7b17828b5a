'use strict';

const vm = require('node:vm');

const { currentPeriods, prefixesAt, prefixesToRemove, pruneOptions } = require('../../lib/prune-rules');
const { onProgress } = require('../../lib/symbols');
const { randomNumbers } = require('../support/random');

const HOUR = 3_600_000; // ms
const NOW = Date.UTC(2015, 0, 14, 13, 30); // a Wednesday
const CURRENT = { year: 15, month: 1501, day: 150114, hour: 15011413 };

function removed(prefixes, options, now = NOW) {
  const rules = pruneOptions({ timeZone: 'UTC', ...options });
  return prefixesToRemove(prefixes, rules, currentPeriods(now, rules.timeZone));
}

test('prefixesAt() gives those of all periods, in a time zone', () => {
  expect(prefixesAt(NOW, 'UTC')).toEqual(CURRENT);
  const newYear = Date.UTC(2014, 11, 31, 23, 30);
  expect(prefixesAt(newYear, 'Europe/Berlin'))
    .toEqual({ year: 15, month: 1501, day: 150101, hour: 15010100 });
});

describe('before, a prefix,', () => {
  test('removes what is below it, of the period with as many digits', () => {
    const prefixes = [150101, 131231, 140625, 141231, 149999, 1406, 14, 14062513, 150000];
    expect(removed(prefixes, { before: 150000 })).toEqual([131231, 140625, 141231]);
    expect(removed(prefixes, { before: 140625 })).toEqual([131231]);
    expect(removed(prefixes, { before: 1407 })).toEqual([1406]);
    expect(removed(prefixes, { before: 15 })).toEqual([14]);
    expect(removed(prefixes, { before: 14062514 })).toEqual([14062513]);
  });

  test('leaves current and later periods alone, however high it is', () => {
    const prefixes = [13, 14, 15, 16, 1412, 1501, 1502, 150113, 150114, 150115, 15011412, 15011413, 15011414];
    expect(removed(prefixes, { before: 99 })).toEqual([13, 14]);
    expect(removed(prefixes, { before: 9999 })).toEqual([1412]);
    expect(removed(prefixes, { before: 999999 })).toEqual([150113]);
    expect(removed(prefixes, { before: 99999999 })).toEqual([15011412]);
  });

  test('leaves alone what is no prefix of a period', () => {
    const others = [141332, 140631, 1413, 1400, 9, 140, 14062524, 1406251, 140625131, 0, -140625, 140625.5];
    for (const before of [99, 9999, 999999, 99999999]) expect(removed(others, { before })).toEqual([]);
    expect(removed(others, { keep: { daily: 0 } })).toEqual([]);
  });
});

describe('without a time zone', () => {
  // At 13:30 UTC it is 1:30 of the same day in the west, and 3:30 of the next in the east.
  const current = currentPeriods(NOW);
  const removedAnywhere = (prefixes, options) => prefixesToRemove(prefixes, pruneOptions(options), current);

  test('what is current anywhere stays', () => {
    expect(currentPeriods(NOW, 'UTC')).toEqual({ earliest: CURRENT, latest: CURRENT });
    expect(current.earliest).toEqual({ ...CURRENT, hour: 15011401 });
    expect(current.latest).toEqual({ ...CURRENT, day: 150115, hour: 15011503 });
    const hours = [15011400, 15011401, 15011413, 15011503, 15011504];
    expect(removedAnywhere(hours, { before: 999999_99 })).toEqual([15011400]);
    expect(removedAnywhere(hours, { before: new Date(NOW) })).toEqual([15011400]);
    expect(removedAnywhere(hours, { keep: { hourly: 0 } })).toEqual([15011400]);
  });

  test('what is current anywhere counts among those that are kept', () => {
    const days = [150112, 150113, 150114, 150115, 150116];
    expect(removedAnywhere(days, { keep: { daily: 3 } })).toEqual([150112]);
  });

  test('a Date is one of UTC', () => {
    const options = { before: new Date(Date.UTC(2015, 0, 12)) };
    expect(removedAnywhere([150110, 150111, 150112], options)).toEqual([150110, 150111]);
  });
});

describe('before, a Date,', () => {
  test('removes what ended at it or earlier, of every period', () => {
    const prefixes = [13, 14, 1411, 1412, 141230, 141231, 14123122, 14123123, 15010100];
    const end = Date.UTC(2015, 0, 1);
    expect(removed(prefixes, { before: new Date(end) }))
      .toEqual([13, 14, 1411, 1412, 141230, 141231, 14123122, 14123123]);
    expect(removed(prefixes, { before: new Date(end - 1) })).toEqual([13, 1411, 141230, 14123122]);
  });

  test('is understood in the time zone', () => {
    const hours = [14102600, 14102601, 14102602, 14102603]; // two o'clock comes twice, from 0:00 to 2:00 UTC
    const end = Date.UTC(2014, 9, 26, 2);
    const options = (ms) => ({ before: new Date(ms), timeZone: 'Europe/Berlin' });
    expect(removed(hours, options(end - 1))).toEqual([14102600, 14102601]);
    expect(removed(hours, options(end))).toEqual([14102600, 14102601, 14102602]);
    expect(removed([141025, 141026], options(Date.UTC(2014, 9, 26, 22, 59)))).toEqual([141025]);
    expect(removed([141025, 141026], options(Date.UTC(2014, 9, 26, 23)))).toEqual([141025, 141026]);
  });

  test('may lie before all periods, after them, and in the future', () => {
    const prefixes = [10, 1001, 100101, 10010100, 14, 1412, 150113, 15011412, 15, 150114, 150115];
    const past = [10, 14, 1001, 1412, 100101, 150113, 10010100, 15011412];
    for (const ms of [-8.64e15, 0, Date.UTC(2010)]) {
      expect(removed(prefixes, { before: new Date(ms) })).toEqual([]);
    }
    for (const ms of [NOW, Date.UTC(2099, 11, 31), Date.UTC(2100), 8.64e15]) {
      expect(removed(prefixes, { before: new Date(ms) })).toEqual(past);
    }
    const timeZone = 'Pacific/Honolulu'; // ten hours behind
    const before = (hour) => new Date(Date.UTC(2010, 0, 1, hour));
    expect(removed([10, 10010100], { before: before(9), timeZone })).toEqual([]);
    expect(removed([10, 10010100], { before: before(11), timeZone })).toEqual([10010100]);
  });
});

describe('keep', () => {
  const january = [150101, 150102, 150105, 150106, 150111, 150112, 150113, 150114];

  test('keeps the newest ones', () => {
    expect(removed(january, { keep: { daily: 3 } })).toEqual([150101, 150102, 150105, 150106, 150111]);
    expect(removed(january, { keep: { daily: 8 } })).toEqual([]);
    expect(removed(january, { keep: { daily: 0 } })).toEqual(january.slice(0, -1));
  });

  test('keeps the last one of each week, which begins on Monday, also over New Year', () => {
    const days = [141228, 141229, 141231, 150101, 150104, 150105, 150111, 150112];
    expect(removed(days, { keep: { weekly: 100 } })).toEqual([141229, 141231, 150101, 150105]);
    expect(removed(days, { keep: { weekly: 2 } })).toEqual([141228, 141229, 141231, 150101, 150104, 150105]);
  });

  test('keeps the last one of each month and year that has any', () => {
    const days = [121231, 130601, 130602, 131110, 141130, 141202, 141203, 150114];
    expect(removed(days, { keep: { monthly: 3 } })).toEqual([121231, 130601, 130602, 131110, 141202]);
    expect(removed(days, { keep: { yearly: 3 } })).toEqual([121231, 130601, 130602, 141130, 141202]);
  });

  test('keeps the last hour of each day, week, month and year that has any', () => {
    const hours = [13123100, 13123123, 14123105, 15010110, 15011300, 15011323, 15011400, 15011413];
    expect(removed(hours, { keep: { daily: 2 } })).toEqual([...hours.slice(0, 5), 15011400]);
    expect(removed(hours, { keep: { weekly: 2 } })).toEqual([...hours.slice(0, 3), ...hours.slice(4, 7)]);
    expect(removed(hours, { keep: { monthly: 2 } })).toEqual([...hours.slice(0, 2), ...hours.slice(3, 7)]);
    expect(removed(hours, { keep: { yearly: 3 } })).toEqual([hours[0], ...hours.slice(3, 7)]);
  });

  test('keeps what any rule keeps', () => {
    const days = [131231, 141130, 141201, 141231, 150104, 150111, 150112, 150113];
    expect(removed(days, { keep: { daily: 2, weekly: 2, monthly: 2, yearly: 3 } }))
      .toEqual([141130, 141201, 150104]);
  });

  test('judges each period apart', () => {
    const prefixes = [13, 14, 1411, 1412, 150112, 150113, 15011411, 15011412];
    expect(removed(prefixes, { keep: { hourly: 1 } })).toEqual([13, 1411, 150112, 15011411]);
    expect(removed(prefixes, { keep: { yearly: 1 } })).toEqual([13, 1411, 150112, 15011411]);
  });

  test('takes each counter as a stretch of its own where the rule is finer', () => {
    const months = [1410, 1411, 1412, 1501];
    for (const rule of ['hourly', 'daily', 'weekly', 'monthly']) {
      expect(removed(months, { keep: { [rule]: 3 } })).toEqual([1410]);
    }
    expect(removed([12, 13, 14], { keep: { weekly: 2 } })).toEqual([12]);
    expect(removed(january, { keep: { hourly: 7 } })).toEqual([150101]);
  });

  test('does not count later periods, and counts the current one', () => {
    const days = [150112, 150113, 150114, 150115, 150116];
    expect(removed(days, { keep: { daily: 2 } })).toEqual([150112]);
    expect(removed(days.filter((day) => day !== 150114), { keep: { daily: 2 } })).toEqual([]);
  });

  test('with before: removes only what is below it and not kept', () => {
    expect(removed(january, { keep: { daily: 3 }, before: 150106 })).toEqual([150101, 150102, 150105]);
    expect(removed(january, { keep: { daily: 7 }, before: 150113 })).toEqual([150101]);
    expect(removed([1411, ...january], { keep: { daily: 7 }, before: 150113 })).toEqual([150101]);
  });
});

// The rules once more, slow and plain: walks back from now, one period after the other, and asks of each
// whether a counter of it is there.
describe('agrees with a plain reference', () => {
  // How a period is labelled in the text of a date, and how to get to the one before.
  const PERIODS = {
    hour: { digits: 8, back: (date) => date.setTime(date.getTime() - HOUR) },
    day: { digits: 6, back: (date) => date.setUTCDate(date.getUTCDate() - 1) },
    month: { digits: 4, back: (date) => date.setUTCMonth(date.getUTCMonth() - 1, 1) },
    year: { digits: 2, back: (date) => date.setUTCFullYear(date.getUTCFullYear() - 1, 0, 1) },
  };
  const label = (date, digits) => date.toISOString().replace(/\D/g, '').slice(2, 2 + digits);

  function monday(date) {
    const day = new Date(date);
    while (day.getUTCDay() !== 1) PERIODS.day.back(day);
    return label(day, 6);
  }

  const LABELS = {
    hourly: (date) => label(date, 8),
    daily: (date) => label(date, 6),
    weekly: monday,
    monthly: (date) => label(date, 4),
    yearly: (date) => label(date, 2),
  };

  // Of a month or year the walk stands on one day of it, so that its week is as good as the month itself.
  function toRemove(period, prefixes, { keep = {}, before = Infinity }, now, first) {
    const { digits, back } = PERIODS[period];
    const there = new Set(prefixes);
    const seen = Object.fromEntries(Object.keys(keep).map((rule) => [rule, new Set()]));
    const result = [];
    const current = Number(label(new Date(now), digits));
    for (const date = new Date(now); date.getTime() > first; back(date)) {
      const prefix = Number(label(date, digits));
      if (!there.has(prefix)) continue;
      let isKept = false;
      for (const [rule, most] of Object.entries(keep)) {
        const stretch = LABELS[rule](date);
        if (seen[rule].has(stretch) || seen[rule].size === most) continue;
        seen[rule].add(stretch);
        isKept = true;
      }
      if (!isKept && prefix !== current && prefix < before) result.unshift(prefix);
    }
    return result;
  }

  function randomCase(period, years, random) {
    const { digits, back } = PERIODS[period];
    const now = Date.UTC(2010 + years, 0, 1) + Math.floor(random() * 400 * 24) * HOUR;
    const first = Date.UTC(2010, 0, 1) - 1;
    const share = random() ** 2; // of the periods that have a counter
    const prefixes = [];
    const date = new Date(now);
    for (let i = 0; i < 3; ++i) date.setTime(date.getTime() + 400 * 24 * HOUR * random()); // future ones too
    for (; date.getTime() > first; back(date)) {
      if (random() < share) prefixes.push(Number(label(date, digits)));
    }
    const options = {};
    const wantsKeep = random() < 0.8;
    if (wantsKeep) {
      const rules = Object.keys(LABELS).filter(() => random() < 0.4);
      if (rules.length === 0) rules.push('daily');
      options.keep = Object.fromEntries(rules.map((rule) => [rule, Math.floor(60 * random() ** 2)]));
    }
    if (!wantsKeep || random() < 0.3) {
      options.before = Number(label(new Date(first + 1 + random() * (now - first)), digits));
    }
    return { now, first, prefixes: shuffled(prefixes, random), options };
  }

  function shuffled(array, random) {
    const result = [...array];
    for (let i = result.length - 1; i > 0; --i) {
      const j = Math.floor(random() * (i + 1));
      [result[i], result[j]] = [result[j], result[i]];
    }
    return result;
  }

  test.each([
    ['day', 3, 80], ['hour', 3, 6], ['month', 30, 150], ['year', 80, 100],
  ])('%s counters of %d years, %d times with random holes and rules', (period, years, times) => {
    const random = randomNumbers(years + times);
    let sum = 0;
    for (let i = 0; i < times; ++i) {
      const { now, first, prefixes, options } = randomCase(period, years, random);
      const expected = toRemove(period, prefixes, options, now, first);
      expect({ options, removed: removed(prefixes, options, now) }).toEqual({ options, removed: expected });
      sum += expected.length;
    }
    expect(sum).toBeGreaterThan(times); // the cases are not all empty
  });
});

describe('pruneOptions()', () => {
  test('fills in what is not given', () => {
    expect(pruneOptions({ before: 150000, keep: undefined })).toMatchObject({
      before: { day: 150000 }, keep: undefined, dryRun: false, timeZone: undefined,
    });
    const keep = { daily: 0, weekly: undefined, yearly: 100_000 };
    expect(pruneOptions({ keep, dryRun: true })).toMatchObject({
      before: undefined, keep: { daily: 0, yearly: 100_000 }, dryRun: true,
    });
    expect(pruneOptions({ before: 15, timeZone: 'local' }, 'Asia/Tokyo').timeZone).toBe('local');
    expect(pruneOptions({ before: 15 }, 'Asia/Tokyo').timeZone).toBe('Asia/Tokyo');
    expect(() => pruneOptions({ before: 15 })[onProgress](1, 2)).not.toThrow();
  });

  test('takes what it is to call for each batch', () => {
    const report = () => {};
    expect(pruneOptions({ before: 15, [onProgress]: report })[onProgress]).toBe(report);
  });

  test('takes a Date of another realm', () => {
    const before = vm.runInNewContext('new Date(Date.UTC(2015, 0))');
    expect(pruneOptions({ before }).before).toEqual({ year: 15, month: 1501, day: 150101, hour: 15010100 });
  });

  const TYPE = [TypeError, 'ERR_INVALID_ARG_TYPE'];
  const VALUE = [TypeError, 'ERR_INVALID_ARG_VALUE'];
  const RANGE = [RangeError, 'ERR_OUT_OF_RANGE'];
  test.each([
    ['nothing', undefined, VALUE, "'before' or 'keep'"],
    ['no options', {}, VALUE, "'before' or 'keep'"],
    ['undefined ones', { before: undefined, dryRun: true }, VALUE, "'before' or 'keep'"],
    ['a number', 150000, TYPE, 'a plain object', '150000'],
    ['null', null, TYPE, 'a plain object', 'null'],
    ['a typo', { befor: 150000 }, VALUE, "unknown option 'befor'", "did you mean 'before'?"],
    ['another word', { daily: 31 }, VALUE, "unknown option 'daily'", 'before, keep, dryRun, timeZone'],
    ['before: a text', { before: '150000' }, TYPE, "'before'", 'a prefix such as', 'or a Date', "'150000'"],
    ['before: null', { before: null }, TYPE, "'before'", 'null'],
    ['before: a BigInt', { before: 150000n }, TYPE, "'before'", '150000n'],
    ['before: no integer', { before: 150000.5 }, RANGE, "'before'", '150000.5'],
    ['before: NaN', { before: NaN }, RANGE, "'before'", 'NaN'],
    ['before: negative', { before: -15 }, RANGE, "'before'", '-15'],
    ['before: a whole year', { before: 2015 }, VALUE, "'before' is 2015", 'YYMM', 'two digits'],
    ['before: a whole date', { before: 20150101 }, VALUE, "'before' is 20150101", 'YYMMDDHH', '150131'],
    ['before: a day too late', { before: 150132 }, VALUE, "'before' is 150132", 'YYMMDD'],
    ['before: an hour too late', { before: 15013124 }, VALUE, "'before' is 15013124", 'YYMMDDHH'],
    ['before: 1 digit', { before: 0 }, VALUE, "'before'", 'is 0: ', '2 digits (years)'],
    ['before: 5 digits', { before: 15000 }, VALUE, 'is 15000: ', '4 (months), 6 (days) or 8 (hours)'],
    ['before: 7 digits', { before: 1500000 }, VALUE, '2 digits (years)', 'is 1500000: '],
    ['before: 10 digits', { before: 2015010100 }, VALUE, '2 digits (years)', 'is 2015010100: '],
    ['before: an invalid Date', { before: new Date(NaN) }, VALUE, "'before'", 'invalid Date'],
    ['keep: a number', { keep: 31 }, TYPE, "'keep'", 'a plain object', '31'],
    ['keep: null', { keep: null }, TYPE, "'keep'", 'null'],
    ['keep: empty', { keep: {} }, VALUE, "'keep'", 'at least one of hourly, daily, weekly, monthly, yearly'],
    ['keep: undefined ones', { keep: { daily: undefined } }, VALUE, "'keep'", 'at least one of'],
    ['keep: a typo', { keep: { dialy: 31 } }, VALUE, "unknown option 'dialy'", "did you mean 'daily'?"],
    ['keep.daily: a text', { keep: { daily: '31' } }, TYPE, "'keep.daily'", "'31'"],
    ['keep.daily: negative', { keep: { daily: -1 } }, RANGE, "'keep.daily'", '0 to 100000', '-1'],
    ['keep.yearly: too many', { keep: { yearly: 100_001 } }, RANGE, "'keep.yearly'", '100001'],
    ['keep.weekly: no integer', { keep: { weekly: 1.5 } }, RANGE, "'keep.weekly'", '1.5'],
    ['dryRun: a number', { before: 15, dryRun: 1 }, TYPE, "'dryRun'", 'true or false', '1'],
    ['an unknown zone', { before: 15, timeZone: 'Europe/Berln' }, VALUE, "'timeZone'", "'Europe/Berlin'?"],
    ['timeZone: null', { before: 15, timeZone: null }, TYPE, "'timeZone'", 'null'],
  ])('refuses %s', (_, options, [type, code], ...words) => {
    let error;
    try {
      pruneOptions(options);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(type);
    expect(error.code).toBe(code);
    for (const word of words) expect(error.message).toContain(word);
  });
});
