'use strict';

// The blocks of code in README and docs/, and a folder to run them in. In Markdown the line above a block may
// say
//   <!-- not run: REASON -->
//   <!-- setup: CODE -->        runs before the block and is not shown
// In docs/recipes/, a block of `sh` holds commands, and any other is a file, whose first line names it in a
// comment: `// server.js`, `# Dockerfile`.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const ROOT = path.join(__dirname, '..', '..');
const BLOCK = /^(?:<!-- (?:(not run): .*|setup: ([^]*?)) -->\n+)?```(\w+)\n([^]*?)^```$/gm;
const FILE_NAME = /^(?:\/\/|#) ([\w.-]*\.\w+|Dockerfile)\n/;

const read = (page) => fs.readFileSync(path.join(ROOT, page), 'utf8');

/** The blocks of a page: [{ notRun, setup, language, code }]. */
function blocksOf(page) {
  return [...read(page).matchAll(BLOCK)].map(([, notRun, setup = '', language, code]) => (
    { notRun: notRun !== undefined, setup, language, code }));
}

/** A page of docs/recipes/: { files: [[name, code]], commands: [code] }, without what is not run. */
function recipeOf(page) {
  const files = [];
  const commands = [];
  for (const { notRun, setup, language, code } of blocksOf(path.join('docs', 'recipes', page))) {
    if (notRun) continue;
    const name = FILE_NAME.exec(code)?.[1];
    if (name !== undefined) files.push([name, code]);
    else if (language === 'sh') commands.push(`${setup}\n${code}`);
    else throw new Error(`${page}: a block has no file name in its first line, and no "not run":\n${code}`);
  }
  return { files, commands };
}

/**
 * Makes a folder in which nextid is installed, and these packages: names of this checkout's own, and
 * { name: folder } for others. Returns its path.
 */
function makeFolder(names, others = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-docs-'));
  const modules = path.join(folder, 'node_modules');
  fs.mkdirSync(path.join(modules, '.bin'), { recursive: true });
  fs.symlinkSync(ROOT, path.join(modules, 'nextid'), 'dir');
  fs.symlinkSync(path.join('..', 'nextid', 'lib', 'cli.js'), path.join(modules, '.bin', 'nextid'));
  // npx itself takes a second a call.
  fs.writeFileSync(path.join(modules, '.bin', 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  const own = Object.fromEntries(names.map((name) => [name, path.join(ROOT, 'node_modules', name)]));
  for (const [name, target] of Object.entries({ ...own, ...others })) {
    fs.symlinkSync(target, path.join(modules, name), 'dir');
  }
  return folder;
}

/** The environment of programs that run in such a folder. */
function environmentOf(folder) {
  const bin = path.join(folder, 'node_modules', '.bin');
  return { ...process.env, NEXTID_STORE: undefined, PATH: `${bin}:${process.env.PATH}` };
}

module.exports = { ROOT, blocksOf, environmentOf, makeFolder, read, recipeOf };
