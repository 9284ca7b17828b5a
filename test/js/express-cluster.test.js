'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const autocannon = require('autocannon');
const { describeStores } = require('../support/stores');

const APP = path.join(__dirname, '..', 'support', 'express-app.js');
const REQUESTS = 6000;

/** Sends requests over 20 connections at once; returns the bodies of the responses. */
async function load(url) {
  const bodies = [];
  const setupClient = (client) => client.on('body', (body) => bodies.push(JSON.parse(body)));
  const result = await autocannon({ url, amount: REQUESTS, connections: 20, setupClient });
  expect(result).toMatchObject({ errors: 0, timeouts: 0, non2xx: 0, '2xx': REQUESTS });
  return bodies;
}

function sum(numbers) {
  return numbers.reduce((a, b) => a + b, 0);
}

describeStores('an Express service in two cluster workers, under load', (fixture) => {
  let store;
  let app;
  let bodies;

  beforeAll(async () => {
    store = fixture.freshUrl();
    app = fork(APP, [JSON.stringify({ url: store })]);
    const [{ port }] = await once(app, 'message');
    const url = `http://127.0.0.1:${port}/`;
    bodies = await load(url);
    // One more id, where the last refill has left nothing to give back.
    while ((await fixture.read(store, 'orders')) === 1 + Math.max(...bodies.map(({ id }) => id))) {
      bodies.push(await (await fetch(url)).json());
    }
  });

  afterAll(() => app.kill('SIGKILL'));

  test('every response has an id of its own, and both workers gave some', () => {
    expect(bodies.length).toBeGreaterThanOrEqual(REQUESTS);
    expect(new Set(bodies.map(({ id }) => id)).size).toBe(bodies.length);
    expect(new Set(bodies.map(({ worker }) => worker)).size).toBe(2);
  });

  test('SIGTERM ends it, and unused numbers go back', async () => {
    app.kill('SIGTERM');
    const [[{ stats }], [code]] = await Promise.all([once(app, 'message'), once(app, 'exit')]);
    expect(code).toBe(0);
    expect(sum(stats.map(({ handedOut }) => handedOut))).toBe(bodies.length);
    expect(sum(stats.map(({ inMemory }) => inMemory))).toBe(0);
    expect(sum(stats.map(({ returned }) => returned))).toBeGreaterThan(0);

    const neverGiven = sum(stats.map(({ lost }) => lost));
    const returned = await fixture.returned(store);
    expect(await fixture.read(store, 'orders')).toBe(1 + bodies.length + neverGiven + returned);
  });
});
