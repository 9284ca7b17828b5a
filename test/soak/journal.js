'use strict';

// Journals: what a process writes down of the ids it was given. A journal is a file of numbers, each 8 bytes,
// unsigned, little-endian, and nothing else. All numbers of a file are of one counter and were given to one
// instance, that is one open(). Its name says which:
//
//   COUNTER.PROCESS-INSTANCE.ids      ids of nextId(), nextIds() and tryNextId(), in the order of the calls:
//                                     they grow
//   COUNTER.PROCESS-INSTANCE.blocks   ids of reserve(), whose blocks are outside of that order
//
// An id counts as used once write(2) has taken it: then no kill -9 loses it. A file that ends within a number
// was cut off there, and that number was never used.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const NUMBER_BYTES = 8;
const LIMIT = 2 ** 32;

if (os.endianness() !== 'LE') throw new Error('journals are written and read on little-endian machines only');

class Journal {
  #file;
  #words;
  #length = 0; // words in use

  /** The file must not be there yet. `capacity` is how many numbers may be added before write(). */
  constructor(file, capacity) {
    this.#file = fs.openSync(file, 'ax');
    this.#words = new Uint32Array(2 * capacity);
  }

  /** @param {number | bigint} number from 0 to 2^53-1, or a BigInt up to 2^64-1 */
  add(number) {
    if (typeof number === 'bigint') {
      this.#push(Number(number & 0xffff_ffffn), Number(number >> 32n));
    } else {
      this.#push(number % LIMIT, Math.floor(number / LIMIT));
    }
  }

  /** What was added is in the file when this returns. */
  write() {
    const bytes = new Uint8Array(this.#words.buffer, 0, this.#length * Uint32Array.BYTES_PER_ELEMENT);
    for (let done = 0; done < bytes.length;) done += fs.writeSync(this.#file, bytes, done);
    this.#length = 0;
  }

  close() {
    fs.closeSync(this.#file);
  }

  #push(low, high) {
    if (this.#length === this.#words.length) throw new RangeError('the journal has no room: call write()');
    this.#words[this.#length++] = low;
    this.#words[this.#length++] = high;
  }
}

function journalName({ counter, process, instance, ordered }) {
  return `${counter}.${process}-${instance}.${ordered ? 'ids' : 'blocks'}`;
}

/** The journals in `folder`, by counter: a Map of 'orders' to [{ file, ordered }]. */
function journalsIn(folder) {
  const journals = new Map();
  for (const name of fs.readdirSync(folder)) {
    const [counter, , extension] = name.split('.');
    if (!journals.has(counter)) journals.set(counter, []);
    journals.get(counter).push({ file: path.join(folder, name), ordered: extension === 'ids' });
  }
  return journals;
}

/** The number that a journal ends with, as a BigInt; 0n if it holds none. */
function lastNumber(file) {
  const journal = fs.openSync(file, 'r');
  try {
    const count = Math.floor(fs.fstatSync(journal).size / NUMBER_BYTES);
    if (count === 0) return 0n;
    const bytes = Buffer.alloc(NUMBER_BYTES);
    fs.readSync(journal, bytes, 0, NUMBER_BYTES, (count - 1) * NUMBER_BYTES);
    return bytes.readBigUInt64LE();
  } finally {
    fs.closeSync(journal);
  }
}

module.exports = { Journal, NUMBER_BYTES, journalName, journalsIn, lastNumber };
