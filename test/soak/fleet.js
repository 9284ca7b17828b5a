'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { WorkerProcess } = require('./worker-process');

const ATTEMPT = 5000; // ms that an attempt at a refill may take, whatever the store does
const SLACK = 10_000; // ms for a machine that is busy
const MOST_PROBLEMS = 20; // a soak that has shown so many need not go on
const WATCH = 500; // ms
// No fault is brought upon these processes themselves. They live long enough to show a call that never ends.
const STEADY = 2;

/** Processes that take ids. For each that ends another is started, and each is watched. */
class Fleet {
  started = 0;
  /** Processes that ended by themselves; calls, and processes, that did not end: in sentences. */
  crashes = [];
  hangs = [];

  #job;
  #limit;
  #processes = new Set(); // that run
  #steady = new Set();
  #inUse = new Set(); // by a fault
  #gone = []; // last words of those that do not run
  #watch;
  #isEnding = false;
  #isHeld = false; // nothing is started
  #moving; // Promise of moveUp()
  #missing = 0; // to be started after that
  #clocks;

  /**
   * @param {object} job for worker.js
   * @param {number} size how many processes run at a time
   * @param {boolean} hasClocks whether faults set the clocks of processes
   */
  constructor(job, size, hasClocks) {
    this.#job = job;
    if (hasClocks) this.#clocks = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-clocks-'));
    this.#limit = job.timeout + ATTEMPT + SLACK;
    for (let i = 0; i < size; i++) this.#start(i < STEADY);
    this.#watch = setInterval(() => this.#lookForHangs(), WATCH);
  }

  get isBroken() {
    return this.crashes.length + this.hangs.length >= MOST_PROBLEMS;
  }

  /** Last words of all processes that ever ran, as worker.js describes them. */
  get tallies() {
    return [...this.#gone, ...Array.from(this.#processes, ({ tally }) => tally)];
  }

  /** A process that no fault is brought upon, if there is one at this moment. */
  steadyProcess(random) {
    const steady = [...this.#steady];
    return steady[Math.floor(random() * steady.length)];
  }

  /** Gives a process that no other fault uses to `use`, until that resolves. False if there is none. */
  async withProcess(random, use) {
    const free = [...this.#processes]
      .filter((process) => !this.#inUse.has(process) && !this.#steady.has(process));
    if (free.length === 0) return false;
    const process = free[Math.floor(random() * free.length)];
    this.#inUse.add(process);
    try {
      await use(process);
    } finally {
      this.#inUse.delete(process);
    }
    return true;
  }

  /** Has another program move a counter up, but not while others are set back: nobody could notice then. */
  async moveUp(move) {
    if (this.#isHeld) return false;
    this.#moving = move();
    return this.#moving;
  }

  /** Runs `use` with no processes but the steady ones, and starts none meanwhile. */
  async withSteadyOnly(use) {
    this.#isHeld = true;
    try {
      await this.#moving;
      const others = [...this.#processes].filter((process) => !this.#steady.has(process));
      await Promise.all(others.map((process) => process.end()));
      await use([...this.#steady]);
    } finally {
      this.#isHeld = false;
      for (; this.#missing > 0; this.#missing--) this.#start(false);
    }
  }

  /** Has all processes close their stores and end. */
  async end() {
    this.#isEnding = true;
    const processes = [...this.#processes];
    for (const process of processes) process.end();
    await Promise.all(processes.map(({ ended }) => ended));
    clearInterval(this.#watch);
    this.#removeClocks();
  }

  /** Kills what is left, where the soak itself has failed. */
  destroy() {
    this.#isEnding = true;
    clearInterval(this.#watch);
    for (const process of this.#processes) process.kill();
    this.#removeClocks();
  }

  #removeClocks() {
    if (this.#clocks) fs.rmSync(this.#clocks, { recursive: true, force: true });
  }

  async #start(isSteady) {
    const number = ++this.started;
    const process = new WorkerProcess(
      { ...this.#job, process: number, seed: this.#job.seed + number }, this.#clocks);
    this.#processes.add(process);
    if (isSteady) this.#steady.add(process);
    const crash = await process.ended;
    this.#processes.delete(process);
    this.#steady.delete(process);
    this.#gone.push(process.tally);
    if (crash !== undefined) this.crashes.push(crash);
    if (this.#isEnding || this.isBroken) return;
    if (this.#isHeld && !isSteady) this.#missing++;
    else this.#start(isSteady);
  }

  #lookForHangs() {
    for (const process of this.#processes) {
      const { pid, silence, tally } = process;
      const limit = this.#limit;
      if (silence <= limit && tally.longest <= limit) continue;
      this.hangs.push(silence > limit
        ? `process ${pid} said nothing for ${Math.round(silence)} ms`
        : `a call of process ${pid} took ${Math.round(tally.longest)} ms; at most ${limit} ms is allowed`);
      process.kill();
    }
  }
}

module.exports = { Fleet };
