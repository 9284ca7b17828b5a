'use strict';

const { execFile } = require('node:child_process');
const path = require('node:path');
const { ROOT } = require('./run-program');

/**
 * Runs the command line with `args`, in a process of its own. $NEXTID_STORE is what `env` says, else not set.
 * @param {string[]} args
 * @param {{env?: object, root?: string, cwd?: string}} [options] `root` is the folder of the package
 * @returns {Promise<{code: number, stdout: string, stderr: string}>}
 */
function runNextid(args, { env = {}, root = ROOT, cwd } = {}) {
  const { NEXTID_STORE, ...inherited } = process.env;
  const cli = path.join(root, 'lib', 'cli.js');
  const options = { cwd, env: { ...inherited, ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

module.exports = { runNextid };
