'use strict';

const { open } = require('../..');
const { runTogether } = require('../support/processes');
const { scaled } = require('../support/scale');
const { describeStores } = require('../support/stores');

const NAME = 'orders';
const START = 5000;
const IDS_OF_EACH = scaled(10_000, 50_000);

// A refill at step 1 for each id would take minutes: calls that wait together share one.
const LOADS = [
  { step: 1, together: 500 },
  { step: 7, together: 500 },
  { step: 10, together: 250 },
  { step: 1000, together: 1 },
  { step: undefined, together: 1 },
  { step: { min: 1 }, together: 100 },
  { step: 1000, together: 50 },
  { step: 10, together: 500 },
];

function jobs(url, end) {
  const common = { script: 'id-worker.js', url, name: NAME, count: IDS_OF_EACH, end };
  return LOADS.map(({ step, together }) => ({ ...common, options: { start: START, step }, together }));
}

function expectGrowing(ids) {
  const fallen = ids.findIndex((id, i) => i > 0 && id <= ids[i - 1]);
  expect(ids.slice(Math.max(0, fallen - 1), fallen + 1)).toEqual([]); // the pair, if there is one
}

function sum(reports, of) {
  return reports.reduce((total, report) => total + of(report), 0);
}

// Every number from START to the counter was given to somebody, or is lost, or waits for the next instance.
function expectAccounted(counter, reports, returned) {
  const given = sum(reports, ({ ids }) => ids.length);
  const unused = sum(reports, ({ stats }) => stats.inMemory + stats.lost);
  expect(counter - START - given).toBe(unused + returned);
}

describeStores('many processes on one sequence', (fixture) => {
  describe.each(['close', 'exit'])('that end with %s', (end) => {
    let reports;
    let counter;
    let returned;

    beforeAll(async () => {
      const url = fixture.freshUrl();
      reports = await runTogether(jobs(url, end));
      counter = await fixture.read(url, NAME);
      returned = await fixture.returned(url);
    });

    test('no id is given twice, none is missing, and none is below start', () => {
      const ids = reports.flatMap((report) => report.ids);
      expect(ids).toHaveLength(LOADS.length * IDS_OF_EACH);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.reduce((a, b) => Math.min(a, b))).toBe(START);
      expect(ids.reduce((a, b) => Math.max(a, b))).toBeLessThan(counter);
    });

    test('ids grow within each process', () => {
      for (const { ids } of reports) expectGrowing(ids);
    });

    test('each process knows how many ids it gave', () => {
      for (const { ids, stats } of reports) expect(stats.handedOut).toBe(ids.length);
    });

    test('what the counter has passed and nobody got is known to the number', () => {
      expectAccounted(counter, reports, returned);
    });

    test(end === 'close' ? 'nothing stays in memory' : 'what was in memory is all that is lost', () => {
      const expected = end === 'close' ? { inMemory: 0 } : { lost: 0, returned: 0 };
      for (const { stats } of reports) expect(stats).toMatchObject(expected);
    });
  });

  test('8 processes make one counter of a new sequence, and the first id is start', async () => {
    const url = fixture.freshUrl();
    const load = { count: 25, together: 5, end: 'exit' };
    const job = { script: 'id-worker.js', url, name: NAME, options: { start: START }, ...load };
    const reports = await runTogether(new Array(8).fill(job));
    const ids = reports.flatMap((report) => report.ids);
    expect(new Set(ids).size).toBe(8 * 25);
    expect(Math.min(...ids)).toBe(START);
    expectAccounted(await fixture.read(url, NAME), reports, await fixture.returned(url));

    const store = open(url);
    expect(await store.list()).toHaveLength(1);
    await store.close();
  });
});
