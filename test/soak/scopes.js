'use strict';

// Many short-lived sequences 'NAME/0', 'NAME/1', …, of which a process uses a few at a time. With the option
// `idle`, its store returns the numbers of the others.

const SCOPES = 2 ** 12;
const ROOM = 2 ** 40; // numbers of each
const IN_USE = 8;
const CHANGES = 0.05; // of the calls

/** They look like one sequence to the Taker. Its ids are 'SCOPE:NUMBER'. */
class Scopes {
  #store;
  #options;
  #random;
  #inUse;

  constructor(store, name, options, random) {
    this.name = name;
    this.#store = store;
    this.#options = options;
    this.#random = random;
    this.#inUse = Array.from({ length: IN_USE }, () => this.#upTo(SCOPES));
  }

  async nextId() {
    const [scope, sequence] = this.#pick();
    return `${scope}:${await sequence.nextId()}`;
  }

  async nextIds(count) {
    const [scope, sequence] = this.#pick();
    return (await sequence.nextIds(count)).map((number) => `${scope}:${number}`);
  }

  async reserve(count) {
    const [scope, sequence] = this.#pick();
    const { first, last } = await sequence.reserve(count);
    return { first: `${scope}:${first}`, last: `${scope}:${last}`, count };
  }

  tryNextId() {
    const [scope, sequence] = this.#pick();
    const number = sequence.tryNextId();
    return number === undefined ? undefined : `${scope}:${number}`;
  }

  /** Those of collected sequences are not known. */
  stats() {
    return { inMemory: 0, lost: 0 };
  }

  // Throws where the store is closed.
  #pick() {
    const at = this.#upTo(IN_USE);
    if (this.#random() < CHANGES) this.#inUse[at] = this.#upTo(SCOPES);
    const scope = this.#inUse[at];
    return [scope, this.#store.sequence(`${this.name}/${scope}`, this.#options)];
  }

  #upTo(end) {
    return Math.floor(this.#random() * end);
  }
}

// All their counters together look like one. Each has ROOM of its numbers: 0 is never given, and those from
// `next` on are free.
const scoped = {
  first: () => 0n,
  open: (store, name, options, random) => new Scopes(store, name, options, random),
  place(name, id) {
    const [scope, number] = id.split(':').map(Number);
    return { counter: name, number: scope * ROOM + number };
  },
  async counters(fixture, url, name) {
    const states = new Map(await fixture.readAll(url, `${name}/`));
    const returned = Array.from({ length: SCOPES }, (_, scope) => {
      const from = BigInt(scope) * BigInt(ROOM);
      const { next = 1, returned: ranges = [] } = states.get(`${name}/${scope}`) ?? {};
      const free = [[0n, 1n], ...ranges, [BigInt(next), BigInt(ROOM)]];
      return free.map((range) => range.map((bound) => from + bound));
    });
    return [[name, { end: BigInt(SCOPES) * BigInt(ROOM), returned: returned.flat() }]];
  },
  hasStep: true,
  isDense: true,
  isOrdered: false,
};

module.exports = { scoped };
