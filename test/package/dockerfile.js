'use strict';

// node dockerfile.js CONTEXT: does what the Dockerfile in CONTEXT says, takes an id from its service and
// stops it. As root, in the bare Debian root, which stands for the image.

const assert = require('node:assert/strict');
const { execFileSync, spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');

const context = path.resolve(process.argv[2]);
const options = { cwd: '/', env: { PATH: process.env.PATH, npm_config_offline: 'true' } };
let command;
const sh = (line, how) => execFileSync('/bin/sh', ['-ec', line], { encoding: 'utf8', ...how });

const INSTRUCTIONS = {
  FROM(image) {
    if (!/^node:\d+-alpine$/.test(image)) { // that root has the user
      assert.match(image, /^node:\d+-bookworm-slim$/);
      assert.match(fs.readFileSync('/etc/os-release', 'utf8'), /^VERSION_CODENAME=bookworm$/m);
      sh('useradd --create-home --uid 1000 node');
    }
    fs.writeFileSync('/usr/bin/npm', '#!/bin/sh\nexec node /npm/bin/npm-cli.js "$@"\n', { mode: 0o755 });
  },
  ENV(text) {
    const [name, value] = text.split('=');
    options.env[name] = value;
  },
  WORKDIR(folder) {
    fs.mkdirSync(folder, { recursive: true });
    options.cwd = folder;
  },
  COPY(names) {
    const [target, ...sources] = names.split(' ').reverse(); // the shell expands wildcards
    sh(`cp -r ${sources.join(' ')} ${path.resolve(options.cwd, target)}`, { cwd: context });
  },
  RUN: (line) => sh(line, options),
  USER(name) {
    [options.uid, options.gid] = sh(`id -u ${name}; id -g ${name}`).split('\n').map(Number);
  },
  STOPSIGNAL: (signal) => assert.equal(signal, 'SIGTERM'),
  CMD: (list) => (command = JSON.parse(list)),
  ...{ EXPOSE() {}, VOLUME() {} },
};

async function main() {
  process.exitCode = 1; // also if the service ends early, when nothing is left to wait for
  const dockerfile = fs.readFileSync(path.join(context, 'Dockerfile'), 'utf8');
  for (const [, name, text] of dockerfile.matchAll(/^([A-Z]+) (.+)$/gm)) INSTRUCTIONS[name](text);
  const service = spawn(command[0], command.slice(1), { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(service.stdout, 'data'); // it listens
  const answer = await fetch('http://127.0.0.1:3000/orders', { method: 'POST' });
  assert.deepEqual(await answer.json(), { id: 1 });
  assert.equal(fs.statSync('/data/ids.db').uid, 1000);
  service.kill('SIGTERM');
  assert.deepEqual(await once(service, 'exit'), [0, null], '[exit code, signal]');
  assert.equal(JSON.parse(sh('node_modules/.bin/nextid list --json', options))[0].next, 2);
  process.exitCode = 0;
}

main();
