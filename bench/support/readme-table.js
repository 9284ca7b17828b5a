'use strict';

// The table of README's section Numbers. Its figures are those of results.json.
//
// Usage: node bench/support/readme-table.js    writes the table into README.md

const fs = require('node:fs');
const path = require('node:path');
const report = require('./report');

const { readable, summary } = report;

const README = path.join(__dirname, '../../README.md');
const RESULTS = path.join(__dirname, '../results.json');
const FIRST = '| `npm run bench --` |';
const MILLION = 1e6;

const OURS = 'nextid';
const LEAF = ["Leaf's rule, step 10,000", "Leaf's rule, step 50,000", "Leaf's rule, step 500,000"];

const text = (value) => readable(value).replaceAll(',', ' ');
const spread = ({ median, least, most }) => `${text(median)} (${text(least)}–${text(most)})`;

/**
 * How README shows the figures of one measurement: functions of rows in one of its tables, by default the
 * first. They keep in mind of how many rounds the figures are.
 */
function figuresOf({ tables }) {
  const rounds = new Set();

  function row(name, table) {
    const figures = tables[table]?.figures[name];
    if (figures === undefined) throw new Error(`results.json has no row '${name}' in table ${table}`);
    rounds.add(figures.length);
    return figures;
  }

  const medianOf = (name, { table = 0 }) => summary(row(name, table)).median;
  const ratioOf = (name, against, { table = 0 }) => report.ratio(row(name, table), row(against, table));
  return {
    median: (name, where = {}) => text(medianOf(name, where)),
    millions: (name, where = {}) => text(medianOf(name, where) / MILLION),
    /** Of ids a second. */
    speed(name, where = {}) {
      const median = medianOf(name, where);
      return median < MILLION ? `${text(median)}/s` : `${text(median / MILLION)} M/s`;
    },
    /** The median with the least and the most. */
    range: (name, { table = 0 } = {}) => spread(summary(row(name, table))),
    /** Of two rows, round by round. */
    ratio: (name, against, where = {}) => spread(ratioOf(name, against, where)),
    medianRatio: (name, against, where = {}) => text(ratioOf(name, against, where).median),
    /** The numbers of rounds since the last look: '7', or '10, 2'. */
    takeRounds() {
      const taken = [...rounds].join(', ');
      rounds.clear();
      return taken;
    },
  };
}

// What is said of each measurement: [measured, beside, ratio, goal] of each row.
const ROWS = {
  awaited({ ratio, speed }) {
    const [limit, held] = ['Promise.resolve(i++)', 'nextId(), numbers in memory'];
    const [adaptive, dated] = ['nextId(), default options', "nextId(), period: 'day'"]
      .map((name) => `${name}, refills from SQLite`);
    return [
      () => [`\`await nextId()\`, numbers in memory: ${speed(held)}`,
        `\`await Promise.resolve(i++)\`: ${speed(limit)}`, ratio(held, limit), '≥ 0.95'],
      () => [`the same, default options, refills from SQLite: ${speed(adaptive)}`, 'the same',
        ratio(adaptive, limit), ''],
      () => [`the same, \`period: 'day'\`: ${speed(dated)}`, 'the same', ratio(dated, limit), ''],
    ];
  },

  concurrent({ ratio, speed }) {
    const [limit, held] = ['Promise.resolve(i++)', 'nextId(), numbers in memory'];
    return [
      () => [`1 000 callers, numbers in memory: ${speed(held)}`,
        `\`Promise.all\` of 1 000 \`Promise.resolve\`: ${speed(limit)}`, ratio(held, limit), '≥ 0.9'],
    ];
  },

  'id-makers'({ millions, ratio, speed }) {
    return [
      () => [`\`tryNextId()\`: ${speed('tryNextId()')}`,
        `hyperid, the fastest of nine: ${speed('hyperid()')} (nanoid ${millions('nanoid()')}, randomUUID ` +
          `${millions('crypto.randomUUID()')}, uuid v4 ${millions('uuid.v4()')})`,
        ratio('tryNextId()', 'hyperid()'), '≥ 3'],
      () => [`\`nextIds(1000)\`: ${speed('nextIds(1000)')}`, `\`await nextId()\`: ${speed('await nextId()')}`,
        ratio('nextIds(1000)', 'await nextId()'), '≥ 5'],
    ];
  },

  callback({ ratio, speed }) {
    const [ours, blog] = ['next_id() of nextid/callback', 'next_id() of the blog'];
    return [
      () => [`drop-in \`next_id\`: ${speed(ours)}`, `the blog's own function: ${speed(blog)}`,
        ratio(ours, blog), '≥ 1'],
    ];
  },

  'sustained-sqlite'({ ratio, speed }) {
    const one = 'await nextId(), default options';
    const bulk = 'await nextIds(1000), default options, every id used';
    const durable = 'better-sqlite3, synchronous=FULL: as durable as nextid';
    const recommended = 'better-sqlite3, WAL as it recommends: a power cut may bring ids back';
    return [
      () => [`\`await nextId()\`, default options: ${speed(one)}`,
        `better-sqlite3, an UPDATE an id, as durable: ${speed(durable)}`, ratio(one, durable), '≥ 1 000'],
      () => ['the same',
        `better-sqlite3 as it recommends, where a power cut may bring ids back: ${speed(recommended)}`,
        ratio(one, recommended),
        '≥ 1 000, missed: a Promise alone takes about a thousandth of such an UPDATE'],
      () => [`\`await nextIds(1000)\`, every id used: ${speed(bulk)}`, 'the same',
        ratio(bulk, recommended), '≥ 1 000'],
    ];
  },

  'sustained-mongodb'({ medianRatio, ratio, speed }) {
    const one = 'await nextId(), one caller';
    const inMemory = `${one}, all numbers in memory`;
    const blog = "the blog's next_id(idstatus, callback), step 10";
    const [large, each] = ["the blog's, step 100 000", 'one findOneAndUpdate an id, as mongoose-sequence'];
    const four = { table: 1 };
    return [
      () => [`one process, default options: ${speed(one)}`, `the blog's algorithm, step 10: ${speed(blog)}`,
        ratio(one, blog), '≥ 500'],
      () => ['the same', `the same with all numbers in memory: ${speed(inMemory)}`, ratio(one, inMemory),
        '≥ 0.9'],
      () => [`4 processes: ${speed(one, four)}`, `the blog's, step 10: ${speed(blog, four)}`,
        ratio(one, blog, four), '≥ 500'],
      () => ['the same', `the same with all numbers in memory: ${speed(inMemory, four)}`,
        ratio(one, inMemory, four), '≥ 0.9'],
      () => [`one process: ${speed(one)}`, `the blog's, step 100 000, by callbacks: ${speed(large)}`,
        medianRatio(one, large), ''],
      () => [`one process: ${speed(one)}`, `one \`findOneAndUpdate\` an id: ${speed(each)}`,
        medianRatio(one, each), ''],
    ];
  },

  'refill-event-loop'({ median, ratio }) {
    const [prefetch, refill] = ['a prefetch of nextid, MongoDB', 'a refill that a call waits for, MongoDB'];
    const driver = 'findOneAndUpdate of the official driver';
    const cpu = { table: 1 };
    const ratios = (row) => `${ratio(row, driver)}; ${ratio(row, driver, cpu)}`;
    return [
      () => [
        `event loop busy for a prefetch: ${median(prefetch)} µs; processor time of its thread: ` +
          `${median(prefetch, cpu)} µs`,
        `\`findOneAndUpdate\` of the official driver: ${median(driver)} µs; ${median(driver, cpu)} µs`,
        ratios(prefetch), '≤ 0.2'],
      () => [`for a refill that a call waits for: ${median(refill)} µs; ${median(refill, cpu)} µs`,
        'the same', ratios(refill),
        "≤ 0.2, missed: the call's Promise and timer, and a loop that wakes up for it"],
    ];
  },

  'refill-processor'({ median, ratio }) {
    const [ours, bare] = ['a refill of nextid, whole process', 'libmongoc in a C++ loop'];
    return [
      () => [`processor time of a refill, all threads: ${median(ours)} µs`, `${bare}: ${median(bare)} µs`,
        ratio(ours, bare),
        "≤ 2, missed: libuv's two changes of thread (its system calls, counted: no others " +
          'are made), and code that a refill in milliseconds finds cold'],
    ];
  },

  waits({ median }) {
    const [waits, lost, lostAtEnd, latency] = [0, 1, 2, 3].map((table) => ({ table }));
    const [burstWaits, burstLost, burstLostAtEnd] = [4, 5, 6].map((table) => ({ table }));
    const limit = 'Promise.resolve(i++), the limit';
    const ofLeaf = (table) => LEAF.map((row) => median(row, table));
    const each = (values) => (new Set(values).size === 1 ? values[0] : values.join(', '));
    const [small, middle, large] = [0, 1, 2].map((i) => () => (
      `${ofLeaf(burstLost)[i]}, a clean end ${ofLeaf(burstLostAtEnd)[i]}`));
    return [
      () => [`50 000 calls a second, store 5 ms away: ${median(OURS, waits)} of a million wait`,
        `Leaf's double buffer, any step: ${each(ofLeaf(waits))}`, '', '0'],
      () => [`a kill loses ${median(OURS, lost)} numbers on average, a clean end ${median(OURS, lostAtEnd)}`,
        `Leaf's, steps 10 000, 50 000 and 500 000: ${each(ofLeaf(lost))}; ${each(ofLeaf(lostAtEnd))}`, '',
        'fewer lost at a clean end'],
      () => [
        `with bursts of 10 × for 1 s every 10 s: ${median(OURS, burstWaits)} wait; a kill loses ` +
          `${median(OURS, burstLost)} numbers on average, a clean end ${median(OURS, burstLostAtEnd)}`,
        `Leaf's: ${each(ofLeaf(burstWaits))} wait; at step 10 000 a kill loses ${small()}; at 50 000 ` +
          `${middle()}; at 500 000 ${large()}`,
        '', 'no more; fewer lost at a clean end'],
      () => [
        'of calls that do not wait 99.99 % take at most ' +
          `${median(`0.9999 ${OURS}, calls that did not wait`, latency)} µs; of all 99 % ` +
          `${median(`0.99 ${OURS}`, latency)} µs`,
        '`Promise.resolve(i++)` instead: ' +
          `${median(`0.9999 ${limit}, calls that did not wait`, latency)} µs; ` +
          `${median(`0.99 ${limit}`, latency)} µs`,
        '', '≤ 10 µs, missed by any call on this machine: it shares two cores with proxy and server'],
    ];
  },

  'slow-store'({ median }) {
    const waits = (row, table) => median(row, { table });
    const [near, far, gone, back] = [0, 3, 6, 9];
    const any = 'unavoidable with 100,000 numbers in memory';
    return [
      () => [`50 000 calls a second; store 100 ms away: ${waits(OURS, near)} wait`,
        `Leaf's at step 50 000: ${waits(LEAF[1], near)}`, '', '0'],
      () => [`it jumps to 1 s for 30 s: ${waits(OURS, far)} wait`,
        `${waits(LEAF[1], far)}; at step 500 000 ${waits(LEAF[2], far)}, with 10 s of use in memory`, '',
        '0, missed: the first two slow refills outlast what is left; more in memory would be lost with the ' +
          'process'],
      () => [`it is gone for 5 s: ${waits(OURS, gone)} wait`,
        `${waits(LEAF[1], gone)}; any rule with 100 000 numbers in memory: ${waits(any, gone)}`, '',
        '≤ 150 000'],
      () => [`it is back: ${waits(OURS, back)} wait`,
        `${waits(LEAF[1], back)}; any such rule: ${waits(any, back)}`, '',
        '≤ 10 000, missed: the pause between attempts, 0.25 s on average (with twice that: 38 600)'],
    ];
  },

  waiters({ median, ratio }) {
    const [bare, ours] = ['new Promise(resolve => resolvers.push(resolve))', 'nextId()'];
    const bytes = { table: 1 };
    return [
      () => [`1 000 000 waiters, one refill: ${median(ours)} ns each`,
        `as many JavaScript resolvers: ${median(bare)} ns`, ratio(ours, bare),
        '≤ 1.2, missed: a native call each, and a deadline of its own. Tried: numbers asked for first ' +
          '(2.2), the object asked whose it is (1.8), the two no longer; a coarser clock (1.3, but early ' +
          'time-outs); Promises chained in groups (more work for the garbage collector)'],
      () => [`${median(ours, bytes)} bytes each`, `${median(bare, bytes)} bytes`,
        ratio(ours, bare, bytes), '≤ 300 bytes'],
    ];
  },

  'many-sequences'({ median, ratio }) {
    const [one, many] = ['1 sequence', '10,000 sequences'];
    return [
      () => [`10 000 sequences: ${median(many)} ns an id`, `one: ${median(one)} ns`, ratio(many, one),
        '≤ 1.3'],
      () => [
        `${median(many, { table: 1 })} bytes a sequence; the room that V8 keeps for new objects, up to ` +
          '43 MB in all, is not counted', '', '', '≤ 2 KiB'],
    ];
  },

  'start-up'({ median, medianRatio, ratio }) {
    const [making, opening, connecting] = [1, 2, 3].map((table) => ({ table }));
    const peer = 'better-sqlite3';
    const [ours, sqlite, mongodb] = [OURS, peer, 'mongodb'].map((name) => `require('${name}')`);
    return [
      () => [`\`${ours}\`: ${median(ours)} ms`,
        `${peer}: ${median(sqlite)} ms; mongodb: ${median(mongodb)} ms`,
        `${ratio(ours, sqlite)}; ${medianRatio(ours, mongodb)}`,
        '≤ 1; missed for the first in this run, by a hair (0.99, 0.89 and 1.06 in three after it)'],
      () => [
        `SQLite, open a file and first id: ${median(OURS, opening)} ms; make the file too: ` +
          `${median(OURS, making)} ms`,
        `${peer}: ${median(peer, opening)} ms; ${median(peer, making)} ms`,
        `${ratio(OURS, peer, opening)}; ${ratio(OURS, peer, making)}`,
        '≤ 1, missed: a worker thread, and two syncs more, which copy the commit into the main file'],
      () => [`MongoDB, connect and first id: ${median(OURS, connecting)} ms`,
        `mongodb: ${median('mongodb', connecting)} ms`, ratio(OURS, 'mongodb', connecting), '≤ 1'],
    ];
  },

  express({ median, ratio }) {
    const [without, ours] = ['without: ++id', 'await nextId(), default options, SQLite'];
    return [
      () => [`an Express service with \`await nextId()\`: ${median(ours)} requests/s`,
        `without: ${median(without)}/s`, ratio(ours, without), '≥ 0.98'],
    ];
  },

  'long-run'({ median, ratio }) {
    const [early, late] = ['after 10^6 ids', 'after 10^9 ids'];
    const [ratios, sizes] = [{ table: 1 }, { table: 2 }];
    return [
      () => [
        `an id after 10^9 of one process: ${median(late, ratios)} times ` +
          '`await Promise.resolve(i++)` beside it',
        `after 10^6: ${median(early, ratios)} times`, ratio(late, early, ratios), '≤ 1.1'],
      () => [`memory of the process then: ${median(late, sizes)} MiB`, `${median(early, sizes)} MiB`,
        ratio(late, early, sizes), '≤ 1.1'],
    ];
  },

  wasted({ median, range }) {
    const [ours, ten] = ['adaptive step, the default', 'fixed step 10'];
    const [thousand, most] = ['fixed step 1 000', 'fixed step 100 000'];
    const [refills, slow] = [{ table: 1 }, { table: 2 }];
    return [
      () => [`killed at a random moment, 20 000 ids a second: seconds of use lost: ${range(ours)}`,
        `fixed step 10: ${median(ten)}, but ${median(ten, refills)} refills a second instead of ` +
          `${median(ours, refills)}; 100 000: ${median(most)}`, '', '≤ 1 s'],
      () => [`200 ids a second: ${range(ours, slow)}`,
        `fixed step 1 000: ${median(thousand, slow)}; 100 000: ${median(most, slow)}`, '', '≤ 1 s'],
    ];
  },

  kinds({ speed }) {
    const [dated, cyclic] = ["dated, period: 'day'", 'cyclic, cycle: 1000000'];
    const mongodb = { table: 1 };
    return [
      () => [
        `100 callers on MongoDB, dated: ${speed(dated, mongodb)}; cyclic ${speed(cyclic, mongodb)}; ` +
          `time-stamped ${speed('time-stamped', mongodb)}, with \`maxAge\` ` +
          `${speed('time-stamped, maxAge: 100', mongodb)}`,
        `one upsert a dated id: ${speed('one upsert for each dated id', mongodb)}; one compare-and-set a ` +
          `cyclic one: ${speed('one compare-and-set for each cyclic id', mongodb)}`, '', ''],
    ];
  },
};

/** The table, of what is in results.json. */
function tableOf({ measurements }) {
  const lines = [
    `${FIRST} measured | beside | ratio | rounds | goal |`, '| --- | --- | --- | --- | --- | --- |',
  ];
  for (const [name, rowsOf] of Object.entries(ROWS)) {
    const figures = figuresOf(measurements[name]);
    rowsOf(figures).forEach((row, i) => {
      const [what, beside, compared, goal] = row();
      const cells = [i === 0 ? `\`${name}\`` : '', what, beside, compared, figures.takeRounds(), goal];
      lines.push(`|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`);
    });
  }
  return lines.join('\n');
}

/** The table that README shows. */
function tableIn(readme) {
  const lines = readme.slice(readme.indexOf(FIRST)).split('\n');
  return lines.slice(0, lines.findIndex((line) => !line.startsWith('|'))).join('\n');
}

const readReadme = () => fs.readFileSync(README, 'utf8');
const readResults = () => JSON.parse(fs.readFileSync(RESULTS, 'utf8'));

function writeReadme() {
  const readme = readReadme();
  fs.writeFileSync(README, readme.replace(tableIn(readme), () => tableOf(readResults())));
}

module.exports = { readReadme, readResults, tableIn, tableOf };

if (require.main === module) writeReadme();
