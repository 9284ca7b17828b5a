'use strict';

// What README and docs/ show is true: links lead somewhere, cells of tables are short, and each block of code
// runs. The blocks of a page run in their order, in one folder in which nextid is installed. In Markdown the
// line above a block may say
//   <!-- not run: REASON -->
//   <!-- setup: CODE -->        runs before the block and is not shown

const { execFile } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');

const ROOT = path.join(__dirname, '..', '..');
const PAGES = ['README.md', ...fs.readdirSync(path.join(ROOT, 'docs'), { recursive: true })
  .filter((file) => file.endsWith('.md')).map((file) => path.join('docs', file))];
const BLOCK = /^(?:<!-- (?:(not run): .*|setup: ([^]*?)) -->\n+)?```(\w+)\n([^]*?)^```$/gm;

const read = (page) => fs.readFileSync(path.join(ROOT, page), 'utf8');
const withoutCode = (text) => text.replace(/^```[^]*?^```$/gm, '').replace(/`[^`\n]*`/g, '``');

// As GitHub makes them of headings.
function anchorsOf(page) {
  const headings = [...read(page).replace(/^```[^]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, heading]) => (
    heading.toLowerCase().replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-')));
}

test('README has at most 150 lines of at most 120 characters', () => {
  const lines = read('README.md').trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(150);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});

test.each(PAGES)('the links of %s lead somewhere', (page) => {
  const links = [...withoutCode(read(page)).matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].map(([, link]) => link);
  const broken = links.filter((link) => {
    const [file, anchor] = link.split('#');
    const target = file === '' ? page : path.join(path.dirname(page), file);
    if (!fs.existsSync(path.join(ROOT, target))) return true;
    return anchor !== undefined && !anchorsOf(target).includes(anchor);
  });
  expect(broken).toEqual([]);
});

test.each(PAGES)('no table cell of %s has more than 12 words', (page) => {
  const rows = read(page).replace(/^ *```[^]*?^ *```$/gm, '').match(/^ *\|.*\|$/gm) ?? [];
  const cells = rows.flatMap((row) => row.trim().slice(1, -1).split(/(?<!\\)\|/));
  const wordsOf = (cell) => cell.replace(/\]\([^)]*\)/g, ']').match(/\S*[\p{L}\d]\S*/gu) ?? [];
  expect(cells.filter((cell) => wordsOf(cell).length > 12)).toEqual([]);
});

describe('the code runs that is shown in', () => {
  let folder;

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-docs-'));
    const modules = path.join(folder, 'node_modules');
    fs.mkdirSync(path.join(modules, '.bin'), { recursive: true });
    fs.symlinkSync(ROOT, path.join(modules, 'nextid'), 'dir');
    fs.symlinkSync(path.join('..', 'nextid', 'lib', 'cli.js'), path.join(modules, '.bin', 'nextid'));
    // npx itself takes a second a call.
    fs.writeFileSync(path.join(modules, '.bin', 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
    for (const name of ['express', 'prom-client', 'mongodb']) {
      fs.symlinkSync(path.join(ROOT, 'node_modules', name), path.join(modules, name), 'dir');
    }
  });

  afterEach(() => fs.rmSync(folder, { recursive: true }));

  async function run(program, ...args) {
    const bin = path.join(folder, 'node_modules', '.bin');
    const env = { ...process.env, NEXTID_STORE: undefined, PATH: `${bin}:${process.env.PATH}` };
    await promisify(execFile)(program, args, { cwd: folder, env, timeout: 30_000 });
  }

  function runScript(code) {
    const isModule = /^import /m.test(code);
    const file = path.join(folder, isModule ? 'example.mjs' : 'example.cjs');
    fs.writeFileSync(file, isModule ? code : `(async () => {\n${code}\n})();\n`);
    return run(process.execPath, '--unhandled-rejections=strict', file);
  }

  test.each(PAGES)('%s', async (page) => {
    for (const [, notRun, setup = '', language, code] of read(page).matchAll(BLOCK)) {
      if (notRun || !['js', 'sh'].includes(language)) continue;
      const begun = language === 'sh' ? run('bash', '-ec', code) : runScript(`${setup}\n${code}`);
      await begun.catch((error) => {
        throw new Error(`${page}:\n${code}\n${error.message}\n${error.stdout}`);
      });
    }
  });
});
