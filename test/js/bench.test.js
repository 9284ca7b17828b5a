'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { differences } = require('../../bench/support/page');
const { ratio, roundsOf, summary } = require('../../bench/support/report');

const root = path.join(__dirname, '../..');
const page = fs.readFileSync(path.join(root, 'docs/benchmarks.md'), 'utf8');
const results = JSON.parse(fs.readFileSync(path.join(root, 'bench/results.json'), 'utf8'));

test('docs/benchmarks.md has the figures of bench/results.json', () => {
  expect(differences(page, results)).toEqual([]);
});

test.each([
  ['a median', '| 33.8 M |', '| 33.9 M |'],
  ['a spread', '269 M–408 M', '269 M–409 M'],
  ['a ratio', '1.07 (0.78–1.31)', '1.08 (0.78–1.31)'],
  ['a ratio in words', 'reaches 0.51', 'reaches 0.49'],
  ['a figure of a long run', '| 76 200 | 143 000', '| 76 300 | 143 000'],
  ['a number of rounds', '112 rounds', '7 rounds'],
  ['a goal', '| 12.3 | yes |', '| 12.4 | yes |'],
  ['a goal that is not reached', '| 2.93 | [no]', '| 2.93 | yes |'],
])('%s that differs is seen', (_, shown, other) => {
  expect(page).toContain(shown);
  expect(differences(page.replace(shown, other), results)).toHaveLength(1);
});

test('new figures that the page does not have yet are seen', () => {
  const { callback, ...others } = results.measurements;
  const [table] = callback.tables;
  const figures = { ...table.figures, 'next_id() of nextid/callback': new Array(28).fill(1e8) };
  const measurements = { ...others, callback: { ...callback, tables: [{ ...table, figures }] } };
  expect(differences(page, { measurements })).not.toEqual([]);
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
