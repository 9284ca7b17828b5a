'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { text } = require('node:stream/consumers');
const { setTimeout: sleep } = require('node:timers/promises');
const { clockOffAsIn } = require('../support/fake-time');

/** A process of worker.js, as the soak sees it. */
class WorkerProcess {
  /** What the process said last: see worker.js. */
  tally = {
    instance: 0, ids: 0, longest: 0, refusals: {}, lost: {}, served: [], asked: 0, tries: 0, imports: 0,
  };

  /** Its number in the names of journals. */
  number;

  /** Resolves when it has ended: with undefined if that was as it should be, else with how it did. */
  ended;

  #child;
  #clockFile;
  #heard = performance.now();
  #isPaused = false;
  #isBlocked = false;
  #isKilled = false;
  #isToldToEnd = false;
  #asked = 0;

  /** @param {object} job for worker.js @param {string} [clocks] the folder for files that set clocks */
  constructor(job, clocks) {
    this.number = job.process;
    this.#clockFile = clocks && path.join(clocks, `${job.process}`);
    if (clocks) this.setClock('+0');
    this.#child = fork(path.join(__dirname, 'worker.js'), [JSON.stringify(job)], {
      env: { ...process.env, ...clocks && clockOffAsIn(this.#clockFile, { cached: true }) },
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      detached: true, // Ctrl-C is for the soak, which then ends its processes
    });
    this.#child.on('message', (tally) => {
      this.tally = tally;
      this.#heard = performance.now();
    });
    this.ended = this.#ended();
  }

  get pid() {
    return this.#child.pid;
  }

  /** For how long the process has not said anything, in ms; 0 while it is paused or blocked. */
  get silence() {
    return this.#isPaused || this.#isBlocked ? 0 : performance.now() - this.#heard;
  }

  /** kill -9. Resolves when it is gone. */
  kill() {
    this.#isKilled = true;
    this.#child.kill('SIGKILL');
    return this.ended;
  }

  /** SIGSTOP. */
  pause() {
    this.#isPaused = true;
    this.#child.kill('SIGSTOP');
  }

  /** SIGCONT. */
  resume() {
    this.#child.kill('SIGCONT');
    this.#heard = performance.now();
    this.#isPaused = false;
  }

  /** Has it close the store and open it again. Resolves when it has, or has ended. */
  async reopen() {
    const { instance } = this.tally;
    const ended = this.ended.then(() => true);
    this.#tell('reopen');
    while (this.tally.instance <= instance) {
      if (await Promise.race([once(this.#child, 'message').then(() => false), ended])) return;
    }
  }

  /** Has it close the store and end. Resolves as `ended`. */
  end() {
    this.#isToldToEnd = true;
    this.#tell('end');
    return this.ended;
  }

  /** Stops its event loop for so many ms. Resolves when it runs again, or has ended. */
  async block(ms) {
    this.#isBlocked = true;
    this.#tell('block', ms);
    await Promise.race([sleep(ms), this.ended]);
    await this.#heardOf();
    this.#isBlocked = false;
  }

  /** Resolves when each of its sequences has given ids in calls made from now on, or it has ended. */
  async servedAnew() {
    const asked = ++this.#asked;
    this.#tell('count', asked); // what it said last is of some time ago
    while (this.#isRunning && this.tally.asked < asked) await this.#heardOf();
    const before = this.tally.served;
    const isServed = (calls, i) => calls > (before[i] ?? 0) + 1; // one may have been under way
    while (this.#isRunning && !this.tally.served.every(isServed)) await this.#heardOf();
  }

  /** Sets its clock off by, say, '+1d' or '-90s' (libfaketime), where the fleet has such clocks. */
  setClock(offset) {
    fs.writeFileSync(this.#clockFile, `${offset}\n`);
  }

  /** Has one of its sequences asked for so many ids at once. */
  crowd(count) {
    this.#tell('crowd', count);
  }

  /** Has a call of its run out of stack in this way: see end-of-stack.js. */
  runOutOfStack(way) {
    this.#tell('runOutOfStack', way);
  }

  /** Has it import ids: see importing.js. Resolves with whether it has, when that is over or it has ended. */
  async importIds() {
    const { tries, imports } = this.tally;
    this.#tell('importIds');
    while (this.#isRunning && this.tally.tries === tries) await this.#heardOf();
    return this.tally.imports > imports;
  }

  get #isRunning() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  // Resolves when it says something, or has ended.
  #heardOf() {
    return Promise.race([once(this.#child, 'message'), this.ended]);
  }

  #tell(...order) {
    // Where it has just gone, an 'error' event would reject what waits for other events.
    if (this.#child.connected) this.#child.send(order, () => {});
  }

  async #ended() {
    const stderr = text(this.#child.stderr);
    const [code, signal] = await once(this.#child, 'close');
    if (this.#isKilled && signal === 'SIGKILL') return undefined;
    if (this.#isToldToEnd && code === 0) return undefined;
    return `process ${this.pid} ended (${signal ?? code}): ${(await stderr).trim() || 'no message'}`;
  }
}

module.exports = { WorkerProcess };
