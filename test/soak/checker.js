'use strict';

const fs = require('node:fs');
const { NUMBER_BYTES } = require('./journal');
const { PagedBitset } = require('./paged-bitset');

const BLOCK_NUMBERS = 2 ** 17;
const PAGES = 2 ** 17; // 128 MiB
const SHOWN = 5; // faults of a class that are shown with their place

/**
 * Reads the journals of one counter and finds what must not be. Memory: 128 MiB of bits (`pages`), and some
 * 100 bytes for each MiB of journals: under 200 MiB for 10^9 ids, wherever they lie.
 *
 * The journals are read once from beginning to end, which shows what lies where, and again for each window of
 * numbers that the bits can hold: then only the blocks that reach into the window. As journals grow, all of
 * that together is about one more reading.
 *
 * Numbers further than 2^53 from `start` are counted as below `start` or past the counter, and are not
 * compared with each other.
 *
 * A number is free before the journals were written if it is `start` or above, or in a range returned by
 * then; and free after that if it is `end` or above, or in a range returned by then. The journals may hold
 * what was free before and is not free after, once.
 *
 * @param {{file: string, ordered: boolean}[]} journals `ordered`: its numbers have to grow
 * @param {bigint} start the counter before, that is the first number that could be given
 * @param {bigint} end the counter after: the next number that nobody has reserved
 * @param {[bigint, bigint][]} [returnedBefore] the counter's returned ranges then, below `start`
 * @param {[bigint, bigint][]} [returnedAfter] and now, below `end`
 * @returns {{ids: number, distinct: number, lost: number, duplicates: Faults, disorders: Faults,
 *   belowStart: Faults, pastCounter: Faults, cutOff: string[]}} `distinct`: different ids below the counter;
 *   `lost`: numbers that are not free any more, and in no journal; `belowStart`: ids that were not free
 *   before; `pastCounter`: ids that are free now; `cutOff`: journals that end within a number.
 *   Faults: { count, first: [{ id, places: [{ file, position }] }] }, the position counted in numbers; for
 *   duplicates the lowest ids, with all their places
 */
function check({ journals, start, end, returnedBefore = [], returnedAfter = [], pages = PAGES }) {
  const base = [...returnedBefore, ...returnedAfter, [end]].reduce((least, [first]) => (
    first < least ? first : least), start);
  const reader = new Reader(base);
  const before = new FreeNumbers(base, start, returnedBefore);
  const after = new FreeNumbers(base, end, returnedAfter);
  const length = after.from;
  if (!after.isWithin(before)) {
    throw new RangeError('the counter gives numbers again that were not free: ' +
      `it went from ${start} to ${end}, its returned ranges from ${returnedBefore} to ${returnedAfter}`);
  }
  for (const { from } of [before, after]) {
    if (!Number.isSafeInteger(from)) {
      throw new RangeError(`start and the counter must be within 2^53-1; they are ${start} and ${end}`);
    }
  }
  const report = {
    ids: 0, distinct: 0, duplicates: noFaults(), disorders: noFaults(), belowStart: noFaults(),
    pastCounter: noFaults(), cutOff: [],
  };
  const blocks = journals.flatMap((journal) => survey(journal, { before, after }, reader, report));
  findDuplicates(blocks, length, reader, report, pages);
  for (const { first } of FAULTS.map((name) => report[name])) {
    for (const fault of first) fault.id = BigInt(fault.id) + base;
  }
  const used = after.from - before.from + before.returned - after.returned;
  return { ...report, lost: used - report.distinct };
}

const FAULTS = ['duplicates', 'disorders', 'belowStart', 'pastCounter'];

const noFaults = () => ({ count: 0, first: [] });

// From here on an `id` is what lies between base and it: a number, exact where it is compared. The base is
// the first number that may be of interest.

/** The numbers that nobody has at a moment. */
class FreeNumbers {
  /** From here on all are free; */
  from;
  /** and so many below. */
  returned = 0;

  #ranges; // in order

  constructor(base, from, ranges) {
    this.from = Number(from - base);
    this.#ranges = ranges.map((range) => range.map((bound) => Number(bound - base)));
    this.#ranges.sort(([a], [b]) => a - b);
    for (const [i, [first, end]] of this.#ranges.entries()) {
      if (first < this.#ranges[i - 1]?.[1]) throw new RangeError(`returned ranges overlap: ${ranges}`);
      this.returned += end - first;
    }
  }

  /** Whether all of these are among `others`. */
  isWithin(others) {
    const below = [...this.#ranges, [this.from, others.from]].map(([first, end]) => (
      [first, Math.min(end, others.from)])).filter(([first, end]) => first < end);
    return below.every(([first, end]) => end - first === others.#ranges.reduce((sum, range) => (
      sum + Math.max(0, Math.min(end, range[1]) - Math.max(first, range[0]))), 0));
  }

  has(id) {
    if (id >= this.from) return true;
    let [low, high] = [0, this.#ranges.length]; // the first range that ends above `id` is between them
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ranges[middle][1] > id) high = middle;
      else low = middle + 1;
    }
    return this.#ranges[low]?.[0] <= id;
  }
}

/** Reads numbers from journals, less `base`. */
class Reader {
  #words = new Uint32Array(2 * BLOCK_NUMBERS);
  #baseLow;
  #baseHigh;

  constructor(base) {
    this.#baseLow = Number(base & 0xffff_ffffn);
    this.#baseHigh = Number(base >> 32n);
  }

  /** The whole numbers in `fd` from `position` on, at most a block: calls `visit(id, position)`. */
  read(fd, position, visit) {
    const bytes = new Uint8Array(this.#words.buffer);
    let read = 0;
    for (let more = 1; more > 0 && read < bytes.length; read += more) {
      more = fs.readSync(fd, bytes, read, bytes.length - read, position * NUMBER_BYTES + read);
    }
    const count = Math.floor(read / NUMBER_BYTES);
    for (let i = 0; i < count; i++) {
      // Without BigInts, which would take minutes. Past 2^53 it is rounded, but stays past 2^53.
      const high = this.#words[2 * i + 1] - this.#baseHigh;
      visit(high * 2 ** 32 + (this.#words[2 * i] - this.#baseLow), position + i);
    }
    return count;
  }
}

// Everything that one reading shows. Returns the blocks: { file, position, least, most }.
function survey({ file, ordered }, free, reader, report) {
  const blocks = [];
  const fd = fs.openSync(file);
  let last = -Infinity;
  let block;
  const visit = (id, position) => {
    if (!free.before.has(id)) note(report.belowStart, id, file, position);
    if (free.after.has(id)) note(report.pastCounter, id, file, position);
    if (ordered && id <= last) note(report.disorders, id, file, position);
    last = id;
    if (id < block.least) block.least = id;
    if (id > block.most) block.most = id;
  };
  for (let position = 0, count; ; position += count) {
    block = { file, position, least: Infinity, most: -Infinity };
    count = reader.read(fd, position, visit);
    if (count === 0) break;
    report.ids += count;
    blocks.push(block);
  }
  if (fs.fstatSync(fd).size % NUMBER_BYTES !== 0) report.cutOff.push(file);
  fs.closeSync(fd);
  return blocks;
}

function note(faults, id, file, position) {
  if (++faults.count <= SHOWN) faults.first.push({ id, places: [{ file, position }] });
}

function findDuplicates(blocks, length, reader, report, pages) {
  const bits = new PagedBitset(pages);
  do {
    const repeated = new Lowest(SHOWN);
    const visit = (id) => {
      if (Number.isSafeInteger(id) && !bits.add(id)) repeated.add(id);
    };
    readBlocks(blocks, () => bits.from, () => bits.end, reader, visit);
    report.duplicates.count += bits.repeats;
    report.distinct += bits.countWithin(0, length);
    const found = repeated.values.filter((id) => id < bits.end);
    const first = report.duplicates.first;
    first.push(...found.slice(0, SHOWN - first.length).map((id) => ({ id, places: [] })));
  } while (bits.moveUp());
  findPlaces(blocks, reader, report.duplicates.first);
}

function findPlaces(blocks, reader, duplicates) {
  for (const { id, places } of duplicates) {
    const visit = (other, position, file) => {
      if (other === id) places.push({ file, position });
    };
    readBlocks(blocks, () => id, () => id + 1, reader, visit);
  }
}

// Those that have numbers from `from` to `end` (exclusive), which may change meanwhile.
function readBlocks(blocks, from, end, reader, visit) {
  for (const { file, position, least, most } of blocks) {
    if (most < from() || least >= end()) continue;
    const fd = fs.openSync(file);
    reader.read(fd, position, (id, at) => visit(id, at, file));
    fs.closeSync(fd);
  }
}

/** The lowest few of the numbers that were added, each once. */
class Lowest {
  values = [];
  #most;

  constructor(most) {
    this.#most = most;
  }

  add(value) {
    const { values } = this;
    if (values.length === this.#most && value >= values.at(-1)) return;
    if (values.includes(value)) return;
    values.push(value);
    values.sort((a, b) => a - b);
    if (values.length > this.#most) values.pop();
  }
}

module.exports = { check };
