'use strict';

// node blog.js MONGODB_URL: a service with the blog's code, moved over to nextid by its one line.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { MongoClient } = require('mongodb');
const { assertDistinct, order, replaced, start } = require('./support');

const [url] = process.argv.slice(2);
const OLD = path.join(__dirname, '..', 'services', 'blog-orders.js');
const MOVED = path.join(__dirname, '..', 'services', 'moved-orders.js');

function moveOver() {
  const code = fs.readFileSync(OLD, 'utf8');
  fs.writeFileSync(MOVED, replaced(code, "require('./blog')", "require('nextid/callback')"));
}

async function take({ port }, count, atOnce = 10) {
  const ids = [];
  const client = async () => {
    while (ids.length < count) ids.push((await order(port)).id);
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return ids;
}

async function kill({ service }) {
  const exit = once(service, 'exit');
  service.kill('SIGKILL');
  await exit;
}

async function main() {
  moveOver();
  const client = new MongoClient(url);
  const counter = () => client.db().collection('ids').findOne({ _id: 'myseq' });

  const old = await start(OLD, url);
  const before = await take(old, 1234, 1);
  assert.deepEqual([before[0], before.at(-1)], [1000, 2233]);
  await kill(old);
  assert.deepEqual(await counter(), { _id: 'myseq', index: 2240 });

  const moved = await start(MOVED, url);
  const after = await take(moved, 1234, 1);
  assert.equal(after[0], 2240);

  const services = [moved, await start(OLD, url), await start(OLD, url), await start(MOVED, url)];
  const together = (await Promise.all(services.map((service) => take(service, 1000)))).flat();
  const ids = [...before, ...after, ...together];
  assertDistinct(ids);
  const { index, ...others } = await counter();
  assert.deepEqual(others, { _id: 'myseq' }, 'the document is as the blog knows it');
  assert(index > Math.max(...ids));

  await Promise.all(services.map(kill));
  await client.close();
}

main();
