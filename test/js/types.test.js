'use strict';

const { spawnSync } = require('node:child_process');
const path = require('node:path');

const folder = path.join(__dirname, '..', 'types');
const tsc = path.join(__dirname, '..', '..', 'node_modules', 'typescript', 'bin', 'tsc');

test.each([
  ['a file that uses the whole interface', 'interface.ts', []],
  ['wrong uses, each with the error that is expected', 'wrong-uses.ts', []],
  ['an ES module', 'module.mts', []],
  ['optional properties that are taken exactly', 'interface.ts', ['--exactOptionalPropertyTypes']],
])('tsc --strict passes %s', (_, file, flags) => {
  const { status, stdout } = spawnSync(process.execPath, [
    tsc, '--strict', '--noEmit', '--ignoreConfig', '--module', 'nodenext', '--target', 'es2022',
    '--lib', 'es2022', '--types', 'node', ...flags, file,
  ], { cwd: folder, encoding: 'utf8' });
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
