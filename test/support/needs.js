'use strict';

// What some tests need and not every machine has.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

/** The Python in which test/run.js has installed what the recipes need. */
const PYTHON = path.join(__dirname, '..', '..', 'build', 'python', 'bin', 'python3');

/** The program sqlite3 and its first arguments. */
const SQLITE3 = process.platform === 'win32'
  ? [process.execPath, '--no-warnings', path.join(__dirname, 'sqlite3.js')]
  : ['sqlite3'];

const runs = (program, ...args) => {
  const { error, status } = spawnSync(program, args, { stdio: 'ignore' });
  return error === undefined && status === 0;
};

// [in words, whether this machine has it]
const NEEDS = {
  mongodb: ['a MongoDB server ($MONGODB_URL)', () => Boolean(process.env.MONGODB_URL)],
  sqlite3: ['the program sqlite3', () => runs(...SQLITE3, '-version')],
  faketime: ['libfaketime', () => fakeTimeLibrary() !== undefined],
  linux: ['Linux', () => process.platform === 'linux'],
  mount: ['root with the right to mount', () => (
    process.getuid?.() === 0 && runs('unshare', '--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'))],
  logins: ['a MongoDB server with logins ($NEXTID_TEST_MONGODB_AUTH_URL, $NEXTID_TEST_MONGODB_TLS_URL)',
    () => ['AUTH', 'TLS'].every((kind) => process.env[`NEXTID_TEST_MONGODB_${kind}_URL`])],
  gateway: ['the server of test/scripts/mongo-server.sh ($NEXTID_TEST_MONGODB_GATEWAY_PID_FILE)',
    () => Boolean(process.env.NEXTID_TEST_MONGODB_GATEWAY_PID_FILE)],
  postgres: ['a PostgreSQL server ($NEXTID_TEST_POSTGRES_URL)',
    () => Boolean(process.env.NEXTID_TEST_POSTGRES_URL)],
  pgbouncer: ['PgBouncer ($NEXTID_TEST_PGBOUNCER_URL)', () => Boolean(process.env.NEXTID_TEST_PGBOUNCER_URL)],
  mysql: ['a MySQL or MariaDB server ($NEXTID_TEST_MYSQL_URL)',
    () => Boolean(process.env.NEXTID_TEST_MYSQL_URL)],
  recipes: ['the packages of test/recipes (npm ci --ignore-scripts --prefix test/recipes)', () => (
    fs.existsSync(path.join(__dirname, '..', 'recipes', 'node_modules')))],
  python3: ['the program python3 with SQLite 3.35', () => (
    runs('python3', '-c', 'import sqlite3; assert sqlite3.sqlite_version_info >= (3, 35)'))],
  pymongo: ['pymongo, see test/recipes/requirements.txt', () => runs(PYTHON, '-c', 'import pymongo')],
  etcd: ['the program etcd', () => runs('etcd', '--version')],
  script: ['the program script of util-linux', () => runs('script', '--version')],
};

/** The file of libfaketime, or undefined. Debian has a folder for each architecture in /usr/lib. */
function fakeTimeLibrary() {
  const lib = '/usr/lib';
  const folders = fs.existsSync(lib) ? fs.readdirSync(lib).map((name) => path.join(lib, name)) : [];
  return [...folders, lib, '/usr/lib64', '/usr/local/lib']
    .map((folder) => path.join(folder, 'faketime', 'libfaketime.so.1'))
    .find((library) => fs.existsSync(library));
}

/**
 * describe() and test() for what has these needs: { describe, test, areMet }. Where one is not met they skip
 * and the file $NEXTID_TEST_SKIPS gets the reason; with NEXTID_REQUIRE_ALL=1 this throws.
 */
function needs(...names) {
  const missing = names.map((name) => NEEDS[name]).filter(([, isMet]) => !isMet()).map(([words]) => words);
  if (missing.length === 0) return { describe, test, areMet: true };
  if (process.env.NEXTID_REQUIRE_ALL === '1') {
    throw new Error(`this needs ${missing.join(' and ')}, and NEXTID_REQUIRE_ALL is 1`);
  }
  const { NEXTID_TEST_SKIPS: file } = process.env;
  if (file) fs.appendFileSync(file, missing.map((words) => `${words}\n`).join(''));
  return { describe: describe.skip, test: test.skip, areMet: false };
}

module.exports = { PYTHON, SQLITE3, fakeTimeLibrary, needs };
