'use strict';

const { setImmediate: nextTurn, setTimeout: sleep } = require('node:timers/promises');
const { readMessages, decode, encodeReply, replyHeader } = require('./mongo-wire');
const { parseAction } = require('./mongo-proxy-action');

/**
 * One client of the proxy and its connection to the server. Messages keep their order in each direction,
 * whatever is done to them.
 */
class Connection {
  #client;
  #server;
  #proxy;
  #clientLeft = false;
  #unanswered = new Map(); // request id → request that the server has and has not answered
  #lastToClient = Promise.resolve(); // replies of the server and of the proxy must not mix

  /** @param {net.Socket} client @param {net.Socket} server @param {MongoProxy} proxy whose rules hold */
  constructor(id, client, server, proxy) {
    this.id = id;
    this.silent = false; // the other sides still see an open connection, and nothing more of each other
    this.#client = client;
    this.#server = server;
    this.#proxy = proxy;
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => {}); // readMessages() ends; there is nothing else to do
    }
  }

  /**
   * Passes messages on until both sides are gone. Rejects with what a rule threw, or where bytes are no
   * message; the connection is then cut.
   */
  async run() {
    try {
      await Promise.all([this.#passRequests(), this.#passReplies()]);
    } finally {
      this.cut();
    }
  }

  /** Cuts both sides at once. */
  cut() {
    this.#client.destroy();
    this.#server.destroy();
  }

  async #passRequests() {
    for await (const message of readMessages(this.#client)) {
      const request = decode(message);
      const command = request.body && Object.keys(request.body)[0];
      if (command) this.#proxy.noteRequest(command);
      const rule = command && !this.silent && this.#proxy.onRequest;
      const action = parseAction(rule ? await rule(command, request.body, this) : undefined);
      if (action.reply) {
        await this.#toClient(encodeReply(action.reply, replyHeader(request)), action);
        continue;
      }
      if (command && action.how === 'forward' && !request.moreToCome) {
        this.#unanswered.set(request.requestId, { command, body: request.body });
      }
      await this.#send(this.#server, message, action);
    }
    this.#clientLeft = true;
    this.#closeIfDone();
  }

  async #passReplies() {
    for await (const message of readMessages(this.#server)) {
      const reply = decode(message);
      const request = this.#unanswered.get(reply.responseTo);
      this.#unanswered.delete(reply.responseTo);
      // A streamed hello: the next reply names this one, not the request.
      if (request && reply.moreToCome) this.#unanswered.set(reply.requestId, request);
      const rule = request && !this.silent && this.#proxy.onReply;
      const { command, body } = request ?? {};
      const action = parseAction(rule ? await rule(command, body, reply.body, this) : undefined);
      await this.#toClient(action.reply ? encodeReply(action.reply, reply) : message, action);
      this.#closeIfDone(reply);
    }
    if (!this.silent) this.#client.destroySoon();
  }

  #toClient(message, action) {
    const delay = this.#proxy.latency + action.delay;
    const send = () => this.#send(this.#client, message, { ...action, delay });
    this.#lastToClient = this.#lastToClient.then(send);
    return this.#lastToClient;
  }

  async #send(socket, message, { how, delay, bytes }) {
    if (delay > 0) await sleep(delay, undefined, { ref: false });
    if (this.silent) return;
    if (how === 'forward') {
      await this.#write(socket, message, bytes);
    } else if (how === 'drop-connection') {
      this.cut();
    } else if (how === 'cut-within') {
      socket.write(message.subarray(0, message.length / 2));
      socket.destroySoon(); // a plain destroy() would lose the half
      (socket === this.#client ? this.#server : this.#client).destroy();
    }
  }

  async #write(socket, message, bytes = message.length) {
    for (let at = 0; at < message.length && !this.silent; at += bytes) {
      if (at > 0) await nextTurn(); // or the kernel would join the pieces
      socket.write(message.subarray(at, at + bytes));
    }
  }

  // What a client sent before it left still reaches the server, as on a real network, and is carried out
  // there. A server may stop working for a client whose connection closes: close after the last answer.
  #closeIfDone(lastReply) {
    if (!this.#clientLeft) return;
    if (this.#unanswered.size === 0 || lastReply?.moreToCome) this.#server.destroySoon();
  }
}

module.exports = { Connection };
