'use strict';

const { once } = require('node:events');
const net = require('node:net');
const { setTimeout: sleep } = require('node:timers/promises');

/**
 * Starts a proxy in front of any TCP server (without TLS). It can lose a reply: the server has done what was
 * asked and the client never learns.
 * @param {{host: string, port: number}} server
 * @returns {Promise<TcpProxy>} listening on a free port of 127.0.0.1
 */
async function startProxy({ host, port }) {
  const proxy = new TcpProxy({ host, port });
  await proxy.refuse(false);
  return proxy;
}

class TcpProxy {
  port = 0;

  /** Milliseconds that each reply takes longer. */
  latency = 0;

  #target;
  #listener = net.createServer((client) => this.#connect(client));
  #connections = new Set();
  #cutAfter; // { bytes, request }
  #isSwallowing = false;
  #hangs = false;

  constructor(target) {
    this.#target = target;
  }

  /**
   * Once: the next request that contains this text (any, without one) is passed on, and its connection is cut
   * after so many bytes of the reply, at the first byte if 0. What a client sends at a time is a request.
   */
  cutReplyAfter(bytes, request = '') {
    this.#cutAfter = { bytes, request };
  }

  /** Begins to drop all replies with connections open: what is asked is done. Or ends that and cuts them. */
  swallowReplies(on) {
    this.#isSwallowing = on;
    if (!on) this.cut();
  }

  /** Begins to drop requests and replies with connections open: a hung server. Or ends that and cuts them. */
  hang(on) {
    this.#hangs = on;
    if (!on) this.cut();
  }

  /** Cuts every connection and refuses new ones: a server that is down. Or ends that on the same port. */
  async refuse(on) {
    if (this.#listener.listening !== on) return;
    if (on) this.#listener.close();
    else this.#listener.listen(this.port, '127.0.0.1');
    this.cut();
    await once(this.#listener, on ? 'close' : 'listening');
    if (!on) this.port = this.#listener.address().port;
  }

  /** Cuts every connection now. */
  cut() {
    for (const socket of this.#connections) socket.destroy();
  }

  close() {
    return this.refuse(true);
  }

  #connect(client) {
    const server = net.connect(this.#target);
    const connection = { client, server, left: Infinity }; // so many bytes of replies until the cut
    for (const socket of [client, server]) {
      this.#connections.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => {}).on('close', () => this.#connections.delete(socket));
    }
    client.on('data', (chunk) => this.#passRequest(chunk, connection));
    client.on('close', () => server.destroySoon()); // what came before still arrives
    this.#passReplies(connection).catch(() => {}).finally(() => client.destroySoon());
  }

  #passRequest(chunk, connection) {
    if (this.#hangs) return;
    if (this.#cutAfter && chunk.includes(this.#cutAfter.request)) {
      connection.left = this.#cutAfter.bytes;
      this.#cutAfter = undefined;
    }
    connection.server.write(chunk);
  }

  async #passReplies(connection) {
    for await (const chunk of connection.server) {
      if (this.latency > 0) await sleep(this.latency, undefined, { ref: false });
      if (this.#isSwallowing || this.#hangs) continue;
      connection.client.write(chunk.subarray(0, connection.left));
      connection.left -= chunk.length;
      if (connection.left <= 0) return; // which destroys the server's socket
    }
  }
}

module.exports = { startProxy };
