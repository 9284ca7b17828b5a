'use strict';

const sorted = (values) => values.toSorted((a, b) => a - b);

/** The median of `values`, and the least and the most of them. */
function summary(values) {
  const inOrder = sorted(values);
  return { median: inOrder[inOrder.length >> 1], least: inOrder[0], most: inOrder.at(-1) };
}

/** The summary of the ratio of two rows of figures, round by round. */
const ratio = (row, against) => summary(row.map((value, round) => value / against[round]));

/** `value` with as many digits as it is worth. */
function readable(value) {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (Math.abs(value) < 10) return value.toLocaleString('en', { maximumFractionDigits: 2 });
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

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
    return `  ${name.padEnd(width)}  ${spread(summary(row)).padEnd(32)}${against}`;
  });
  return [`  ${title === undefined ? unit : `${title}, ${unit}`}`, ...rows,
    ...goals.map((goal) => describeGoal(goal, table))].join('\n');
}

/** What a measurement found, for people. */
function describe({ question, tables }) {
  return [`  ${question}`, ...tables.map(describeTable)].join('\n');
}

module.exports = { describe, judge, ratio, readable, summary };
