'use strict';

// Compares the figures of docs/benchmarks.md with results.json. The page has the tables of a measurement, and
// their rows, in the order of results.json.

const { judge, ratio, readable, summary } = require('./report');

const USUAL_ROUNDS = 7; // the page names other numbers
const MILLION = 1e6;

const text = (value) => readable(value).replaceAll(',', ' ');
const ratioText = ({ median, least, most }) => `${text(median)} (${text(least)}–${text(most)})`;
const rowsOf = (table) => Object.values(table.figures);

// Ids a second are given in millions, from there on.
const short = (value) => (value < MILLION ? text(value) : `${text(value / MILLION)} M`);

// Tables of the page whose columns are from more than one table of results.json, in their order: the figures
// of row i, column j.
const STEPS = (ofLoad, firstLoad) => (tables, i, j) => rowsOf(tables[7 * (firstLoad + j) + ofLoad])[i];
const MATRICES = {
  'waits': [
    ...[0, 4].map((first) => (tables, i, j) => rowsOf(tables[first + j])[i]),
    ...[3, 7].map((latency) => (tables, i, j) => rowsOf(tables[latency])[5 * j + i]),
  ],
  'slow-store': [0, 1, 2].map((metric) => (tables, i, j) => rowsOf(tables[3 * j + metric])[i]),
  'steps': [STEPS(1, 0), STEPS(4, 0), STEPS(3, 0), STEPS(1, 3), STEPS(4, 3)],
};

/** What differs on `page`, each in a line. */
function differences(page, { measurements }) {
  const found = [];
  const expectEqual = (where, shown, expected) => {
    if (shown !== expected) found.push(`${where}: the page has '${shown}', results.json '${expected}'`);
  };
  const left = Object.fromEntries(Object.entries(measurements).map(([name, { tables }]) => (
    [name, { plain: [...tables], matrices: [...MATRICES[name] ?? []] }]))); // that the page has not had yet
  const named = new Set();
  let name; // of the measurement that is spoken of
  for (const { words, table } of partsOf(page)) {
    for (const paragraph of words.split('\n\n')) {
      const [, code] = /^\n?`([a-z-]+)`/.exec(paragraph) ?? [];
      if (code in measurements) named.add(name = code);
      if (name !== undefined) expectRatios(name, paragraph, measurements[name], expectEqual);
    }
    if (table === undefined) continue;
    if (table.head.includes('goal')) {
      expectGoals(table.rows, measurements, expectEqual);
    } else if (table.head[1] === 'median') {
      expectPlain(name, table, left[name].plain.shift(), words, expectEqual);
    } else {
      expectMatrix(name, table, left[name].matrices.shift(), measurements[name], expectEqual);
    }
  }
  expectEqual('measurements', [...named].sort().join(), Object.keys(measurements).sort().join());
  return found;
}

// The page as [{ words, table }]: each table with the words before it; `table` is undefined at the end.
function partsOf(page) {
  const parts = [];
  let words = [];
  let lines = [];
  const end = () => {
    const [head, , ...rows] = lines.map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim()));
    parts.push({ words: words.join('\n'), table: head && { head, rows } });
    [words, lines] = [[], []];
  };
  for (const line of page.split('\n')) {
    if (lines.length > 0 && !line.startsWith('|')) end();
    (line.startsWith('|') ? lines : words).push(line);
  }
  end();
  return parts;
}

function expectPlain(name, { head, rows }, table, words, expectEqual) {
  const [unit, all] = [table.unit.startsWith('ids a second') ? short : text, rowsOf(table)];
  expectEqual(`${name}, rows`, rows.length, all.length);
  // Its other rows are beside the one with the ratio 1.
  const base = all[rows.findIndex((cells) => cells[head.indexOf('ratio')] === '1')];
  rows.forEach(([label, ...cells], i) => {
    const { median, least, most } = summary(all[i]);
    const [from, to] = [unit(least), unit(most)];
    const wanted = [unit(median), from === to ? from : `${from}–${to}`];
    if (base !== undefined) wanted.push(all[i] === base ? '1' : ratioText(ratio(all[i], base)));
    expectEqual(`${name}, ${label}`, cells.join(' | '), wanted.join(' | '));
  });
  const [{ length }] = all;
  const stated = /(\d+) rounds/.exec(words)?.[1] ?? USUAL_ROUNDS;
  expectEqual(`${name}, rounds`, Number(stated), length);
}

function expectMatrix(name, { head, rows }, figuresOf, { tables }, expectEqual) {
  rows.forEach(([label, ...cells], i) => cells.forEach((cell, j) => {
    const { median } = summary(figuresOf(tables, i, j));
    expectEqual(`${name}, ${label}, ${head[j + 1]}`, cell, text(median));
  }));
}

// In words: '12.3 (12–19.4)' and 'reaches 0.51', of any two rows of one table.
const RATIO_IN_WORDS = /\d[\d .]* \([-\d .]+–[-\d .]+\)|(?<=reaches )\d[\d .]*\d/g;

function expectRatios(name, words, { tables }, expectEqual) {
  const found = words.replaceAll('\n', ' ').match(RATIO_IN_WORDS);
  if (found === null) return;
  const ratiosOf = (rows) => rows.flatMap((row) => (
    rows.filter(({ length }) => length === row.length).map((against) => ratio(row, against))));
  const ratios = tables.map(rowsOf).flatMap(ratiosOf);
  const known = new Set(ratios.flatMap((each) => [ratioText(each), text(each.median)]));
  for (const shown of found) {
    expectEqual(`${name}, in words`, shown, known.has(shown) ? shown : 'no such ratio');
  }
}

// Each figure is that of a goal of the measurement which is reached, or not, as the row says.
function expectGoals(rows, measurements, expectEqual) {
  let name;
  for (const [what, , measured, reached] of rows) {
    const first = what.replaceAll(/[[\]]/g, '').split(/[,(]/)[0].trim();
    if (first in measurements) name = first;
    const judged = measurements[name].tables.flatMap(({ figures, goals = [] }) => (
      goals.map((goal) => judge(goal, figures))));
    const fitting = judged.filter((goal) => goal.reached === reached.startsWith('yes'))
      .map((goal) => text(goal.measured.median));
    for (const figure of measured.replace(/ µs$/, '').split(', ')) {
      expectEqual(`goals, ${what}`, figure, fitting.includes(figure) ? figure : fitting.join(' or '));
    }
  }
}

module.exports = { differences };
