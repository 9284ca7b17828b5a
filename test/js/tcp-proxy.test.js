'use strict';

const { once } = require('node:events');
const net = require('node:net');
const { startProxy } = require('../support/tcp-proxy');
const { until } = require('../support/until');

let server;
let received; // what the server has got of all clients
let proxy;
const clients = [];

// It answers 'name' with '<name>'.
beforeEach(async () => {
  received = [];
  server = net.createServer((socket) => {
    socket.on('error', () => {}).on('data', (chunk) => {
      received.push(String(chunk));
      socket.write(`<${chunk}>`);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  proxy = await startProxy({ host: '127.0.0.1', port: server.address().port });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  server.close();
  await once(server, 'close');
});

function connect() {
  const client = net.connect(proxy.port, '127.0.0.1');
  clients.push(client);
  return client;
}

async function ask(client, text) {
  client.write(text);
  return String((await once(client, 'data'))[0]);
}

/** All that comes until the connection is cut. */
async function rest(client) {
  let text = '';
  client.on('data', (chunk) => {
    text += chunk;
  });
  client.on('error', () => {});
  await once(client, 'close');
  return text;
}

test('it passes bytes on', async () => {
  expect(await ask(connect(), 'one')).toBe('<one>');
  proxy.latency = 1;
  expect(await ask(connect(), 'two')).toBe('<two>');
});

test.each([
  [0, ''],
  [3, '<se'],
])('cutReplyAfter(%i): the server gets the request, the client %j', async (bytes, reply) => {
  const [client, other] = [connect(), connect()];
  proxy.cutReplyAfter(bytes, 'second');
  expect(await ask(client, 'first')).toBe('<first>');
  client.write('second');
  expect(await rest(client)).toBe(reply);
  expect(received).toEqual(['first', 'second']);
  expect(await ask(other, 'second')).toBe('<second>');
});

test('swallowReplies: no reply comes, and the end of it cuts the connections', async () => {
  const client = connect();
  expect(await ask(client, 'first')).toBe('<first>');
  proxy.swallowReplies(true);
  client.write('second');
  const atEnd = rest(client);
  await until(() => received.includes('second'));
  proxy.swallowReplies(false);
  expect(await atEnd).toBe('');
  expect(await ask(connect(), 'third')).toBe('<third>');
});

test('refuse: connections are cut and refused, then the same port works again', async () => {
  const client = connect();
  await ask(client, 'first');
  const atEnd = rest(client);
  await proxy.refuse(true);
  await atEnd;
  await expect(ask(connect(), 'second')).rejects.toThrow('ECONNREFUSED');
  await proxy.refuse(false);
  expect(await ask(connect(), 'third')).toBe('<third>');
});

test('a client that leaves closes its connection to the server, and the other way round', async () => {
  const [client, other] = [connect(), connect()];
  const [[socket]] = await Promise.all([once(server, 'connection'), ask(client, 'first')]);
  const closed = once(socket, 'close');
  client.destroy();
  await closed;
  await ask(other, 'second');
  const atEnd = rest(other);
  proxy.cut();
  await atEnd;
});
