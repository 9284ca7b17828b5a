'use strict';

// What README and docs/ show is true: links lead somewhere, cells of tables are short, and each block of code
// runs. The blocks of a page run in their order, in one folder in which nextid is installed;
// test/support/pages.js says what may stand above a block. recipes.test.js runs the pages of docs/recipes/.

const { execFile } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { promisify } = require('node:util');
const { ROOT, blocksOf, environmentOf, makeFolder, read } = require('../support/pages');

const PAGES = ['README.md', ...fs.readdirSync(path.join(ROOT, 'docs'), { recursive: true })
  .filter((file) => file.endsWith('.md')).map((file) => path.join('docs', file))];
const EXAMPLES = PAGES.filter((page) => !page.startsWith(path.join('docs', 'recipes')));

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
    folder = makeFolder(['express', 'prom-client', 'mongodb']);
  });

  afterEach(() => fs.rmSync(folder, { recursive: true }));

  async function run(program, ...args) {
    await promisify(execFile)(program, args, { cwd: folder, env: environmentOf(folder), timeout: 120_000 });
  }

  function runScript(code) {
    const isModule = /^import /m.test(code);
    const file = path.join(folder, isModule ? 'example.mjs' : 'example.cjs');
    fs.writeFileSync(file, isModule ? code : `(async () => {\n${code}\n})();\n`);
    return run(process.execPath, '--unhandled-rejections=strict', file);
  }

  test.each(EXAMPLES)('%s', async (page) => {
    for (const { notRun, setup, language, code } of blocksOf(page)) {
      if (notRun || !['js', 'sh'].includes(language)) continue;
      const begun = language === 'sh' ? run('bash', '-ec', code) : runScript(`${setup}\n${code}`);
      await begun.catch((error) => {
        throw new Error(`${page}:\n${code}\n${error.message}\n${error.stdout}`);
      });
    }
  });
});
