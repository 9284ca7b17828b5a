'use strict';

const { spawn } = require('node:child_process');
const path = require('node:path');
const { text } = require('node:stream/consumers');

const ROOT = path.join(__dirname, '..', '..');
const LONGEST_LIFE = 240_000; // ms; what lives longer hangs, and ends by SIGKILL

/**
 * Runs the function `program` in a Node process of its own. It sees nothing of the file that it stands in;
 * require('nextid') gives it this package.
 * @param {((...args) => unknown) | string} program
 * @param {unknown[]} args travel as JSON
 * @param {{execArgv?: string[], env?: object, cwd?: string}} [options] `env` is added to this process's
 * @returns {{process: ChildProcess, ended: Promise<{code, signal, stdout, stderr}>}}
 */
function startProgram(program, args = [], { execArgv = [], env = {}, cwd = ROOT } = {}) {
  const source = `(${program})(...${JSON.stringify(args)})`;
  const child = spawn(process.execPath, [...execArgv, '-e', source], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    timeout: LONGEST_LIFE,
    killSignal: 'SIGKILL',
  });
  const exit = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  const ended = Promise.all([exit, text(child.stdout), text(child.stderr)])
    .then(([{ code, signal }, stdout, stderr]) => ({ code, signal, stdout, stderr }));
  return { process: child, ended };
}

/** startProgram(), and wait for its end. */
function runProgram(program, args, options) {
  return startProgram(program, args, options).ended;
}

module.exports = { ROOT, runProgram, startProgram };
