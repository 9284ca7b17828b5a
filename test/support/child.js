'use strict';

// What a process that processes.js started, or a worker_thread that threads.js started, uses to talk to it.

const { once } = require('node:events');
const { parentPort } = require('node:worker_threads');

/** What the process is to do: the job that it was started with. */
const job = JSON.parse(process.argv[2]);

/** Says that this process is ready, and resolves at the moment when all that run together begin. */
async function startSignal() {
  if (parentPort === null) process.send('ready');
  else parentPort.postMessage('ready');
  await once(parentPort ?? process, 'message');
}

/** Hands `result` to the parent. Resolves once it is on its way, so that the process may end at once. */
function report(result) {
  if (parentPort !== null) return parentPort.postMessage({ result });
  return new Promise((resolve, reject) => {
    process.send({ result }, (error) => (error ? reject(error) : resolve()));
  });
}

/** Hangs up: nothing more is to be reported. A process or worker_thread that does nothing else ends then. */
function hangUp() {
  if (parentPort === null) process.disconnect();
}

module.exports = { job, startSignal, report, hangUp };
