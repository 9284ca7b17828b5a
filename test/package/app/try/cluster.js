'use strict';

// node cluster.js SERVICE STORE_URL: a service in two cluster workers, one of which is replaced under load.

const assert = require('node:assert/strict');
const cluster = require('node:cluster');
const { once } = require('node:events');
const path = require('node:path');
const { assertDistinct, assertGrowing, next, order, terminate, untilSomeAreLeft } = require('./support');

const [service, url] = process.argv.slice(2);
const REQUESTS = 4000;
const AT_ONCE = 20;

async function startWorker() {
  const worker = cluster.fork({ NEXTID_STORE: url });
  const [{ port }] = await once(worker, 'listening');
  return { worker, port };
}

let resets = 0;
async function orderAgain(port) {
  try {
    return await order(port);
  } catch (error) {
    if (error.code !== 'ECONNRESET' || ++resets > AT_ONCE) throw error;
    return orderAgain(port);
  }
}

async function load(port, answers, enough) {
  const client = async () => {
    while (answers.length < enough) answers.push(await orderAgain(port));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}

async function main() {
  cluster.setupPrimary({ exec: path.resolve(service) });
  const [first, second] = await Promise.all([startWorker(), startWorker()]);
  const { port } = first;
  const answers = [];

  await load(port, answers, REQUESTS / 4);
  const replaced = terminate(first.worker.process).then(startWorker);
  await load(port, answers, REQUESTS / 2);
  const third = await replaced;
  await load(port, answers, REQUESTS);

  assertDistinct(answers.map(({ id }) => id));
  const workers = [...new Set(answers.map(({ worker }) => worker))];
  assert.equal(workers.length, 3, 'two workers, and the one that came instead of the first');
  for (const worker of workers) {
    const its = answers.filter((answer) => answer.worker === worker);
    assertGrowing(its.toSorted((a, b) => a.call - b.call).map(({ id }) => id));
  }

  await terminate(second.worker.process);
  const last = await untilSomeAreLeft(url, async () => {
    answers.push(await order(port));
    return answers.at(-1).id;
  });
  await terminate(third.worker.process);
  assert.equal(await next(url), last + 1, 'the numbers that were not used are given back');
  assertDistinct(answers.map(({ id }) => id));
}

main();
