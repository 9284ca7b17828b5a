'use strict';

// README's service, on $NEXTID_STORE and any port. It says too who answers, and as the how-manieth call.

const express = require('express');
const { open } = require('nextid');

const ids = open();
const orders = ids.sequence('orders');
let calls = 0;

const app = express();
app.post('/orders', async (req, res) => {
  const call = ++calls;
  res.json({ id: await orders.nextId(), worker: process.pid, call });
});
const server = app.listen(0, '127.0.0.1');

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => server.close(async () => {
    await ids.close();
    process.disconnect(); // from the cluster: a worker that is connected does not end
  }));
}
