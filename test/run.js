'use strict';

// Runs the tests. Usage: npm test [-- WHAT…]
//   (nothing)          everything: native suites, Jest, lint
//   FILE… [-t NAME]    Jest with these arguments
//   SUITE [FILTER]     core_test, sqlite_test, contract_test or mongo_test, or its tests that match a
//                      GoogleTest filter
//   lint
// As root on Debian or Ubuntu it installs missing system packages. It starts a MongoDB-compatible server,
// PostgreSQL and MariaDB (test/scripts/mongo-server.sh, sql-servers.sh), but for those that are given. What
// this machine cannot run is skipped, and named at the end.
// Environment:
//   MONGODB_URL            a MongoDB server to test against instead; a database name in it is ignored
//   NEXTID_TEST_POSTGRES_URL, NEXTID_TEST_MYSQL_URL   the same for these; tests make databases of their own
//   NEXTID_REQUIRE_ALL=1   fails where something would be skipped
//   NEXTID_TEST_CACHE, NEXTID_DEBIAN_MIRROR   see mongo-server.sh

const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { stripVTControlCharacters } = require('node:util');

const { PYTHON } = require('./support/needs');

const ROOT = path.join(__dirname, '..');
const RESULTS = path.join(ROOT, 'build', 'test-results');
const SKIPS = path.join(RESULTS, 'skips.txt'); // see test/support/needs.js
const SUITES = ['core_test', 'sqlite_test', 'contract_test', 'mongo_test'];
const NEEDS_SERVER = new Set(['contract_test', 'mongo_test']);
const LONGEST_SUITE = 1_800_000; // ms
const requireAll = process.env.NEXTID_REQUIRE_ALL === '1';
const isRoot = process.getuid?.() === 0;
const has = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
const script = (name) => path.join(__dirname, 'scripts', name);

const phases = []; // [name, seconds]
const failures = []; // { what, again }: what failed, and the command that runs it alone
const skips = []; // sentences
const unsteady = []; // tests that failed among the others and passed alone
const secondTries = []; // run when all else is done, so that each is alone
const running = new Set();
let areSuitesBuilt = false;
const startedServers = []; // [script, arguments of its commands]
let isInterrupted = false;

// --- processes -------------------------------------------------------------------------------------------

/** Runs a program to its end: { status, output }. With `show` its output goes to the terminal as it comes. */
function run(program, args, { env = {}, show = false, timeout } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: ROOT, env: { ...process.env, ...env }, timeout, killSignal: 'SIGKILL',
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
    });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', (error) => resolve({ status: 127, output: String(error.message) }));
    child.on('close', (status, signal) => {
      running.delete(child);
      resolve({ status: status ?? 128, output: signal ? `${output}\n(ended by ${signal})` : output });
    });
  });
}

async function timed(name, work) {
  const began = performance.now();
  console.log(`--- ${name}`);
  try {
    return await work();
  } finally {
    phases.push([name, (performance.now() - began) / 1000]);
  }
}

function fail(what, again, output = '') {
  failures.push({ what, again });
  if (output !== '') console.log(`\n--- ${what}\n${output.trimEnd()}\n`);
}

/** Notes that a part is left out, which is a failure where everything is required. */
function skip(what, why) {
  skips.push(`${what}: ${why}`);
  if (requireAll) failures.push({ what: `${what} was skipped: ${why}`, again: 'npm test' });
}

// All suites at once keep a machine busy, which can break what a test assumes about time.
function failOrTryAgain(failed, mayPassAlone, title, passesAlone) {
  const count = () => {
    for (const { what, again } of failed) fail(what, again);
  };
  if (!mayPassAlone) {
    count();
    return;
  }
  secondTries.push(async () => {
    console.log(`--- ${title} again, alone`);
    if (await passesAlone()) unsteady.push(...failed.map(({ what }) => what));
    else count();
  });
}

const lastLine = (output) => output.trim().split('\n').at(-1);

// --- preparation -----------------------------------------------------------------------------------------

async function installSystemPackages() {
  if (!isRoot || !has('apt-get')) return;
  const { status, output } = await run('bash', [script('system-packages.sh')]);
  if (status !== 0) console.log(`some system packages could not be installed: ${lastLine(output)}`);
}

/** Whether the packages in a folder are older than its lockfile, or missing. */
function isOutdated(folder) {
  const inFolder = (file) => path.join(ROOT, folder, file);
  const changed = (file) => fs.statSync(inFolder(file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return changed('node_modules/.package-lock.json') < changed('package-lock.json');
}

async function build() {
  if (isOutdated('.')) await must('npm', INSTALL);
  const strict = requireAll ? ['-DNEXTID_WERROR=ON'] : [];
  await must('cmake', ['-S', '.', '-B', 'build', '-DNEXTID_TESTS=ON', ...strict]);
  await must('cmake', [...COMPILE, '--target', 'modules']);
}

// Where they cannot be built, Jest runs all the same.
async function buildNativeSuites(suites) {
  if (process.platform !== 'linux') {
    skip('native suites', 'they are for Linux');
    return;
  }
  const targets = suites.length === 0 ? [] : ['--target', ...suites];
  const { status, output } = await run('cmake', [...COMPILE, ...targets]);
  areSuitesBuilt = status === 0;
  if (!areSuitesBuilt) fail('the native suites could not be built', 'npm run build', output);
}

// What docs/recipes/ shows nextid with. recipes.test.js skips what needs it where it is missing.
async function installForRecipes() {
  if (isOutdated('test/recipes')) await attempt('npm', [...INSTALL, '--prefix', 'test/recipes']);
  const wanted = fs.readFileSync(path.join(ROOT, REQUIREMENTS), 'utf8');
  const installed = path.join(ROOT, 'build', 'python', 'requirements.txt');
  if (!has('python3') || (fs.existsSync(installed) && fs.readFileSync(installed, 'utf8') === wanted)) return;
  const pip = [...PIP_INSTALL, '--requirement', REQUIREMENTS];
  const done = await attempt('python3', ['-m', 'venv', 'build/python']) && await attempt(PYTHON, pip);
  if (done) fs.writeFileSync(installed, wanted);
}

async function attempt(program, args) {
  const { status, output } = await run(program, args);
  if (status !== 0) console.log(`${program} ${args.join(' ')} failed: ${lastLine(output)}`);
  return status === 0;
}

const REQUIREMENTS = 'test/recipes/requirements.txt';
const PIP_INSTALL = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
const COMPILE = ['--build', 'build', '--parallel', String(os.availableParallelism())];

// Without this nothing can be tested.
async function must(program, args) {
  const { status, output } = await run(program, args);
  if (status === 0) return;
  console.log(output);
  throw new Error(`${program} ${args.join(' ')} failed`);
}

// [what runs on it, variable, script, arguments of its commands]
const MONGODB = ['MongoDB', 'MONGODB_URL', script('mongo-server.sh')];
const SQL_SERVERS = [
  ['PostgreSQL', 'NEXTID_TEST_POSTGRES_URL', script('sql-servers.sh'), 'postgres'],
  ['MySQL', 'NEXTID_TEST_MYSQL_URL', script('sql-servers.sh'), 'mysql'],
];

/** Sets the variable and what else tests need to know of a server, or says why there is none. */
async function provideServer([title, variable, file, ...names]) {
  if (process.env[variable]) return;
  if (!isRoot || !has('apt-get')) {
    skip(`tests on ${title}`, `no $${variable}, and only root on Debian or Ubuntu can make the server`);
    return;
  }
  startedServers.push([file, names]);
  const { status, output } = await run('bash', [file, 'start', ...names]);
  if (status !== 0) {
    console.log(output);
    skip(`tests on ${title}`, `no $${variable}, and the test server did not start (${lastLine(output)})`);
    return;
  }
  const { output: variables } = await run('bash', [file, 'env', ...names]);
  for (const [, name, value] of variables.matchAll(/^(\w+)='(.*)'$/gm)) process.env[name] ||= value;
}

function stopServers() {
  for (const [file, names] of startedServers) {
    spawnSync('bash', [file, 'stop', ...names], { stdio: 'ignore' });
  }
}

// Tests put databases of their own behind the URL. One that leads nowhere is noticed now, not after minutes.
async function checkServer() {
  const url = /^(mongodb(?:\+srv)?:\/\/(?:[^/?]*@)?)([^/?@]+)(?:\/[^?]*)?(.*)$/.exec(process.env.MONGODB_URL);
  if (url === null) throw new Error('$MONGODB_URL is not a URL such as mongodb://127.0.0.1:27017');
  const [, start, hosts, options] = url;
  process.env.MONGODB_URL = `${start}${hosts}${options === '' ? '' : `/${options}`}`;
  if (start.startsWith('mongodb+srv:')) return;
  const tries = hosts.split(',').map((host) => connects(...(/^(.*?)(?::(\d+))?$/.exec(host).slice(1))));
  if (!(await Promise.all(tries)).includes(true)) {
    throw new Error(`no server answers at ${hosts} ($MONGODB_URL): start it, or unset the variable`);
  }
}

async function checkSqlServer(variable) {
  if (!process.env[variable]) return;
  const { protocol, hostname, port, host } = new URL(process.env[variable]);
  if (!await connects(hostname, port || (protocol === 'mysql:' ? '3306' : '5432'))) {
    throw new Error(`no server answers at ${host} ($${variable}): start it, or unset the variable`);
  }
}

function connects(host, port = '27017') {
  return new Promise((resolve) => {
    const socket = net.connect({ host: host.replace(/^\[|\]$/g, ''), port: Number(port), timeout: 10_000 });
    const end = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('connect', () => end(true));
    for (const event of ['error', 'timeout']) socket.on(event, () => end(false));
  });
}

// --- tests -----------------------------------------------------------------------------------------------

async function nativeSuite(suite, filter = '*') {
  if (!areSuitesBuilt) return;
  const program = path.join(ROOT, 'build', suite);
  if (!fs.existsSync(program)) {
    const library = suite === 'mongo_test' ? 'GoogleTest or libmongoc' : 'GoogleTest';
    skip(suite, `${library} was not found`);
    return;
  }
  const report = path.join(RESULTS, `${suite}.json`);
  const args = [`--gtest_filter=${filter}`, `--gtest_output=json:${report}`];
  const { status, output } = await run(program, args, { timeout: LONGEST_SUITE });
  const named = status === 0 ? [] : failedNativeTests(report);
  for (const { test, cameTwice } of named) {
    const failed = [{ what: `${suite}: ${test}`, again: `npm test -- ${suite} ${test}` }];
    const mayPassAlone = filter === '*' && NEEDS_SERVER.has(suite) && !cameTwice;
    failOrTryAgain(failed, mayPassAlone, `${suite} ${test}`, () => runAgain(program, test));
  }
  if (status !== 0 && named.length === 0) fail(`${suite} ended with ${status}`, `npm test -- ${suite}`);
  if (status !== 0) console.log(onlyFailures(output));
  for (const [, why] of output.matchAll(/: Skipped\n(.*)$/gm)) skip(`a test of ${suite}`, why);
}

function failedNativeTests(report) {
  if (!fs.existsSync(report)) return [];
  const { testsuites } = JSON.parse(fs.readFileSync(report, 'utf8'));
  return testsuites.flatMap(({ name, testsuite }) => (
    testsuite.filter(({ failures: found }) => found).map((test) => ({
      test: `${name}.${test.name}`,
      cameTwice: isAboutTwice(test.failures.map(({ failure }) => failure).join('\n')),
    }))));
}

async function runAgain(program, test) {
  const { status } = await run(program, [`--gtest_filter=${test}`], { timeout: LONGEST_SUITE });
  return status === 0;
}

// GoogleTest's output without the lines of the tests that passed.
function onlyFailures(output) {
  const parts = output.split(/(?=^\[ RUN)/m);
  return parts.filter((part) => !part.startsWith('[ RUN') || !/^\[ {7}OK/m.test(part)).join('');
}

async function jest(args) {
  const isWhole = args.length === 0;
  for (const { file, failed, cameTwice } of await runJest(args, 'jest.json')) {
    if (failed.length === 0) continue;
    failOrTryAgain(failed, isWhole && file !== undefined && !cameTwice, file, async () => {
      const [again] = await runJest([file], 'jest-again.json');
      return again.failed.length === 0;
    });
  }
  if (!fs.existsSync(SKIPS)) return;
  for (const need of fs.readFileSync(SKIPS, 'utf8').trim().split('\n')) skip('Jest tests', `without ${need}`);
}

/** Runs Jest: [{ file, failed, cameTwice }], `failed` as in `failures`. */
async function runJest(args, name) {
  const report = path.join(RESULTS, name);
  fs.rmSync(report, { force: true });
  const program = 'node_modules/jest/bin/jest.js';
  const { status } = await run(process.execPath, [program, '--json', `--outputFile=${report}`, ...args], {
    show: true, env: { NEXTID_TEST_SKIPS: SKIPS },
  });
  if (fs.existsSync(report)) return JSON.parse(fs.readFileSync(report, 'utf8')).testResults.map(readFile);
  return [{ failed: [{ what: `Jest ended with ${status}`, again: `npm test -- ${args.join(' ')}` }] }];
}

function readFile({ name, status, message, assertionResults: tests }) {
  const file = path.relative(ROOT, name);
  const failed = tests.filter((test) => test.status === 'failed').map(({ fullName }) => (
    { what: `${file}: ${fullName}`, again: `npm test -- ${file} -t ${quoted(literally(fullName))}` }));
  if (status === 'failed' && failed.length === 0) {
    failed.push({ what: `${file} could not be run`, again: `npm test -- ${file}` });
  }
  return { file, failed, cameTwice: isAboutTwice(message) };
}

// Of the code that Jest shows, only the line that failed counts.
function isAboutTwice(message) {
  const lines = stripVTControlCharacters(message).split('\n').filter((line) => !/^\s*(?:\d+)? \|/.test(line));
  return lines.some((line) => /twice|duplicate|unique|distinct|new Set\(/i.test(line));
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const literally = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'); // -t takes a pattern

async function lint() {
  const all = has('clang-format');
  if (!all) skip('the format of C++ sources', 'clang-format is not installed');
  const [program, ...args] = all ? ['npm', 'run', '--silent', 'lint'] : ['npx', 'eslint', '.'];
  const { status, output } = await run(program, args);
  if (status !== 0) fail('lint', 'npm run lint', output);
}

// --- all of it -------------------------------------------------------------------------------------------

async function everything([what, ...rest]) {
  if (what === 'lint') {
    await timed('lint', lint);
  } else if (SUITES.includes(what)) {
    await timed(what, () => nativeSuite(what, rest[0]));
  } else if (what !== undefined) {
    await timed('Jest', () => jest([what, ...rest]));
  } else {
    // Much of both is waiting for a server or for other processes.
    await Promise.all([timed('Jest', () => jest([])), nativeSuitesAndLint()]);
    for (const tryAgain of secondTries) await tryAgain();
  }
}

async function nativeSuitesAndLint() {
  for (const suite of SUITES) await timed(suite, () => nativeSuite(suite));
  await timed('lint', lint);
}

function summary() {
  console.log(`\n${phases.map(([name, seconds]) => `${name} ${Math.round(seconds)} s`).join(', ')}`);
  const counts = new Map();
  for (const reason of skips) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  if (counts.size > 0) console.log('\nSkipped:');
  for (const [reason, count] of counts) console.log(`  ${reason}${count > 1 ? ` (${count} times)` : ''}`);
  if (unsteady.length > 0) console.log('\nFailed on a busy machine, but passed alone:');
  for (const what of unsteady) console.log(`  ${what}`);
  if (failures.length > 0) console.log('\nFailed, and how to run each alone:');
  for (const { what, again } of failures) console.log(`  ${what}\n    ${again}`);
  console.log(failures.length === 0 ? '\nAll tests passed.' : `\n${failures.length} failed.`);
}

function interrupt(signal) {
  if (isInterrupted) return;
  isInterrupted = true;
  for (const child of running) child.kill('SIGKILL');
  stopServers();
  process.exit(128 + os.constants.signals[signal]);
}

async function main() {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupt(signal));
  try {
    if (process.env.MONGODB_URL) await checkServer();
    for (const [, variable] of SQL_SERVERS) await checkSqlServer(variable);
    await timed('system packages', installSystemPackages);
    const args = process.argv.slice(2);
    const [what] = args;
    const suites = SUITES.filter((suite) => suite === what);
    const needsNative = what === undefined || suites.length > 0;
    const isJest = suites.length === 0 && what !== 'lint';
    const needsServer = !['core_test', 'sqlite_test', 'lint'].includes(what);
    await Promise.all([
      timed('build', () => build().then(() => needsNative && buildNativeSuites(suites))),
      needsServer && timed('test server', () => provideServer(MONGODB)),
      isJest && timed('SQL test servers', () => Promise.all(SQL_SERVERS.map(provideServer))),
      isJest && timed('packages of the recipes', installForRecipes),
    ]);
    fs.mkdirSync(RESULTS, { recursive: true });
    fs.rmSync(SKIPS, { force: true });
    await everything(args);
  } catch (error) {
    fail(error.message, 'npm test');
  } finally {
    stopServers();
  }
  summary();
  process.exitCode = failures.length === 0 ? 0 : 1;
}

main();
