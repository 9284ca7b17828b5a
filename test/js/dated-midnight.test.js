'use strict';

const { readId } = require('../support/dated-ids');
const { clockOffBy } = require('../support/fake-time');
const { needs } = require('../support/needs');
const { runTogether } = require('../support/processes');
const { describeStores } = require('../support/stores');

const LEAD = 10_000; // ms; the next counter is opened so long before the period begins
const [OLD, NEW] = [241231, 250101];

describeStores('a process of which the machine crosses midnight', (fixture) => {
  needs('faketime').test('finds the next counter open, and gives no number of it early', async () => {
    const url = fixture.freshUrl();
    const env = { ...clockOffBy('@2024-12-31 23:59:47'), TZ: 'UTC' };
    const [{ began, opened, taken, waits }] = await runTogether([{ script: 'midnight-worker.js', env, url }]);
    const midnight = Date.parse('2025-01-01T00:00Z');
    expect(began).toBeLessThan(midnight - LEAD); // or this shows nothing
    expect(opened.prefixes).toEqual([OLD, NEW]);
    expect(opened.at).toBeGreaterThanOrEqual(midnight - LEAD);
    expect(opened.at).toBeLessThan(midnight);

    const wrong = taken.filter(({ before, after, id }) => {
      const { prefix } = readId(id);
      return prefix === OLD ? before >= midnight : after < midnight;
    });
    expect(wrong).toEqual([]);
    const ids = taken.map(({ id }) => id);
    const expected = (prefix, n) => (
      Array.from({ length: n }, (_, i) => `${prefix}-${String(i + 1).padStart(4, '0')}`));
    const old = ids.filter((id) => readId(id).prefix === OLD).length;
    expect(ids).toEqual([...expected(OLD, old), ...expected(NEW, ids.length - old)]);
    expect(old).toBeGreaterThan(1);
    expect(waits).toBe(1); // for the very first range
  });
});
