'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');

const { answer } = require('./answer');

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.disconnect(); // it ends then
  await ended;
}

/** Some processes that take ids in the same way from the same counter. */
class Takers {
  #children;

  /**
   * Starts them and resolves once all are ready.
   * @param {object} job what taker.js is to do
   * @param {number} count of processes
   */
  static async start(job, count) {
    const takers = new Takers();
    takers.#children = Array.from({ length: count }, () => (
      fork(path.join(__dirname, 'taker.js'), [JSON.stringify(job)])));
    try {
      await Promise.all(takers.#children.map(answer));
    } catch (error) {
      await takers.stop();
      throw error;
    }
    return takers;
  }

  /** Has the first so many of them take ids at once, for `ms`. How many a second they got, all together. */
  async idsASecond(processes, ms) {
    const working = this.#children.slice(0, processes);
    const answers = working.map(answer);
    for (const child of working) child.send(ms);
    return (await Promise.all(answers)).reduce((sum, idsASecond) => sum + idsASecond);
  }

  async stop() {
    await Promise.all(this.#children.map(stop));
  }
}

module.exports = { Takers };
