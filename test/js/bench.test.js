'use strict';

const { readReadme, readResults, tableIn, tableOf } = require('../../bench/support/readme-table');
const { ratio, roundsOf, summary } = require('../../bench/support/report');

test("the table of README's section Numbers has the figures of results.json", () => {
  // If not: node bench/support/readme-table.js writes it.
  expect(tableIn(readReadme())).toBe(tableOf(readResults()));
});

test('a figure that differs is seen', () => {
  const results = readResults();
  const [[, figures]] = Object.entries(results.measurements.callback.tables[0].figures);
  figures.fill(100_000_000);
  expect(tableIn(readReadme())).not.toBe(tableOf(results));
});

test('results.json says of how many rounds each row is', () => {
  for (const { tables } of Object.values(readResults().measurements)) {
    for (const { figures, rounds } of tables) expect(rounds).toEqual(roundsOf(figures));
  }
});

test('the median of an even number of values is half-way between the middle two', () => {
  expect(summary([4, 1, 100, 2])).toEqual({ median: 3, least: 1, most: 100 });
  expect(summary([4, 1, 100])).toEqual({ median: 4, least: 1, most: 100 });
  expect(ratio([2, 9], [1, 3]).median).toBe(2.5);
});
