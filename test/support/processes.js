'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { text } = require('node:stream/consumers');

/**
 * Starts one process for each job and lets all of them begin at the same moment. Returns what they report,
 * in the order of the jobs. If one fails the others are stopped.
 * @param {{script: string, env?: object}[]} jobs `script` is a file of this folder that uses child.js; `env`
 *   is added to this process's; the rest, plain data, is for the script
 * @param {typeof Process} [Runner] what is started for each: see threads.js
 */
async function runTogether(jobs, Runner = Process) {
  const processes = jobs.map((job) => new Runner(job));
  try {
    await Promise.all(processes.map((process) => process.ready));
    for (const process of processes) process.begin();
    return await Promise.all(processes.map((process) => process.result));
  } finally {
    for (const process of processes) process.stop();
  }
}

/** A process with one job, of runTogether(). `ready`, begin(), `result`, in this order. */
class Process {
  #child;
  #stderr;

  constructor({ script, env, ...job }) {
    this.#child = fork(path.join(__dirname, script), [JSON.stringify(job)], {
      env: { ...process.env, ...env },
      serialization: 'advanced', // thousands of ids go through as they are
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    this.#stderr = text(this.#child.stderr);
    this.ready = Promise.race([once(this.#child, 'message'), this.#endedEarly(script)]);
    this.result = this.#result(script);
    for (const promise of [this.ready, this.result]) promise.catch(() => {}); // runTogether() awaits both
  }

  begin() {
    this.#child.send('begin');
  }

  stop() {
    this.#child.kill('SIGKILL');
  }

  /** Tells it to end. */
  terminate() {
    this.#child.kill('SIGTERM');
  }

  async #endedEarly(script) {
    const [code, signal] = await once(this.#child, 'close');
    throw new Error(`${script} ended (${signal ?? code}) before it began: ${await this.#stderr}`);
  }

  async #result(script) {
    let reported;
    this.#child.on('message', (message) => {
      if (message.result !== undefined) reported = message;
    });
    const [code, signal] = await once(this.#child, 'close');
    if (code === 0 && reported !== undefined) return reported.result;
    throw new Error(`${script} ended (${signal ?? code}) without a result: ${await this.#stderr}`);
  }
}

module.exports = { Process, runTogether };
