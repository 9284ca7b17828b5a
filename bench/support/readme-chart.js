'use strict';

// The chart of README: the time per id, of the medians in results.json.
//
// Usage: node bench/support/readme-chart.js    writes readme.svg

const fs = require('node:fs');
const path = require('node:path');
const { readable, summary } = require('./report');

const CHART = path.join(__dirname, '../readme.svg');

const OURS = '#2a6fb5';
const OTHER = '#8c959f';

const BARS = [
  {
    label: 'next_id(), the drop-in', note: 'nextid/callback, numbers in memory', color: OURS,
    name: 'callback', row: 'next_id() of nextid/callback',
  },
  {
    label: 'await nextId()', note: 'default options', color: OURS,
    name: 'sustained-mongodb', row: 'await nextId(), one caller',
  },
  {
    label: 'a round trip per 10 ids', note: 'the next_id() that the drop-in replaces', color: OTHER,
    name: 'sustained-mongodb', row: "the blog's next_id(idstatus, callback), step 10",
  },
  {
    label: 'a round trip per id', note: 'findOneAndUpdate with $inc', color: OTHER,
    name: 'sustained-mongodb', row: 'one findOneAndUpdate an id, as mongoose-sequence',
  },
];

// Pixels
const WIDTH = 760;
const LEFT = 312; // where the bars begin
const RIGHT = 676; // where the axis ends; the longest bar has its time behind it
const TOP = 54;
const ROW = 56;
const BAR = 28;
const BOTTOM = TOP + BARS.length * ROW;
const HEIGHT = BOTTOM + 58;

const BOLD = ' font-weight="600"';
const MUTED = ' fill="#59636e"';
const CENTERED = ' text-anchor="middle"';

const UNITS = [[1e6, 'ms'], [1e3, 'µs'], [1, 'ns'], [1e-3, 'ps']];

function time(ns) {
  const [size, unit] = UNITS.find(([least]) => ns >= least);
  return `${readable(ns / size)} ${unit}`;
}

const text = (x, y, size, content, style) => (
  `<text x="${x}" y="${y}" font-size="${size}"${style}>${content}</text>`);

function barOf({ label, note, color, ns }, center, end) {
  const top = center - BAR / 2;
  return [
    text(20, center - 3, 17, label, BOLD),
    text(20, center + 16, 14, note, MUTED),
    `<rect x="${LEFT}" y="${top}" width="${end - LEFT}" height="${BAR}" fill="${color}"/>`,
    `<rect x="${end + 1}" y="${top}" width="76" height="${BAR}" fill="white"/>`, // behind the time
    text(end + 8, center + 6, 17, time(ns), BOLD),
  ];
}

/** The chart as SVG, of `results` as in results.json. */
function draw({ measurements }) {
  const bars = BARS.map(({ name, row, ...bar }) => (
    { ...bar, ns: 1e9 / summary(measurements[name].tables[0].figures[row]).median }));
  const decades = bars.map(({ ns }) => Math.log10(ns));
  const [first, last] = [Math.floor(Math.min(...decades)), Math.ceil(Math.max(...decades))];
  const x = (decade) => Math.round(LEFT + (RIGHT - LEFT) * (decade - first) / (last - first));

  const axis = Array.from({ length: last - first + 1 }, (_, i) => first + i).flatMap((decade) => [
    `<path d="M${x(decade)} ${TOP}V${BOTTOM}" stroke="#d1d9e0"/>`,
    text(x(decade), BOTTOM + 20, 14, time(10 ** decade), MUTED + CENTERED),
  ]);
  const size = `width="${WIDTH}" height="${HEIGHT}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${WIDTH} ${HEIGHT}" fill="#1f2328"`,
    '  font-family="-apple-system, \'Segoe UI\', \'Noto Sans\', Helvetica, Arial, sans-serif">',
    `<rect ${size} fill="white"/>`, // else dark text on the dark theme of GitHub
    text(20, 32, 20, 'Time per id', BOLD),
    text(LEFT, 32, 14, 'median; MongoDB on the same machine', MUTED),
    ...axis,
    ...bars.flatMap((bar, i) => barOf(bar, TOP + (i + 0.5) * ROW, x(decades[i]))),
    text((LEFT + RIGHT) / 2, BOTTOM + 44, 14, 'logarithmic scale: each line is ten times the one before',
      MUTED + CENTERED),
    '</svg>\n',
  ].join('\n');
}

const write = (results) => fs.writeFileSync(CHART, draw(results));

module.exports = { CHART, draw, write };

if (require.main === module) write(require('../results.json'));
