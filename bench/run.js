'use strict';

// Runs the measurements that are named on the command line, or all of them, one after the other, each in a
// process of its own, and prints their tables. Without $MONGODB_URL those that need MongoDB are left out.
//
//   --quick   measures next to nothing, in seconds: it shows that the files work. Writes nothing
//   --save    writes results.json and what shows its figures: results.svg, readme.svg and the tables of
//             docs/benchmarks.md. What was measured replaces what is there, the rest stays. A run of all
//             does so anyway

const { fork } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { parseArgs } = require('node:util');
const docsTables = require('./support/docs-tables');
const readmeChart = require('./support/readme-chart');
const { describe } = require('./support/report');

const RESULTS = path.join(__dirname, 'results.json');
const NAMES = fs.readdirSync(__dirname).filter((file) => file.endsWith('.js') && file !== 'run.js')
  .map((file) => path.parse(file).name);

function parse() {
  const flag = { type: 'boolean', default: false };
  const options = { quick: flag, save: flag };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    throw new Error(`there is no measurement '${unknown}'; there are: ${NAMES.join(', ')}`);
  }
  const all = positionals.length === 0;
  const { quick, save } = values;
  if (quick && save) throw new Error('--quick and --save exclude each other: quick figures mean nothing');
  return { quick, save: save || (all && !quick), names: all ? NAMES : positionals };
}

// With the figures of another Node.js or machine beside them, the new ones would say nothing.
function withOthers(results) {
  const before = fs.existsSync(RESULTS) ? JSON.parse(fs.readFileSync(RESULTS, 'utf8')) : results;
  const names = NAMES.filter((name) => name in before.measurements || name in results.measurements);
  const kept = names.filter((name) => !(name in results.measurements));
  for (const key of ['node', 'platform', 'cores']) {
    if (kept.length === 0 || before[key] === results[key]) continue;
    throw new Error(`results.json was measured with ${key} ${before[key]}, this with ${results[key]}: ` +
      'expected the same; measure all of them');
  }
  const measurements = Object.fromEntries(names.map((name) => (
    [name, results.measurements[name] ?? before.measurements[name]])));
  return { ...results, measurements };
}

// The Node.js of the bench's own packages, so that figures do not depend on whichever is installed.
function newestNode() {
  const own = path.join(__dirname, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  return fs.existsSync(own) ? own : process.execPath;
}

// What the measurement `name` returns: its tables, or undefined if it could not be made here.
async function measure(name, execPath, quick) {
  const child = fork(path.join(__dirname, 'support/measure-one.js'), [name, ...quick ? ['--quick'] : []], {
    execPath, execArgv: ['--expose-gc'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  let result;
  child.on('message', (message) => {
    result = message;
  });
  const [code, signal] = await once(child, 'close');
  if (result === undefined) throw new Error(`${name} failed (${signal ?? `exit code ${code}`})`);
  return result;
}

async function main() {
  const { quick, save, names } = parse();
  const execPath = newestNode();
  const platform = `${process.platform}-${process.arch}`;
  const results = { cores: os.availableParallelism(), platform, measurements: {} };
  for (const name of names) {
    console.log(`\n${name}`);
    const { skipped, node, ...measurement } = await measure(name, execPath, quick);
    if (skipped !== undefined) {
      console.log(`  left out: ${skipped}`);
      continue;
    }
    results.node = node;
    results.measurements[name] = measurement;
    console.log(describe(measurement, { isQuick: quick }));
  }
  if (!save) return;
  const saved = withOthers(results);
  fs.writeFileSync(RESULTS, `${JSON.stringify(saved, null, 1)}\n`);
  const { draw } = await import('./support/chart.mjs');
  fs.writeFileSync(path.join(__dirname, 'results.svg'), await draw(saved));
  readmeChart.write(saved);
  docsTables.write(saved);
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
