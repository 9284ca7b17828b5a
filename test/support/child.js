'use strict';

// What a process that processes.js started uses to talk to it.

const { once } = require('node:events');

/** What the process is to do: the job that it was started with. */
const job = JSON.parse(process.argv[2]);

/** Says that this process is ready, and resolves at the moment when all that run together begin. */
async function startSignal() {
  process.send('ready');
  await once(process, 'message');
}

/** Hands `result` to the parent. Resolves once it is on its way, so that the process may end at once. */
function report(result) {
  return new Promise((resolve, reject) => {
    process.send({ result }, (error) => (error ? reject(error) : resolve()));
  });
}

module.exports = { job, startSignal, report };
