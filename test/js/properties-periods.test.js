'use strict';

// Calendars and the rules of prune(), for any moment and any counters.

const fc = require('fast-check');

const { Calendar, PERIODS, periodOf } = require('../../lib/formats/calendar');
const { currentPeriods, prefixesToRemove, pruneOptions } = require('../../lib/prune-rules');

const CHECKED = { seed: 20140625, numRuns: 500 };

const period = fc.constantFrom(...Object.keys(PERIODS));
const zone = fc.constantFrom('UTC', 'local', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata',
  'Australia/Lord_Howe', 'Pacific/Apia');
const instant = fc.integer({ min: Date.UTC(2010, 0, 2), max: Date.UTC(2099, 11, 30) });

test('every moment lies within the bounds of its period', () => {
  fc.assert(fc.property(period, zone, instant, (of, timeZone, ms) => {
    const calendar = new Calendar(of, timeZone);
    const prefix = calendar.prefixAt(ms);
    expect(periodOf(prefix)).toBe(of);
    const { from, to } = calendar.boundsOf(prefix);
    expect(from).toBeLessThanOrEqual(ms);
    expect(ms).toBeLessThan(to);
  }), CHECKED);
});

test('periods go on with time, but for the hour that comes twice where clocks are set back', () => {
  const later = fc.integer({ min: 2 * 3_600_000, max: 100 * 86_400_000 });
  fc.assert(fc.property(period, zone, instant, later, (of, timeZone, ms, by) => {
    fc.pre(ms + by < Date.UTC(2099, 11, 30));
    const calendar = new Calendar(of, timeZone);
    expect(calendar.prefixAt(ms + by)).toBeGreaterThanOrEqual(calendar.prefixAt(ms));
  }), CHECKED);
});

test('a number is the prefix of at most one kind of period', () => {
  const number = fc.oneof(fc.integer({ min: 0, max: 99_999_999 }), fc.double(), fc.anything());
  fc.assert(fc.property(number, (prefix) => {
    const of = periodOf(prefix);
    if (of === undefined) return;
    const calendar = new Calendar(of, 'UTC');
    expect(calendar.prefixAt(calendar.boundsOf(prefix).from)).toBe(prefix);
  }), CHECKED);
});

const prefixes = fc.array(fc.tuple(period, instant), { maxLength: 30 })
  .map((all) => [...new Set(all.map(([of, ms]) => new Calendar(of, 'UTC').prefixAt(ms)))]);
const few = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined });
const keep = fc.record({ hourly: few, daily: few, weekly: few, monthly: few, yearly: few });
const before = fc.option(instant.map((ms) => new Date(ms)), { nil: undefined });

test('prune() never removes a counter of now or later, nor what a rule keeps', () => {
  const noPrefixes = fc.array(fc.integer().filter((number) => periodOf(number) === undefined));
  fc.assert(fc.property(prefixes, noPrefixes, before, keep, instant, (all, odd, limit, rules, now) => {
    const most = Object.values(rules).filter((each) => each !== undefined);
    fc.pre(most.length > 0 || limit !== undefined);
    const options = pruneOptions({ before: limit, keep: most.length > 0 ? rules : undefined });
    const current = currentPeriods(now, 'UTC');
    const removed = prefixesToRemove([...all, ...odd], options, current);
    for (const prefix of removed) {
      expect(all).toContain(prefix);
      const { to } = new Calendar(periodOf(prefix), 'UTC').boundsOf(prefix);
      expect(to).toBeLessThanOrEqual(now);
      if (limit !== undefined) expect(to).toBeLessThanOrEqual(limit.getTime());
    }
    if (most.some((each) => each > 0)) {
      for (const of of Object.keys(PERIODS)) {
        const own = all.filter((prefix) => periodOf(prefix) === of && prefix <= current.latest[of]);
        expect(removed).not.toContain(Math.max(...own)); // whatever is kept, the newest is
      }
    }
    expect(new Set(removed).size).toBe(removed.length);
  }), CHECKED);
});
