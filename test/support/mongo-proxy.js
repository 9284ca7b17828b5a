'use strict';

const { once } = require('node:events');
const net = require('node:net');
const { Connection } = require('./mongo-proxy-connection');

const LOOPBACK = '127.0.0.1';

/**
 * Starts a proxy in front of a MongoDB-compatible server (without TLS). It knows where messages begin and
 * end, and so can count commands, and bring about faults at exact places between a client and the server.
 * @param {{host: string, port: number}} server
 * @returns {Promise<MongoProxy>} listening on a free port of 127.0.0.1
 */
async function startMongoProxy({ host, port }) {
  const proxy = new MongoProxy({ host, port });
  await proxy.accept();
  return proxy;
}

class MongoProxy {
  /**
   * `(command, body, connection) => action` is asked about each request. `command` is the body's first key,
   * spelled as the client spelled it; an int64 in a body is a BigInt. The actions: see mongo-proxy-action.js.
   * May be async: the message, and those behind it, wait for the action. `connection` is one object for each
   * connection of a client, with an `id` and `cut()`.
   */
  onRequest = undefined;

  /** `(command, requestBody, replyBody, connection) => action` for each reply, as above. */
  onReply = undefined;

  /** Milliseconds that each reply takes longer. */
  latency = 0;

  #target;
  #listener = net.createServer((client) => this.#connect(client));
  #port = 0;
  #connections = new Set();
  #connected = 0;
  #silent = false;
  #counts = new Map();
  #failure;

  /** Use startMongoProxy(). */
  constructor(target) {
    this.#target = target;
  }

  get port() {
    return this.#port;
  }

  /** The URL of a database and options behind the proxy: `url('shop?w=1')`. */
  url(path = '') {
    return this.through(`mongodb://${LOOPBACK}/${path}`);
  }

  /** A server's URL, with its credentials, database and options, but by way of the proxy. */
  through(serverUrl) {
    const url = new URL(serverUrl);
    url.host = `${LOOPBACK}:${this.#port}`;
    url.pathname ||= '/'; // older drivers want the slash before the options
    // Or a driver would go round the proxy to the addresses that a replica set tells it.
    url.searchParams.set('directConnection', 'true');
    return url.href;
  }

  /** How many requests of this command clients have sent since the last resetCounts(), answered or not. */
  count(command) {
    return this.#counts.get(command) ?? 0;
  }

  resetCounts() {
    this.#counts.clear();
  }

  /** For Connection: a request was seen. */
  noteRequest(command) {
    this.#counts.set(command, this.count(command) + 1);
  }

  /** Present connections go silent, new ones are accepted and never answered: a server that hangs. */
  blackhole() {
    this.#silent = true;
    for (const connection of this.#connections) connection.silent = true;
  }

  /** Ends blackhole(). The silent connections are cut; what was sent on them is lost. */
  restore() {
    this.#silent = false;
    for (const connection of this.#connections) {
      if (connection.silent) connection.cut();
    }
  }

  /** Cuts every connection and refuses new ones: a server that is down. */
  async refuse() {
    if (!this.#listener.listening) return;
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    for (const connection of this.#connections) connection.cut();
    await closed;
  }

  /** Ends refuse(), on the same port. */
  async accept() {
    if (this.#listener.listening) return;
    this.#listener.listen(this.#port, LOOPBACK);
    await once(this.#listener, 'listening');
    this.#port = this.#listener.address().port;
  }

  /** Cuts every connection and stops. Rejects with the first error that a rule or foreign bytes caused. */
  async close() {
    await this.refuse();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure;
  }

  async #connect(client) {
    const server = net.connect(this.#target);
    const connection = new Connection(++this.#connected, client, server, this);
    connection.silent = this.#silent;
    this.#connections.add(connection);
    try {
      await connection.run();
    } catch (error) {
      this.#failure ??= error;
    } finally {
      this.#connections.delete(connection);
    }
  }
}

module.exports = { startMongoProxy };
