'use strict';

// A store as a user may write it, for processes that share it: a program that keeps texts by key answers over
// TCP, a line of JSON each. It fails in every way that CounterStore of index.d.ts allows.

const net = require('node:net');
const readline = require('node:readline');
const { randomNumbers } = require('../support/random');

const LATEST = 8000; // ms until a late answer, which is past the time of an attempt

// What may go wrong with a request, and how often.
const FAULTS = {
  'lost before it is done': 0.004,
  'reply lost': 0.004,
  'reply late': 0.003,
  'never answered': 0.001,
  'refused with an error': 0.004,
  'done, but answered with an error': 0.004,
};

function linesOf(socket, use) {
  const lines = readline.createInterface({ input: socket });
  lines.on('line', (line) => use(JSON.parse(line))).on('error', () => {});
}

class OwnStoreServer {
  values = new Map();
  times = Object.fromEntries(Object.keys(FAULTS).map((name) => [name, 0]));

  #random;
  #sockets = new Set();
  #server = net.createServer((socket) => this.#serve(socket));

  constructor(seed) {
    this.#random = randomNumbers(seed);
  }

  async listen() {
    await new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return this.#server.address().port;
  }

  close() {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #serve(socket) {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    linesOf(socket, (request) => this.#answer(socket, request));
  }

  #answer(socket, { id, method, args }) {
    const fault = this.#draw();
    const reply = (answer) => socket.write(`${JSON.stringify({ id, ...answer })}\n`);
    if (fault !== undefined) this.times[fault]++;
    if (fault === 'lost before it is done') return socket.destroy();
    if (fault === 'refused with an error') return reply({ error: 'refused' });
    const value = this.#carryOut(method, args);
    if (fault === 'reply lost') return socket.destroy();
    if (fault === 'never answered') return undefined;
    if (fault === 'done, but answered with an error') return reply({ error: 'an error' });
    if (fault === 'reply late') return setTimeout(() => reply({ value }), this.#random() * LATEST);
    return reply({ value });
  }

  #draw() {
    let place = this.#random();
    return Object.keys(FAULTS).find((name) => {
      place -= FAULTS[name];
      return place < 0;
    });
  }

  #carryOut(method, [key, expected, next]) {
    if (method === 'read') return this.values.get(key);
    if (method === 'list') return [...this.values];
    if (this.values.get(key) !== (expected ?? undefined)) return false;
    if (next === null || next === undefined) this.values.delete(key);
    else this.values.set(key, next);
    return true;
  }
}

/** The CounterStore of a process. */
function ownStore(port) {
  let socket;
  let last = 0;
  const waiting = new Map(); // id → { resolve, reject }

  function connect() {
    const own = net.connect(port, '127.0.0.1');
    const lost = () => {
      if (socket === own) socket = undefined;
      for (const [id, { reject, on }] of waiting) {
        if (on === own) {
          waiting.delete(id);
          reject(new Error('the connection is lost'));
        }
      }
    };
    own.on('error', () => {});
    own.on('close', lost);
    linesOf(own, ({ id, value, error }) => {
      const { resolve, reject } = waiting.get(id) ?? {};
      waiting.delete(id);
      if (error !== undefined) reject?.(new Error(error));
      else resolve?.(value);
    });
    return own;
  }

  function ask(method, ...args) {
    socket ??= connect();
    const id = ++last;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject, on: socket });
      socket.write(`${JSON.stringify({ id, method, args })}\n`);
    });
  }

  return {
    read: (key) => ask('read', key),
    compareAndSet: (key, expected, next) => ask('compareAndSet', key, expected, next),
    list: () => ask('list'),
    close: () => socket?.destroy(),
  };
}

const rangesOf = (bounds = []) => Array.from({ length: bounds.length / 2 }, (_, i) => (
  [BigInt(bounds[2 * i]), BigInt(bounds[2 * i + 1])]));

/** As those of stores.js: reads the counters around nextid. */
class OwnFixture {
  kind = 'own';
  title = 'own';
  #server;
  #port;

  async start() {
    this.#server = new OwnStoreServer(Date.now());
    this.#port = await this.#server.listen();
  }

  freshUrl() {
    return `own:${this.#port}`;
  }

  stop() {
    this.#server.close();
  }

  read(_, name) {
    return this.#record('plain', name)?.index;
  }

  readReturned(_, name) {
    return rangesOf(this.#record('plain', name)?.indexReturned);
  }

  readAll(_, beginning) {
    return this.#records(`plain:${beginning}`).map(([key, { index, indexReturned }]) => (
      [key.slice('plain:'.length), { next: index, returned: rangesOf(indexReturned) }]));
  }

  readDated(_, name) {
    const counters = this.#records(`dated:${name}:`).filter(([, { making }]) => making === undefined);
    return Object.fromEntries(counters.map(([key, { count }]) => [prefixIn(key), count]));
  }

  readDatedReturned(_, name) {
    return Object.fromEntries(this.#records(`dated:${name}:`).map(([key, { countReturned }]) => (
      [prefixIn(key), rangesOf(countReturned)])));
  }

  readCounter(_, kind, name) {
    return this.#record(kind, name);
  }

  #record(kind, name) {
    const text = this.#server.values.get(`${kind}:${name}`);
    return text === undefined ? undefined : JSON.parse(text);
  }

  #records(beginning) {
    return [...this.#server.values].filter(([key]) => key.startsWith(beginning))
      .map(([key, text]) => [key, JSON.parse(text)]);
  }
}

const prefixIn = (key) => key.slice(key.lastIndexOf(':') + 1);

module.exports = { OwnFixture, ownStore };
