'use strict';

// What the prebuilt binaries leave out is refused or passed over: `node left-out.js STORE_URL`, a MongoDB URL
// that has options.

const assert = require('node:assert');
const { once } = require('node:events');
const net = require('node:net');
const { open } = require('nextid');

const [url] = process.argv.slice(2);

async function firstId(storeUrl, timeout) {
  const ids = open(storeUrl);
  try {
    return await ids.sequence('left-out', { timeout }).nextId();
  } finally {
    await ids.close();
  }
}

// The first message of a client, the compressors it offers among it.
async function helloTo(query) {
  const server = net.createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const hello = new Promise((resolve) => {
    server.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        resolve(data.toString('latin1'));
        socket.destroy();
      });
    });
  });
  await assert.rejects(firstId(`mongodb://127.0.0.1:${server.address().port}/shop?${query}`, 1000));
  server.close();
  return hello;
}

async function main() {
  const kerberos = 'mongodb://me%40REALM@127.0.0.1:1/shop?authMechanism=GSSAPI&authSource=%24external';
  await assert.rejects(async () => firstId(kerberos, 1000), (error) => {
    assert.match(error.message, /Kerberos \(authMechanism=GSSAPI\), which the prebuilt binaries leave out/);
    return true;
  });
  const hello = await helloTo('compressors=snappy,zlib');
  assert.match(hello, /zlib/);
  assert.doesNotMatch(hello, /snappy/);
  assert.strictEqual(typeof await firstId(`${url}&compressors=snappy`, 8000), 'number');
}

main();
