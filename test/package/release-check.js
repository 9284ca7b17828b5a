'use strict';

// Says what stands in the way of a release, all at once: `npm run release:check [-- --fast]`. Where nothing
// does, the long tests follow; --fast leaves them out. `-- --update-contents` writes the list of what
// the package holds, contents.txt, anew.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { FILE: SBOM, sbom } = require('../../native/prebuild/sbom');

const PLATFORMS = Object.keys(require('../../native/prebuild/platforms.json'));
const PREBUILDS = 'prebuilds/';
const LOCKFILES = ['', 'bench/', 'test/package/app/', 'test/recipes/']
  .map((folder) => `${folder}package-lock.json`);
const MOST_BYTES = 15_000_000; // for all platforms together
const CONTENTS = 'test/package/contents.txt';
const LONG = ['test:long']; // hours
const CHECKS = [
  'workTree', 'version', 'changelog', 'fields', 'dependencies', 'contents', 'size', 'readme', 'prebuilds',
  'sbom', 'audit', 'lint',
];

/** The project in the folder `root`. Each check yields what is wrong, in sentences. */
class Release {
  constructor(root) {
    this.root = root;
    this.package = JSON.parse(this.read('package.json'));
  }

  /** What the named checks find, all of it. */
  problems(checks = CHECKS) {
    return checks.flatMap((check) => [...this[check]()]);
  }

  read(file) {
    return fs.readFileSync(path.join(this.root, file), 'utf8');
  }

  run(program, ...args) {
    const result = spawnSync(program, args, { cwd: this.root, encoding: 'utf8' });
    if (result.error) throw result.error;
    return result;
  }

  git(...args) {
    const { status, stdout, stderr } = this.run('git', ...args);
    if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`); // else it seems clean
    return linesOf(stdout);
  }

  * workTree() {
    for (const line of this.git('status', '--porcelain')) {
      yield `git has changes that are not committed: ${line}`;
    }
  }

  * version() {
    const { version } = this.package;
    if (!/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)) yield `package.json: ${version} is no version`;
    for (const tag of this.git('tag', '--list', version, `v${version}`)) {
      yield `git has a tag ${tag} already; raise the version in package.json`;
    }
    const lock = JSON.parse(this.read('package-lock.json'));
    for (const its of new Set([lock.version, lock.packages[''].version])) {
      if (its !== version) yield `package-lock.json has the version ${its}, package.json ${version}`;
    }
  }

  * changelog() {
    const { version } = this.package;
    const wanted = `"## [${version}] - YYYY-MM-DD"`;
    const headings = linesOf(this.read('CHANGELOG.md')).filter((line) => line.startsWith('## '));
    const heading = headings.find((line) => line.startsWith(`## [${version}]`));
    if (heading !== undefined && !/\] - \d{4}-\d\d-\d\d$/.test(heading)) {
      yield `CHANGELOG.md: "${heading}" must be ${wanted}`;
    } else if (heading === undefined) {
      const rename = headings.includes('## [Unreleased]') ? '; rename "## [Unreleased]"' : '';
      yield `CHANGELOG.md has no section ${wanted}${rename}`;
    }
  }

  // The fields that nobody could know before the project had a home.
  * fields() {
    const known = ['name', 'version', 'description', 'keywords', 'author', 'license', 'engines'];
    for (const field of [...known, 'repository', 'homepage', 'bugs']) {
      if (!(field in this.package)) yield `package.json has no "${field}"`;
    }
  }

  // In the package, the links of README lead to files of the package.
  * readme() {
    const packed = this.packedFiles();
    const links = this.read('README.md').matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g);
    for (const link of new Set([...links].map(([, target]) => target))) {
      if (!packed.includes(link)) yield `README.md links to ${link}, which the package does not have`;
    }
  }

  * dependencies() {
    for (const kind of ['dependencies', 'optionalDependencies', 'bundleDependencies']) {
      if (kind in this.package) yield `package.json has ${kind}`;
    }
    for (const file of LOCKFILES) {
      for (const [name, { resolved }] of Object.entries(JSON.parse(this.read(file)).packages)) {
        if (/:\/\//.test(resolved)) yield `${file} names a host: ${name} is ${resolved}`;
      }
    }
  }

  packed() {
    const { stdout, stderr, status } = this.run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts');
    if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
    return JSON.parse(stdout)[0];
  }

  packedFiles() {
    return this.packed().files.map((file) => file.path).sort();
  }

  * size() {
    const { size } = this.packed();
    if (size > MOST_BYTES) yield `the package has ${size} bytes, more than ${MOST_BYTES}`;
  }

  listedFiles() {
    return linesOf(this.read(CONTENTS));
  }

  * contents() {
    const listed = this.listedFiles();
    const packed = this.packedFiles();
    const hint = '(if that is right: npm run release:check -- --update-contents)';
    for (const file of listed) {
      if (file.startsWith(PREBUILDS)) continue; // a check of their own
      if (!packed.includes(file)) yield `the package has no ${file}, which ${CONTENTS} lists ${hint}`;
    }
    for (const file of packed) {
      if (!listed.includes(file)) yield `the package has ${file}, which ${CONTENTS} does not list ${hint}`;
    }
  }

  updateContents() {
    const prebuilds = this.listedFiles().filter((file) => file.startsWith(PREBUILDS)); // may not be here
    const files = [...new Set([...this.packedFiles(), ...prebuilds])].sort();
    fs.writeFileSync(path.join(this.root, CONTENTS), `${files.join('\n')}\n`);
  }

  * prebuilds() {
    const missing = PLATFORMS.filter((name) => !fs.existsSync(path.join(this.root, PREBUILDS, name)));
    for (const platform of missing) yield `prebuilds/${platform} is missing; run "npm run build:binaries"`;
    if (missing.length === PLATFORMS.length) return;
    const { status, stdout, stderr } = this.run(process.execPath, 'native/prebuild/check.js');
    if (status === 0) return;
    const faults = linesOf(stdout).filter((line) => !line.endsWith(': ok'));
    for (const fault of faults) yield `prebuilds: ${fault}; run "npm run build:binaries"`;
    if (faults.length === 0) yield `native/prebuild/check.js failed: ${stderr.trim()}`;
  }

  // Regenerated by npm run build:binaries.
  * sbom() {
    const isCurrent = this.read(SBOM) === sbom(this.root);
    if (!isCurrent) yield `${SBOM} is out of date; run "node native/prebuild/sbom.js"`;
    const notices = this.read('THIRD_PARTY_NOTICES');
    for (const name of Object.keys(JSON.parse(this.read('native/prebuild/third-party.json')))) {
      if (!notices.includes(`\n${name} (`)) {
        yield `THIRD_PARTY_NOTICES has no part about ${name}; run "npm run build:binaries"`;
      }
    }
  }

  * audit() {
    const { status, stdout, stderr } = this.run('npm', 'audit', '--omit=dev', '--json');
    if (status === 0) return;
    const answer = parsed(stdout);
    if (answer?.vulnerabilities) {
      const names = Object.keys(answer.vulnerabilities).join(', ');
      yield `npm audit --omit=dev finds fault with ${names}`;
    } else {
      console.log(`npm audit was skipped: ${answer?.message ?? stderr}`);
    }
  }

  * lint() {
    const { status, stdout, stderr } = this.run('npm', 'run', 'lint');
    if (status !== 0) yield `npm run lint fails:\n${stdout}${stderr}`;
  }
}

const linesOf = (text) => text.split('\n').filter(Boolean);

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function main(flags) {
  const unknown = flags.find((flag) => !['--fast', '--update-contents'].includes(flag));
  if (unknown !== undefined) {
    console.error(`release:check: expected --fast, --update-contents or nothing; got ${unknown}`);
    process.exitCode = 2;
    return;
  }
  const release = new Release(path.join(__dirname, '..', '..'));
  if (flags.includes('--update-contents')) {
    release.updateContents();
    return;
  }
  const problems = release.problems();
  for (const problem of problems) console.error(`release:check: ${problem}`);
  if (problems.length > 0) {
    process.exitCode = 1;
  } else if (flags.includes('--fast')) {
    console.log(`release:check: nothing is wrong; still to be run: npm run ${LONG.join(', npm run ')}`);
  } else {
    runLongChecks(release.root);
  }
}

function runLongChecks(cwd) {
  for (const script of LONG) {
    console.log(`release:check: npm run ${script}`);
    const { status } = spawnSync('npm', ['run', script], { cwd, stdio: 'inherit' });
    if (status === 0) continue;
    console.error(`release:check: npm run ${script} fails`);
    process.exitCode = 1;
  }
}

if (require.main === module) main(process.argv.slice(2));

module.exports = { Release };
