'use strict';

const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');

const ROOT = path.join(__dirname, '../..');
const BUILD = path.join(ROOT, 'build-bench');

const run = promisify(execFile);

/** Builds the program `target` of bench/native. Resolves with where it is. */
async function build(target) {
  await run('cmake', ['-S', ROOT, '-B', BUILD, '-DNEXTID_BENCH=ON', '-DNEXTID_TESTS=OFF']);
  await run('cmake', ['--build', BUILD, '--target', target]);
  return path.join(BUILD, target);
}

module.exports = { build };
