'use strict';

// Takes ids by many processes while faults happen, and looks for ids given twice: see arguments.js.

const fs = require('node:fs');
const path = require('node:path');
const { MysqlFixture, PostgresFixture } = require('../support/sql-stores');
const { MongoDriverFixture, MongoFixture, SqliteFixture } = require('../support/stores');
const { USAGE, readArguments } = require('./arguments');
const { OwnFixture } = require('./own-store');
const { soakStore } = require('./soak-store');
const { secretsOf, shows } = require('./secrets');
const { summarize, summarizeAll, summarizeInLine } = require('./summary');

const FIXTURES = {
  sqlite: SqliteFixture, mongodb: MongoFixture, 'mongodb-driver': MongoDriverFixture,
  postgres: PostgresFixture, mysql: MysqlFixture, own: OwnFixture,
};
// Those that only need processes. A store of the user's own fails by itself.
const OF_PROCESSES = [
  'advance-beside-close', 'block-loop', 'crowd', 'kill-process', 'pause-process', 'restart-process',
  'run-out-of-stack', 'set-clock',
];
// And those that write to the counters by the fixture.
const OF_COUNTERS = ['damage-counter', 'move-counter'];
const WRONG_USAGE = 2;

function loadFaults() {
  const folder = path.join(__dirname, 'faults');
  const names = fs.readdirSync(folder).map((file) => path.parse(file).name);
  return Object.fromEntries(names.map((name) => [name, require(path.join(folder, name))]));
}

const ALL_FAULTS = loadFaults();

function argumentsOrExit() {
  try {
    return readArguments(process.argv.slice(2), { env: process.env, faults: ALL_FAULTS });
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(WRONG_USAGE);
  }
}

async function main() {
  const { ms, ids, each, stores, seed, faults } = argumentsOrExit();
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) {
    process.once(name, () => stop.abort()); // what was taken until then is checked
  }
  const runs = runsOf(stores, faults, each);
  const results = [];
  console.log(`seed ${seed}`);
  for (const run of runs) {
    if (stop.signal.aborted) break;
    const fixture = new FIXTURES[run.store]();
    await fixture.start();
    try {
      const options = { ms: ms && ms / runs.length, ids, seed, faults: run.faults, signal: stop.signal };
      const result = await soakStore(fixture, options);
      results.push(result);
      const { lines, problems } = each ? summarizeInLine(result) : summarize(result);
      if (shows(secretsOf(result.url), [lines, problems])) throw new Error('the summary shows a password');
      console.log(lines.join('\n'));
      for (const problem of problems) console.error(`  *** ${problem}`);
      if (problems.length > 0) process.exitCode = 1;
    } finally {
      await fixture.stop();
    }
  }
  if (each) console.log(summarizeAll(results));
}

// [{ store, faults }]
function runsOf(stores, faults, each) {
  return stores.flatMap((store) => {
    const { kind, isSql } = new FIXTURES[store](); // the same faults as for the native store
    const names = kind === 'own' ? OF_PROCESSES : isSql ? [...OF_PROCESSES, ...OF_COUNTERS] : [];
    const common = names.map((name) => ALL_FAULTS[name]);
    const isFor = (fault) => (kind !== 'own' && fault.stores.includes(kind)) || common.includes(fault);
    const own = faults.filter((fault) => isFor(fault) && isPossible(fault));
    return each ? own.map((fault) => ({ store, faults: [fault] })) : [{ store, faults: own }];
  });
}

// Tells of a fault that cannot be brought about here.
function isPossible({ name, needs }) {
  const lacking = needs?.();
  if (lacking === undefined) return true;
  if (process.env.NEXTID_REQUIRE_ALL === '1') throw new Error(`${name} needs ${lacking}`);
  console.error(`*** left out: ${name}: needs ${lacking}`);
  return false;
}

main();
