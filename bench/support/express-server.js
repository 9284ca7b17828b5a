'use strict';

// An Express service that answers GET / with the next id: of the store whose URL is its argument, or without
// one, of a variable. Sends its port, and ends when its parent hangs up.

const express = require('express');
const { open } = require('../..');

const [url] = process.argv.slice(2);
const store = url === undefined ? undefined : open(url);
const app = express();

if (store === undefined) {
  let id = 0;
  app.get('/', (req, res) => {
    res.json({ id: ++id });
  });
} else {
  const orders = store.sequence('orders');
  app.get('/', async (req, res) => {
    res.json({ id: await orders.nextId() });
  });
}

const server = app.listen(0, '127.0.0.1', () => process.send(server.address().port));

process.once('disconnect', () => {
  server.close(() => store?.close());
  server.closeAllConnections();
});
