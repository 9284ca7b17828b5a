'use strict';

// The service of express.js with Fastify.

const fastify = require('fastify')();
const { open } = require('nextid');

const ids = open();
const orders = ids.sequence('orders');
let calls = 0;

fastify.post('/orders', async () => {
  const call = ++calls;
  return { id: await orders.nextId(), worker: process.pid, call };
});
fastify.addHook('onClose', () => ids.close());
fastify.listen({ port: 0, host: '127.0.0.1' });

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, async () => {
    await fastify.close();
    process.disconnect(); // see express.js
  });
}
