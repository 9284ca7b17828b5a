'use strict';

// A TCP proxy that makes a server seem further away, or gone for a time. It runs in a process of its own, so
// that its work is not done on the event loop that is measured.

const { fork } = require('node:child_process');
const { once } = require('node:events');
const net = require('node:net');

const LOOPBACK = '127.0.0.1';

/** What startDelayingProxy() resolves with. */
class DelayingProxy {
  #child;

  /** The server's URL, by way of the proxy. */
  url;

  constructor(child, url) {
    this.#child = child;
    this.url = url;
  }

  /** From now on what the server sends comes `ms` later. What is on its way already keeps its time. */
  delay(ms) {
    return this.#order({ delay: ms });
  }

  /** Cuts all connections, and refuses new ones for `ms`. Resolves when they are cut. */
  goAway(ms) {
    return this.#order({ away: ms });
  }

  async stop() {
    const exit = once(this.#child, 'exit');
    this.#child.disconnect();
    await exit;
  }

  async #order(order) {
    const done = once(this.#child, 'message');
    this.#child.send(order);
    await done;
  }
}

/**
 * Starts a proxy on a free port of the loopback interface.
 * @param {string} serverUrl of a MongoDB server with one host, without TLS
 * @returns {Promise<DelayingProxy>} without a delay
 */
async function startDelayingProxy(serverUrl) {
  const url = new URL(serverUrl);
  const child = fork(__filename, [url.hostname, url.port || '27017'], { execArgv: [] });
  const [port] = await once(child, 'message');
  url.host = `${LOOPBACK}:${port}`;
  url.searchParams.set('directConnection', 'true'); // or the members of a replica set are asked directly
  return new DelayingProxy(child, String(url));
}

// --- the process of the proxy

let delay = 0; // ms
const sockets = new Set();

// Sends on what comes from `from`, in its order, each chunk when its delay is over.
function sendLater(from, to) {
  const chunks = [];
  let timer;
  const send = () => {
    for (; chunks.length > 0 && chunks[0].due <= performance.now(); chunks.shift()) to.write(chunks[0].chunk);
    timer = chunks.length > 0 ? setTimeout(send, chunks[0].due - performance.now()) : undefined;
  };
  from.on('data', (chunk) => {
    chunks.push({ chunk, due: performance.now() + delay });
    timer ??= setTimeout(send, delay);
  });
  to.on('close', () => clearTimeout(timer));
}

function connect(client, host, port) {
  const server = net.connect({ host, port });
  for (const [socket, other] of [[client, server], [server, client]]) {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroy();
    });
  }
  client.pipe(server);
  sendLater(server, client);
}

async function serve(host, port) {
  const listener = net.createServer((client) => connect(client, host, port));
  listener.listen(0, LOOPBACK);
  await once(listener, 'listening');
  const { port: own } = listener.address();

  process.on('disconnect', () => process.exit());
  process.on('message', (order) => {
    if (order.delay !== undefined) delay = order.delay;
    if (order.away !== undefined) {
      listener.close();
      for (const socket of sockets) socket.destroy();
      setTimeout(() => listener.listen(own, LOOPBACK), order.away);
    }
    process.send('done');
  });
  process.send(own);
}

if (require.main === module) serve(...process.argv.slice(2));

module.exports = { startDelayingProxy };
