'use strict';

// Takes ids by many processes while faults happen, and looks for ids given twice: see arguments.js.

const fs = require('node:fs');
const path = require('node:path');
const { MongoFixture, SqliteFixture } = require('../support/stores');
const { USAGE, readArguments } = require('./arguments');
const { soakStore } = require('./soak-store');
const { summarize } = require('./summary');

const FIXTURES = { sqlite: SqliteFixture, mongodb: MongoFixture };
const WRONG_USAGE = 2;

function loadFaults() {
  const folder = path.join(__dirname, 'faults');
  const names = fs.readdirSync(folder).map((file) => path.parse(file).name);
  return Object.fromEntries(names.map((name) => [name, require(path.join(folder, name))]));
}

function argumentsOrExit() {
  try {
    return readArguments(process.argv.slice(2), { env: process.env, faults: loadFaults() });
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(WRONG_USAGE);
  }
}

async function main() {
  const { ms, stores, seed, faults } = argumentsOrExit();
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) {
    process.once(name, () => stop.abort()); // what was taken until then is checked
  }
  console.log(`seed ${seed}`);
  for (const store of stores) {
    if (stop.signal.aborted) break;
    const fixture = new FIXTURES[store]();
    try {
      const result = await soakStore(fixture, { ms: ms / stores.length, seed, faults, signal: stop.signal });
      const { lines, problems } = summarize(result);
      console.log(['', ...lines].join('\n'));
      for (const problem of problems) console.error(`  *** ${problem}`);
      if (problems.length > 0) process.exitCode = 1;
    } finally {
      await fixture.stop();
    }
  }
}

main();
