'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Release } = require('../package/release-check');

const ROOT = path.join(__dirname, '..', '..');
const COPIED = [
  '.gitignore', 'CMakeLists.txt', 'LICENSE', 'README.md', 'THIRD_PARTY_NOTICES', 'docs', 'index.d.ts', 'lib',
  'native', 'package.json', 'package-lock.json', 'sbom.cdx.json', 'bench/package-lock.json',
  'bench/readme.svg', 'test/package/app/package-lock.json', 'test/package/contents.txt',
  'test/recipes/package-lock.json',
];
const PLATFORMS = require('../../native/prebuild/platforms.json');
const { version } = require('../../package.json');

let copy;

const inCopy = (file) => path.join(copy, file);
const read = (file) => fs.readFileSync(inCopy(file), 'utf8');

function git(...args) {
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgSign=false'];
  execFileSync('git', [...author, ...args], { cwd: copy, stdio: 'pipe' });
}

function write(file, text) {
  fs.mkdirSync(path.dirname(inCopy(file)), { recursive: true });
  fs.writeFileSync(inCopy(file), text);
}

function change(file, from, to) {
  const text = read(file).replace(from, to);
  expect(text).not.toBe(read(file));
  write(file, text);
}

const problems = (...checks) => new Release(copy).problems(checks);

// A copy of the project as it is to be released, but for the binaries.
beforeEach(() => {
  copy = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-release-'));
  for (const file of COPIED) fs.cpSync(path.join(ROOT, file), inCopy(file), { recursive: true });
  write('CHANGELOG.md', `# Changelog\n\n## [${version}] - 2026-11-22\n\n- New.\n`);
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'All');
  fs.symlinkSync(path.join(ROOT, 'node_modules'), inCopy('node_modules'), 'dir');
  write('.git/info/exclude', 'node_modules\n');
});

afterEach(() => fs.rmSync(copy, { recursive: true }));

test('nothing is wrong with a copy that is ready', () => {
  expect(problems('workTree', 'version', 'changelog', 'dependencies', 'contents', 'readme')).toEqual([]);
});

test('all that is wrong is named at once', () => {
  write('lib/left.js', '');
  change('package.json', `"version": "${version}"`, '"version": "9.9"');
  expect(problems('workTree', 'version', 'changelog', 'contents')).toEqual([
    'git has changes that are not committed:  M package.json',
    'git has changes that are not committed: ?? lib/left.js',
    'package.json: 9.9 is no version',
    `package-lock.json has the version ${version}, package.json 9.9`,
    'CHANGELOG.md has no section "## [9.9] - YYYY-MM-DD"',
    expect.stringMatching(/^the package has lib\/left\.js, which .*contents\.txt does not list .*--update-c/),
  ]);
});

test('where git cannot answer, nothing is taken for right', () => {
  fs.writeFileSync(inCopy('.git/HEAD'), 'damaged');
  expect(() => problems('workTree')).toThrow('git status failed');
  expect(() => problems('version')).toThrow('git tag failed');
});

test('a version that has a tag is named', () => {
  git('tag', `v${version}`);
  expect(problems('version')).toEqual([expect.stringContaining(`git has a tag v${version} already`)]);
});

test('a changelog without a section for the version, or without its date, is named', () => {
  const wanted = `"## [${version}] - YYYY-MM-DD"`;
  change('CHANGELOG.md', ' - 2026-11-22', '');
  expect(problems('changelog')).toEqual([`CHANGELOG.md: "## [${version}]" must be ${wanted}`]);
  change('CHANGELOG.md', `[${version}]`, '[Unreleased]');
  expect(problems('changelog')).toEqual([
    `CHANGELOG.md has no section ${wanted}; rename "## [Unreleased]"`,
  ]);
});

test('a field that package.json lacks, and a link of README that leads out of the package, are named', () => {
  change('package.json', '"author": "the nextid authors",\n', '');
  expect(problems('fields')).toContain('package.json has no "author"');
  write('README.md', '[Docs](docs/api.md#open) [test](test/run.js) [web](https://nodejs.org)\n');
  expect(problems('readme')).toEqual(['README.md links to test/run.js, which the package does not have']);
});

test('a file that the package has lost is named', () => {
  change('package.json', '"index.d.ts",\n    "lib/"', '"lib/"');
  expect(problems('contents')).toEqual([
    expect.stringContaining('the package has no index.d.ts, which test/package/contents.txt lists'),
  ]);
});

test('--update-contents lists what the package holds now, and the binaries also where they are not', () => {
  const listed = () => read('test/package/contents.txt').trimEnd().split('\n');
  const before = listed();
  write('lib/new.js', '');
  new Release(copy).updateContents();
  expect(problems('contents')).toEqual([]);
  expect(listed()).toEqual([...before, 'lib/new.js'].sort());
});

test('dependencies, and hosts in a lockfile, are named', () => {
  change('package.json', '"devDependencies"', '"dependencies": {}, "devDependencies"');
  const lock = JSON.parse(read('bench/package-lock.json'));
  const name = Object.keys(lock.packages)[1];
  lock.packages[name].resolved = 'https://registry.invalid/it.tgz';
  write('bench/package-lock.json', JSON.stringify(lock));
  expect(problems('dependencies')).toEqual([
    'package.json has dependencies',
    `bench/package-lock.json names a host: ${name} is https://registry.invalid/it.tgz`,
  ]);
});

test('a bill of materials or notices that do not go with the pinned versions are named', () => {
  expect(problems('sbom')).toEqual([]);
  change('native/prebuild/third-party.json', '"SQLite": { "version": "', '"SQLite": { "version": "9.');
  change('THIRD_PARTY_NOTICES', '\nOpenSSL (', '\nLibreSSL (');
  expect(problems('sbom')).toEqual([
    'sbom.cdx.json is out of date; run "node native/prebuild/sbom.js"',
    'THIRD_PARTY_NOTICES has no part about OpenSSL; run "npm run build:binaries"',
  ]);
});

test('binaries that are missing are named', () => {
  const missing = (platform) => `prebuilds/${platform} is missing; run "npm run build:binaries"`;
  expect(problems('prebuilds')).toEqual(Object.keys(PLATFORMS).map(missing));
  write('prebuilds/linux-x64/nextid.node', '');
  const named = problems('prebuilds').join('\n');
  expect(named).toContain(missing('linux-arm64'));
  expect(named).toContain('linux-x64/nextid_mongo.node: is missing');
});

describe('binaries that are not those of these sources are named', () => {
  const { describeBuild } = require('../../native/prebuild/built-from');
  const found = () => problems('prebuilds').find((problem) => problem.includes('what it was built from'));

  beforeEach(() => {
    write('prebuilds/linux-x64/nextid.node', 'a binary');
    const { zig } = require('../../native/prebuild/third-party.json');
    const build = describeBuild(inCopy('prebuilds/linux-x64'), copy, zig.version);
    write('prebuilds/linux-x64/built-from.json', JSON.stringify(build));
  });

  test('only those', () => {
    expect(found()).toBeUndefined();
  });

  test.each([
    ['a source', 'native/core/range.h', /$/, '\n', 'is older than the sources'],
    ['the notices', 'THIRD_PARTY_NOTICES', /$/, '\n', 'goes with another THIRD_PARTY_NOTICES'],
    ['a binary', 'prebuilds/linux-x64/nextid.node', 'a', 'b', 'nextid.node is not the file that was built'],
    ['a version', 'prebuilds/linux-x64/built-from.json', /"zig":"[^"]*"/, '"zig":"0.1.0"',
      /was built with zig 0\.1\.0, third-party\.json says \d/],
  ])('%s changed', (what, file, from, to, sentence) => {
    change(file, from, to);
    expect(found()).toMatch(sentence);
  });
});

describe('npm audit', () => {
  function audited(answer, status) {
    const release = new Release(copy);
    release.run = () => ({ status, stdout: JSON.stringify(answer), stderr: '' });
    return release.problems(['audit']);
  }

  test('what it finds is named', () => {
    expect(audited({ vulnerabilities: { leftpad: {} } }, 1)).toEqual([expect.stringContaining('leftpad')]);
  });

  test('where the registry refuses it is skipped, with the reason', () => {
    const log = jest.spyOn(console, 'log').mockImplementation(() => {});
    expect(audited({ message: '405 Method Not Allowed' }, 1)).toEqual([]);
    expect(log).toHaveBeenCalledWith('npm audit was skipped: 405 Method Not Allowed');
    log.mockRestore();
  });
});
