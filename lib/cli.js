#!/usr/bin/env node
'use strict';

// The command line; lib/cli/arguments.js says what it does.

const { constants } = require('node:os');

const { readArguments } = require('./cli/arguments');
const { Output } = require('./cli/output');
const { NextIdError, escaped } = require('./errors');

const FAILED = 1;
const WRONG_USAGE = 2;

const stop = new AbortController();
const output = new Output(process.stdout, stop.signal);
process.stderr.on('error', () => {}); // nobody is left to be told

let exitCode = 0;
for (const name of ['SIGINT', 'SIGTERM']) {
  // Once: a second one ends the process as it would without us.
  process.once(name, () => {
    exitCode = 128 + constants.signals[name];
    stop.abort();
  });
}

async function run() {
  const request = readArguments(process.argv.slice(2));
  if (request.command === 'help') {
    await output.write(require('./cli/help'));
  } else if (request.command === 'version') {
    const text = request.verbose ? require('./cli/versions').describe() : require('../package.json').version;
    await output.write(`${text}\n`);
  } else {
    await runOnStore(request);
  }
  await output.flush();
}

async function runOnStore(request) {
  const commands = require('./cli/commands');
  const command = commands[request.command];
  if (command.needsNoStore) {
    await command.run(undefined, request, { output });
    return;
  }
  const { open } = require('./index');
  const store = request.store === undefined ? open() : open(request.store);
  try {
    await command.run(store, request, { output, signal: stop.signal, warn });
  } finally {
    await store.close();
  }
}

function report(error) {
  if (stop.signal.aborted || output.readerIsGone) return;
  exitCode = FAILED;
  if (error instanceof NextIdError) {
    warn(`${error.message} [${error.code}]`);
    if (error.cause !== undefined) warn(describeCause(error.cause), '  cause');
  } else if (/^ERR_(INVALID_ARG|OUT_OF_RANGE|PARSE_ARGS)/.test(error.code)) {
    exitCode = WRONG_USAGE;
    warn(`${error.message} (nextid --help shows the usage)`);
  } else {
    warn(error.message);
  }
}

function describeCause({ name, message, code }) {
  return `${name}: ${message}${code === undefined ? '' : ` (${code})`}`;
}

function warn(message, label = 'nextid') {
  process.stderr.write(`${label}: ${escaped(message.replace(/\s*\n\s*/g, ' '))}\n`);
}

// What a stopped run has not written yet is dropped: waiting for a reader that stands still would be no stop.
run().catch(report).finally(() => process.exit(exitCode));
