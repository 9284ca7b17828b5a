'use strict';

// README's recipe, which windows.sh stops like Ctrl+C. (SIGTERM ends a process at once on Windows.)

const { createServer } = require('node:http');

const { open } = require('nextid');

const ids = open('sqlite:stop.db');
const orders = ids.sequence('orders');
const server = createServer(async (req, res) => res.end(String(await orders.nextId())));
const stop = () => server.close(async () => {
  await ids.close();
  console.log('stopped');
});
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop);
server.listen(0, '127.0.0.1', async () => console.log(`given ${await orders.nextId()}`));
