'use strict';

const assert = require('node:assert/strict');
const { fork } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const { json } = require('node:stream/consumers');
const { open } = require('nextid');

/**
 * Asks a service for an id, on a connection of its own. Resolves to what it answers. A service that closes
 * may reset the connection, or lose it on its way to a cluster worker: ECONNRESET, and one may ask again.
 */
async function order(port) {
  const request = http.request({ host: '127.0.0.1', port, path: '/orders', method: 'POST', agent: false });
  const lost = () => Object.assign(new Error('no answer'), { code: 'ECONNRESET' });
  request.setTimeout(5000, () => request.destroy(lost()));
  request.end();
  const [response] = await once(request, 'response');
  const body = await json(response);
  assert.equal(response.statusCode, 200, JSON.stringify(body));
  return body;
}

/** Where the counter stands, of which there must be one. */
async function next(url) {
  const store = open(url);
  const counters = await store.list();
  await store.close();
  assert.equal(counters.length, 1);
  return counters[0].next;
}

/**
 * Takes ids, by `take`, until numbers are left in memory that were reserved after all others. Resolves to the
 * last id. Who closes now leaves the counter at the number after it.
 */
async function untilSomeAreLeft(url, take) {
  const reservedByOthers = await next(url);
  for (let tries = 0; tries < 1e5; tries++) {
    const id = await take();
    if (id >= reservedByOthers && (await next(url)) > id + 1) return id;
  }
  throw new Error('after each of 100,000 ids no number was left in memory');
}

/** Starts a service that sends { port }. */
async function start(file, url) {
  const service = fork(file, { env: { ...process.env, NEXTID_STORE: url } });
  const ended = once(service, 'exit').then(([code, signal]) => {
    throw new Error(`${file} ended early: ${signal ?? code}`);
  });
  const [{ port }] = await Promise.race([once(service, 'message'), ended]);
  ended.catch(() => {});
  return { service, port };
}

/** Ends a process and resolves once it is gone. It must end by itself, without an error. */
async function terminate(child) {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null], '[exit code, signal]');
}

/** The text with `to` instead of `from`, which must be there once. */
function replaced(text, from, to) {
  assert.equal(text.split(from).length, 2, `${from} is there once`);
  return text.replace(from, to);
}

function assertDistinct(ids) {
  assert.equal(new Set(ids).size, ids.length, 'ids were given twice');
}

function assertGrowing(ids) {
  ids.forEach((id, i) => assert(i === 0 || id > ids[i - 1], `${id} came after ${ids[i - 1]}`));
}

module.exports = {
  order, next, untilSomeAreLeft, start, terminate, replaced, assertDistinct, assertGrowing,
};
