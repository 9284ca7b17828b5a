'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { text } = require('node:stream/consumers');

/** A process of worker.js, as the soak sees it. */
class WorkerProcess {
  /** What the process said last: see worker.js. */
  tally = { instance: 0, ids: 0, longest: 0, refusals: {}, lost: {} };

  /** Resolves when it has ended: with undefined if that was as it should be, else with how it did. */
  ended;

  #child;
  #heard = performance.now();
  #isPaused = false;
  #isKilled = false;
  #isToldToEnd = false;

  constructor(job) {
    this.#child = fork(path.join(__dirname, 'worker.js'), [JSON.stringify(job)], {
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
      detached: true, // Ctrl-C is for the soak, which then ends its processes
    });
    this.#child.on('error', () => {}); // a message to one that is gone
    this.#child.on('message', (tally) => {
      this.tally = tally;
      this.#heard = performance.now();
    });
    this.ended = this.#ended();
  }

  get pid() {
    return this.#child.pid;
  }

  /** For how long the process has not said anything, in ms; 0 while it is paused. */
  get silence() {
    return this.#isPaused ? 0 : performance.now() - this.#heard;
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

  #tell(message) {
    if (this.#child.connected) this.#child.send(message);
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
