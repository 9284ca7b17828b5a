'use strict';

// Runs a page of docs/recipes/.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { text } = require('node:stream/consumers');
const { open } = require('../..');
const { ROOT, environmentOf, makeFolder, recipeOf } = require('./pages');

const PACKAGES = path.join(ROOT, 'test', 'recipes', 'node_modules');
const LONGEST_LIFE = 240_000; // ms; what lives longer hangs, and ends by SIGKILL

/** A program that runs, until its end or kill(). */
class Program {
  output = '';
  /** Resolves to the exit code or signal. */
  ended;
  #child;
  #hears = () => {};

  constructor(command, args = [], options = {}) {
    this.#child = spawn(command, args, { ...options, timeout: LONGEST_LIFE, killSignal: 'SIGKILL' });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (part) => {
        this.output += part;
        this.#hears();
      });
    }
    this.ended = once(this.#child, 'close').then(([code, signal]) => {
      this.#hears();
      return signal ?? code;
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** Waits until it has printed so many matches of a pattern; resolves to the groups of all of them. */
  async says(pattern, count = 1) {
    for (;;) {
      const matches = [...this.output.matchAll(new RegExp(pattern, 'g'))];
      if (matches.length >= count) return matches.map(([, ...groups]) => groups);
      const { exitCode, signalCode } = this.#child;
      if (exitCode !== null || signalCode !== null) {
        throw new Error(`it ended (${signalCode ?? exitCode}) before it said ${pattern}:\n${this.output}`);
      }
      await new Promise((resolve) => {
        this.#hears = resolve;
      });
    }
  }

  /** Sends SIGTERM and waits for the end, which must be this one. */
  async stop(end = 0) {
    this.#child.kill('SIGTERM');
    assert.equal(await this.ended, end, `exit code after SIGTERM; it printed:\n${this.output}`);
  }

  kill() {
    this.#child.kill('SIGKILL');
    return this.ended;
  }
}

/** The files of a page in a folder of their own, with nextid and these packages installed. */
class Recipe {
  #env;
  #programs = [];
  #commands;

  /** `packages`: of this checkout. `others`: of test/recipes, as names or { name: folder }. */
  constructor(page, { packages = [], others = [], env = {} } = {}) {
    const { files, commands } = recipeOf(page);
    const links = Array.isArray(others) ? Object.fromEntries(others.map((name) => [name, name])) : others;
    this.folder = makeFolder(packages, Object.fromEntries(
      Object.entries(links).map(([name, target]) => [name, path.join(PACKAGES, target)])));
    this.store = `sqlite:${path.join(this.folder, 'ids.db')}`;
    this.#env = { ...environmentOf(this.folder), NEXTID_STORE: this.store, PORT: '0', ...env };
    this.#commands = commands;
    for (const [name, content] of files) this.write(name, content);
  }

  write(name, content) {
    fs.writeFileSync(path.join(this.folder, name), content);
  }

  /** Starts a program. Names of packages' programs work, as in an npm script. */
  start(command, args = [], env = {}) {
    const program = new Program(command, args, { cwd: this.folder, env: { ...this.#env, ...env } });
    this.#programs.push(program);
    return program;
  }

  /** Runs a program that must end with 0; resolves to what it printed. */
  async run(command, args, env = {}) {
    const options = { cwd: this.folder, env: { ...this.#env, ...env }, timeout: LONGEST_LIFE };
    const child = spawn(command, args, options);
    const [stdout, stderr, [code]] =
      await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    assert.equal(code, 0, `${command} ${args.join(' ')}:\n${stdout}\n${stderr}`);
    return stdout;
  }

  /** Runs the page's commands, in order; resolves to all that they printed. */
  runCommands(env = {}) {
    return this.run('bash', ['-ec', ['exec 2>&1', ...this.#commands].join('\n')], env);
  }

  /** Where the plain counter stands, or undefined if there is none. */
  async counter(name = 'orders', url = this.store) {
    const ids = open(url);
    const counters = await ids.list();
    await ids.close();
    return counters.find((counter) => counter.name === name)?.next;
  }

  async remove() {
    await Promise.all(this.#programs.map((program) => program.kill()));
    fs.rmSync(this.folder, { recursive: true });
  }
}

/**
 * POSTs JSON on a connection of its own; resolves to { status, body }. Rejects without an answer: a
 * connection can get lost on its way to a cluster worker that closes.
 */
async function post(port, url, body = {}) {
  const headers = { 'content-type': 'application/json' };
  const request = http.request({ host: '127.0.0.1', port, path: url, method: 'POST', agent: false, headers });
  request.setTimeout(30_000, () => request.destroy(new Error('no answer')));
  request.end(JSON.stringify(body));
  const [response] = await once(request, 'response');
  const answer = await text(response);
  const isJson = answer.startsWith('{'); // Express answers 500 with HTML
  return { status: response.statusCode, body: isJson ? JSON.parse(answer) : undefined };
}

module.exports = { Program, Recipe, post };
