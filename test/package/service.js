'use strict';

// README's Express service, asked by itself: `node service.js STORE_URL [refused]`. With `refused` the server
// of the store must not be trusted.

const express = require('express');
const { once } = require('node:events');
const { open } = require('nextid');

// As OpenSSL says it, and Node, in whose TLS the package mongodb is.
const UNKNOWN_AUTHORITY = /certificate verify failed|unable to verify the first certificate/;

const [url, refused] = process.argv.slice(2);
const ids = open(url);
const orders = ids.sequence('orders', { timeout: 8000 });

const app = express();
app.post('/orders', async (req, res) => {
  res.json({ id: await orders.nextId() });
});
app.use((error, req, res, next) => res.status(503).json({ message: error.message, next: typeof next }));

async function main() {
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const order = async () =>
    (await fetch(`http://127.0.0.1:${server.address().port}/orders`, { method: 'POST' })).json();
  const answers = [await order(), await order()];
  if (refused) {
    if (!UNKNOWN_AUTHORITY.test(answers[0].message)) throw new Error(JSON.stringify(answers));
  } else if (answers[0].id === undefined || answers[1].id !== answers[0].id + 1) {
    throw new Error(JSON.stringify(answers));
  }
  await ids.close();
  server.close();
}

main();
