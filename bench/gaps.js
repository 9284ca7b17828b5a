'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const { open } = require('..');
const { answer } = require('./support/answer');
const { withFolder } = require('./support/stores');

const RATE = 1000; // ids a second, of each instance
const INSTANCES = 4;
const DEPLOYS = 2; // in each of which every instance is replaced
const SETTLED_MS = 3000; // an instance has found its step then
const SPREAD_MS = 1000; // instances are ended at any moment of these

const STEPS = { default: undefined, '{ max: 50 }': { max: 50 }, 1: 1 };

class Instance {
  #child;
  #given;

  constructor(folder, number, options) {
    this.#given = path.join(folder, `given-${number}`);
    const job = { url: urlIn(folder), options, given: this.#given, rate: RATE };
    this.#child = fork(path.join(__dirname, 'support/gaps-instance.js'), [JSON.stringify(job)]);
    this.taking = answer(this.#child);
  }

  async end(signal) {
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
  }

  get ids() {
    return new Float64Array(new Uint8Array(fs.readFileSync(this.#given)).buffer)[0];
  }
}

const urlIn = (folder) => `sqlite:${path.join(folder, 'ids.db')}`;

// Replaces all instances by others, one after the other, `deploys` times, and ends the last ones. Returns how
// many numbers nobody was given, or will be, for each instance that was ended.
async function measure(step, signal, deploys, amount) {
  return withFolder(async (folder) => {
    const all = [];
    const start = async () => {
      const instance = new Instance(folder, all.length, { step });
      all.push(instance);
      await instance.taking;
      return instance;
    };
    const running = [];
    for (let i = 0; i < INSTANCES; i++) running.push(await start());
    await sleep(amount(SETTLED_MS));
    for (let i = 0; i < deploys * INSTANCES; i++) {
      await sleep(Math.random() * amount(SPREAD_MS));
      running.push(await start());
      await running.shift().end(signal);
    }
    await sleep(amount(SETTLED_MS));
    await Promise.all(running.map((instance) => instance.end(signal)));

    const store = open(urlIn(folder));
    const [{ next, returned = 0 }] = await store.list();
    await store.close();
    return (next - 1 - returned - all.reduce((sum, { ids }) => sum + ids, 0)) / all.length;
  });
}

module.exports = {
  question: `How many numbers does an instance lose when it ends, one of ${INSTANCES} on a counter?`,
  run: async ({ rounds, amount }) => {
    const ways = { 'kill -9': 'SIGKILL', 'a clean stop, in rolling deploys': 'SIGTERM' };
    const tables = [];
    for (const [way, signal] of Object.entries(ways)) {
      const figures = {};
      for (const [name, step] of Object.entries(STEPS)) {
        figures[`step ${name}`] = [];
        for (let round = 0; round < rounds; round++) {
          figures[`step ${name}`].push(await measure(step, signal, DEPLOYS, amount));
        }
      }
      const goals = Object.keys(figures).map((row) => ({ row, most: 0 }));
      tables.push({
        title: `${way}, at ${RATE} ids a second`, unit: 'numbers', better: 'less', figures,
        ...signal === 'SIGTERM' && { goals },
      });
    }
    return tables;
  },
};
