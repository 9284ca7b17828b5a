'use strict';

// The tables of docs/benchmarks.md that have figures of results.json. The comment before each says which:
//
//   <!-- figures: NAME TABLE -->                rows with median, spread, and their ratio to the baseline
//   <!-- figures: NAME TABLE | BASELINE -->     the same with another baseline, or with 'none' without ratio
//   <!-- medians: NAME | HEAD: TABLE | ... -->  rows of several tables, a column for each
//   <!-- quantiles: NAME TABLE -->              a table with a row for each quantile of each peer
//
// NAME is a measurement; TABLE counts its tables from 0.
//
// Usage: node bench/support/docs-tables.js    rewrites the tables of the page

const fs = require('node:fs');
const path = require('node:path');
const { ratio, readable, spread, summary } = require('./report');

const PAGE = path.join(__dirname, '../../docs/benchmarks.md');
const MARKED = /^<!-- (figures|medians|quantiles): (.+) -->\n(?:\|.*\n)*/gm;
const MILLION = 1e6;

// Names of rows that the page words differently.
const SHORT = {
  'Promise.resolve(i++)': '`await Promise.resolve(i++)`, the limit',
  'nextId(), numbers in memory': '`await nextId()`, numbers in memory',
  'nextId(), default options, refills from SQLite': '`await nextId()`, default options, refills from SQLite',
  "nextId(), period: 'day', refills from SQLite": "`await nextId()`, `period: 'day'`, refills from SQLite",
  'new Promise(resolve => resolvers.push(resolve))': 'as many JavaScript resolvers',
  'next_id() of the blog': 'the code of the post',
  'next_id() of nextid/callback': '`next_id()` of `nextid/callback`',
  "the blog's next_id(idstatus, callback), step 10": 'the code of the post, step 10',
  "the blog's, step 1 000": 'the code of the post, step 1 000',
  "the blog's, step 100 000": 'the code of the post, step 100 000',
  'one findOneAndUpdate an id, as mongoose-sequence': 'one `findOneAndUpdate` per id',
  'findOneAndUpdate of the official driver': '`findOneAndUpdate` of the official driver',
  'better-sqlite3, synchronous=FULL: as durable as nextid': 'better-sqlite3, one UPDATE per id, as durable',
  'better-sqlite3, WAL as it recommends: a power cut may bring ids back':
    'better-sqlite3, as it recommends: less durable',
  'without: ++id': 'without: `++id`',
  'await nextId(), default options, SQLite': 'with `await nextId()`, default options, SQLite',
  "dated, period: 'day'": "dated, `period: 'day'`",
  'cyclic, cycle: 1000000': 'cyclic, `cycle: 1000000`',
  'time-stamped, maxAge: 100': 'time-stamped, `maxAge: 100`',
};

const CALL = /^(?:for await|(?:await )?[\w.]+\([^)]*\))/;

const spaced = (text) => text.replaceAll(',', ' '); // the thousands
const short = (row) => SHORT[row] ?? row.replace(CALL, '`$&`')
  .replace(/Leaf's (?:rule|buffers)/, 'Leaf').replace(/(?<=\d),(?=\d{3})/g, ' ');

const plain = (value) => spaced(readable(value));
const speed = (value) => (value < MILLION ? plain(value) : `${plain(value / MILLION)} M`);
const formatOf = ({ better }) => (better === 'more' ? speed : plain);

const line = (cells) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|\n`;
const tableOf = (head, rows) => [head, head.map(() => '---'), ...rows].map(line).join('');

/** The table behind each kind of marker, from its words before the first bar and its parts after it. */
const TABLES = {
  figures(tableAt, [name, index], [baseline]) {
    const table = tableAt(name, index);
    const { figures } = table;
    const format = formatOf(table);
    const base = baseline === 'none' ? undefined : baseline ?? table.baseline;
    const rows = Object.entries(figures).map(([row, values]) => {
      const { median, least, most } = summary(values);
      const ends = [...new Set([format(least), format(most)])];
      const cells = [short(row), format(median), values.length === 1 ? '' : ends.join('–')];
      if (base === undefined) return cells;
      return [...cells, row === base ? '1' : spaced(spread(ratio(values, figures[base])))];
    });
    return tableOf(['', 'median', 'least–most', ...base === undefined ? [] : ['ratio']], rows);
  },

  medians(tableAt, [name], columns) {
    const parts = columns.map((column) => column.split(': '));
    const tables = parts.map(([, index]) => tableAt(name, index));
    const rows = Object.keys(tables[0].figures).map((row) => [short(row), ...tables.map((table) => (
      row in table.figures ? formatOf(table)(summary(table.figures[row]).median) : ''))]);
    return tableOf(['', ...parts.map(([head]) => head)], rows);
  },

  quantiles(tableAt, [name, index]) {
    const { figures } = tableAt(name, index);
    const keys = Object.keys(figures).map((row) => /^(?<quantile>[\d.]+) (?<peer>.+)$/.exec(row).groups);
    const quantiles = [...new Set(keys.map(({ quantile }) => quantile))];
    const peers = [...new Set(keys.map(({ peer }) => peer))]
      .filter((peer) => quantiles.every((quantile) => `${quantile} ${peer}` in figures));
    const percent = (quantile) => `${Number((100 * quantile).toFixed(3))} %`;
    return tableOf(['', ...quantiles.map(percent)], peers.map((peer) => (
      [short(peer), ...quantiles.map((quantile) => plain(summary(figures[`${quantile} ${peer}`]).median))])));
  },
};

/** `page` with the figures of `results` in its tables. */
function withFigures(page, { measurements }) {
  function tableAt(name, index) {
    const table = measurements[name]?.tables[index];
    if (table === undefined) throw new Error(`results.json has no table ${index} of '${name}'`);
    return table;
  }
  return page.replace(MARKED, (_, kind, parameters) => {
    const [words, ...bars] = parameters.split(' | ');
    return `<!-- ${kind}: ${parameters} -->\n${TABLES[kind](tableAt, words.split(' '), bars)}`;
  });
}

const write = (results) => fs.writeFileSync(PAGE, withFigures(fs.readFileSync(PAGE, 'utf8'), results));

module.exports = { PAGE, withFigures, write };

if (require.main === module) write(require('../results.json'));
