'use strict';

const fs = require('node:fs');
const { PAGE, withFigures } = require('../../bench/support/docs-tables');
const readmeChart = require('../../bench/support/readme-chart');
const { judge, ratio, readable, roundsOf, summary } = require('../../bench/support/report');
const results = require('../../bench/results.json');

const NAMES = Object.keys(results.measurements);
const page = fs.readFileSync(PAGE, 'utf8');

// A copy of `results` in which every figure of the measurement `name` is another.
function withOthers(name) {
  const copy = structuredClone(results);
  for (const { figures } of copy.measurements[name].tables) {
    for (const row of Object.values(figures)) row.forEach((value, i) => (row[i] = 7 * value + 1));
  }
  return copy;
}

describe('docs/benchmarks.md', () => {
  test('has the figures of results.json in its tables', () => {
    // If not: node bench/support/docs-tables.js writes them.
    expect(page).toBe(withFigures(page, results));
  });

  test.each(NAMES)('shows figures of %s: it differs if they do', (name) => {
    expect(page).not.toBe(withFigures(page, withOthers(name)));
  });

  test('refuses a marker without a table in results.json', () => {
    expect(() => withFigures('<!-- figures: awaited 9 -->\n', results)).toThrow("no table 9 of 'awaited'");
  });

  // | [NAME](#section), what | goal | measured | reached |, of which the name may stand without a link
  const goals = [...page.matchAll(/^\| \[?([\w-]+)[^|]* \| [^|]+ \| ([^|]+) \| (yes|\[no\]\([^|]+\)) \|$/gm)];

  test.each(goals)('says what was measured for its goals: %s', (_, name, measured, reached) => {
    const judged = results.measurements[name].tables.flatMap(({ figures, goals: its = [] }) => (
      its.map((goal) => judge(goal, figures))));
    for (const figure of measured.match(/\d[\d .]*/g).map((digits) => digits.trim())) {
      const same = judged.filter((goal) => readable(goal.measured.median).replaceAll(',', ' ') === figure);
      expect(same.map((goal) => goal.reached)).toContain(reached === 'yes');
    }
  });
});

describe("README's chart", () => {
  const chart = fs.readFileSync(readmeChart.CHART, 'utf8');

  test('has the figures of results.json', () => {
    // If not: node bench/support/readme-chart.js draws it.
    expect(chart).toBe(readmeChart.draw(results));
  });

  test.each(['callback', 'sustained-mongodb'])('differs if the figures of %s do', (name) => {
    expect(chart).not.toBe(readmeChart.draw(withOthers(name)));
  });
});

test('results.json says of how many rounds each row is', () => {
  for (const { tables } of Object.values(results.measurements)) {
    for (const { figures, rounds } of tables) expect(rounds).toEqual(roundsOf(figures));
  }
});

test('the median of an even number of values is half-way between the middle two', () => {
  expect(summary([4, 1, 100, 2])).toEqual({ median: 3, least: 1, most: 100 });
  expect(summary([4, 1, 100])).toEqual({ median: 4, least: 1, most: 100 });
  expect(ratio([2, 9], [1, 3]).median).toBe(2.5);
});
