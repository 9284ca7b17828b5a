'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { startProgram } = require('./run-program');

/** A sequence of each kind: its options by its name. */
const SEQUENCES = {
  plain: { step: 50 },
  dated: { period: 'day', step: 50 },
  cyclic: { cycle: 1_000_000_000 },
  stamped: { timestamp: true },
};

// In a process of its own. It writes ids down before it counts them as taken.
const takeIds = async (url, journal, sequences, options) => {
  const fs = require('node:fs');
  const { setTimeout: sleep } = require('node:timers/promises');
  const { NextIdError, open } = require('nextid');
  let going = true;
  process.once('message', () => {
    going = false;
  });
  while (going) {
    const ids = open(url);
    for (let i = 0; going && i < 10; i++) {
      for (const [name, kind] of Object.entries(sequences)) {
        try {
          const taken = await ids.sequence(name, { ...kind, ...options }).nextIds(100);
          fs.appendFileSync(`${journal}.${name}`, `${taken.join('\n')}\n`);
          process.send({ name, last: taken.at(-1) });
        } catch (error) {
          if (!(error instanceof NextIdError)) throw error;
          process.send({ name, code: error.code, cause: error.cause?.name, message: error.message });
          await sleep(20);
        }
      }
    }
    await ids.close();
  }
  process.disconnect();
};

/**
 * Starts a process that takes ids of all SEQUENCES until stop(), opening the store anew from time to time.
 * @param {string} url
 * @param {string} journal the path that the names of its journals begin with
 * @param {object} [options] of all sequences
 * @returns what startProgram() does; `onTold`, called with each { name, last } (ids were taken) and each
 *   { name, code, cause, message } (a refusal), may be set; stop() resolves when the process has ended
 */
function startTaking(url, journal, options = {}) {
  const program = startProgram(takeIds, [url, journal, SEQUENCES, options]);
  const taking = {
    ...program,
    onTold: () => {},
    stop() {
      program.process.send('end');
      return program.ended;
    },
  };
  program.process.on('message', (message) => taking.onTold(message));
  return taking;
}

/** Reads journals as they grow. */
class Journals {
  /** By the name of the sequence: the ids that were taken, as text, with how many were read before each. */
  taken = Object.fromEntries(Object.keys(SEQUENCES).map((name) => [name, new Map()]));
  /** Ids that were taken twice. */
  twice = [];
  /** How many were taken. */
  count = 0;
  #folder;
  #read = new Map(); // bytes, by file

  constructor(folder) {
    this.#folder = folder;
  }

  /** Where the journals of process `number` are to be written. */
  pathOf(number) {
    return path.join(this.#folder, `process${number}`);
  }

  /** Reads what was added since the last time. */
  read() {
    for (const file of fs.readdirSync(this.#folder)) {
      const name = file.split('.')[1];
      const from = this.#read.get(file) ?? 0;
      const added = fs.readFileSync(path.join(this.#folder, file)).subarray(from);
      const whole = added.subarray(0, added.lastIndexOf('\n') + 1);
      for (const id of whole.toString().split('\n').slice(0, -1)) {
        if (this.taken[name].has(id)) this.twice.push(id);
        else this.taken[name].set(id, this.count++);
      }
      this.#read.set(file, from + whole.length);
    }
  }
}

module.exports = { Journals, SEQUENCES, startTaking };
