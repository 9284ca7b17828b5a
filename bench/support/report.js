'use strict';

const sorted = (values) => values.toSorted((a, b) => a - b);

/**
 * The median of `values`, and the least and the most of them. The median of an even number of values is
 * half-way between the middle two.
 */
function summary(values) {
  const inOrder = sorted(values);
  const middle = inOrder.length >> 1;
  const median = inOrder.length % 2 === 1 ? inOrder[middle] : (inOrder[middle - 1] + inOrder[middle]) / 2;
  return { median, least: inOrder[0], most: inOrder.at(-1) };
}

/** The summary of the ratio of two rows of figures, round by round. */
const ratio = (row, against) => summary(row.map((value, round) => value / against[round]));

/** `value` with as many digits as it is worth. */
function readable(value) {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (Math.abs(value) < 10) return value.toLocaleString('en', { maximumFractionDigits: 2 });
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

/** By row, of how many rounds its figures are. What is one long run has one. */
const roundsOf = (figures) => (
  Object.fromEntries(Object.entries(figures).map(([name, { length }]) => [name, length])));

function spread({ median, least, most }) {
  return least === most ? readable(median) : `${readable(median)} (${readable(least)}–${readable(most)})`;
}

/**
 * Whether a goal is reached, and what was measured for it: the ratio of its row to the row `of`, or without
 * `of` the row itself. It is to be `least` or more, or `most` or less, in the median.
 */
function judge({ row, of, least, most }, figures) {
  const measured = of === undefined ? summary(figures[row]) : ratio(figures[row], figures[of]);
  const reached = least === undefined ? measured.median <= most : measured.median >= least;
  return { measured, reached };
}

function describeGoal(goal, { figures, unit }) {
  const { row, of, least, most } = goal;
  const { measured, reached } = judge(goal, figures);
  const wanted = `${least === undefined ? '≤' : '≥'} ${readable(least ?? most)}`;
  const what = of === undefined ? `${row}: ${wanted} ${unit}` : `${row}: ${wanted} × ${of}`;
  return `  goal: ${what}: ${spread(measured)}, ${reached ? 'reached' : 'NOT reached'}`;
}

function describeTable(table) {
  const { title, unit, figures, baseline, goals = [] } = table;
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  const rows = Object.entries(figures).map(([name, row]) => {
    const against = baseline === undefined ? '' : `   ratio ${spread(ratio(row, figures[baseline]))}`;
    const rounds = `${row.length} round${row.length === 1 ? '' : 's'}`.padEnd(10);
    return `  ${name.padEnd(width)}  ${spread(summary(row)).padEnd(32)}  ${rounds}${against}`.trimEnd();
  });
  return [`  ${title === undefined ? unit : `${title}, ${unit}`}`, ...rows,
    ...goals.map((goal) => describeGoal(goal, table))].join('\n');
}

/** What a measurement found, for people. */
function describe({ question, tables }, { isQuick = false } = {}) {
  const note = isQuick ? ['  QUICK: shows that the measurement works; its figures mean nothing'] : [];
  return [`  ${question}`, ...note, ...tables.map(describeTable)].join('\n');
}

module.exports = { describe, judge, ratio, readable, roundsOf, spread, summary };
