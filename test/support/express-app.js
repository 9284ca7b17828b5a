'use strict';

// An Express service in two `cluster` workers: each GET / takes one id.
// Job: { url }. Reports { port } once both workers listen, and after SIGTERM { stats }, those of each worker.

const cluster = require('node:cluster');
const { once } = require('node:events');
const express = require('express');
const { open } = require('../..');

function serve({ url }) {
  const store = open(url);
  const orders = store.sequence('orders');

  const app = express();
  app.get('/', async (req, res) => {
    res.json({ id: await orders.nextId(), worker: cluster.worker.id });
  });
  const server = app.listen(0, '127.0.0.1');

  process.once('SIGTERM', () => {
    server.close(async () => {
      await store.close();
      process.send({ stats: orders.stats() });
      process.disconnect();
    });
  });
}

async function superviseTwo() {
  const workers = [cluster.fork(), cluster.fork()];
  const [[{ port }]] = await Promise.all(workers.map((worker) => once(worker, 'listening')));
  process.send({ port });

  await once(process, 'SIGTERM');
  for (const worker of workers) worker.process.kill('SIGTERM');
  const reports = await Promise.all(workers.map((worker) => once(worker, 'message')));
  process.send({ stats: reports.map(([{ stats }]) => stats) });
  process.disconnect();
}

if (cluster.isPrimary) {
  superviseTwo();
} else {
  serve(JSON.parse(process.argv[2]));
}
