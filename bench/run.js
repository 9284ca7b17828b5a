'use strict';

// Runs the measurements that are named on the command line, or all of them, one after the other, each in a
// process of its own, and prints their tables. A run of all writes results.json and results.svg.
//
// --quick measures next to nothing: it shows that the files work. Measurements that need MongoDB are left out
// unless $MONGODB_URL is set.

const { fork } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { parseArgs } = require('node:util');
const { describe } = require('./support/report');

const NAMES = fs.readdirSync(__dirname).filter((file) => file.endsWith('.js') && file !== 'run.js')
  .map((file) => path.parse(file).name);

function parse() {
  const options = { quick: { type: 'boolean' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) {
    throw new Error(`there is no measurement '${unknown}'; there are: ${NAMES.join(', ')}`);
  }
  const all = positionals.length === 0;
  return { quick: values.quick === true, all, names: all ? NAMES : positionals };
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
  const { quick, all, names } = parse();
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
    console.log(describe(measurement));
  }
  if (quick || !all) return;
  fs.writeFileSync(path.join(__dirname, 'results.json'), `${JSON.stringify(results, null, 1)}\n`);
  const { draw } = await import('./support/chart.mjs');
  fs.writeFileSync(path.join(__dirname, 'results.svg'), await draw(results));
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
