'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { readId } = require('../support/dated-ids');
const { clockOffAsIn } = require('../support/fake-time');
const { needs } = require('../support/needs');
const { runTogether } = require('../support/processes');
const { describeNativeStores } = require('../support/stores');

const LEAD = 10_000; // ms; the next counter is opened so long before the period begins
const [OLD, NEW] = [241231, 250101];

describeNativeStores('a process of which the machine crosses midnight', (fixture) => {
  needs('faketime').test('finds the next counter open, and gives no number of it early', async () => {
    const url = fixture.freshUrl();
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-clock-'));
    const clockFile = path.join(folder, 'clock');
    fs.writeFileSync(clockFile, '+0');
    const env = { ...clockOffAsIn(clockFile), TZ: 'UTC' };
    const job = { script: 'midnight-worker.js', env, url, lead: LEAD, clockFile };
    const [{ midnight, opened, taken, waits }] = await runTogether([job]);
    fs.rmSync(folder, { recursive: true });
    expect(taken[0].before).toBeLessThan(midnight - LEAD); // or this shows nothing
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
