'use strict';

const { once } = require('node:events');
const path = require('node:path');
const { Worker } = require('node:worker_threads');

/** For runTogether(): each job runs in a worker_thread of this process. */
class Thread {
  #worker;

  constructor({ script, ...job }) {
    this.#worker = new Worker(path.join(__dirname, script), { argv: [JSON.stringify(job)] });
    this.ready = once(this.#worker, 'message');
    this.result = this.#result(script);
    for (const promise of [this.ready, this.result]) promise.catch(() => {}); // runTogether() awaits both
  }

  begin() {
    this.#worker.postMessage('begin');
  }

  stop() {
    this.#worker.terminate();
  }

  async #result(script) {
    let reported;
    this.#worker.on('message', (message) => {
      if (message.result !== undefined) reported = message;
    });
    const [code] = await once(this.#worker, 'exit');
    if (code === 0 && reported !== undefined) return reported.result;
    throw new Error(`${script} ended (${code}) without a result`);
  }
}

module.exports = { Thread };
