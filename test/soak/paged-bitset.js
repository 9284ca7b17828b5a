'use strict';

const PAGE_BITS = 8192;
const PAGE_WORDS = PAGE_BITS / 32;

/**
 * A set of integers in bounded memory: pages of bits, made where numbers fall. At first it is a set of all
 * integers that are added. When all pages are in use, the upper half of them is given up: from then on it is
 * a set of those below `end` only. moveUp() makes it, empty, the set of those from there on.
 */
class PagedBitset {
  #fromPage = -Infinity;
  #endPage = Infinity;
  #capacity;
  #bits;
  #places = new Map(); // number of a page → its place in #bits
  #free = [];
  #added; // how often a number was added, by place
  #members; // how many different ones
  #page; // the page that was looked at last
  #place;

  /** @param {number} pages at least 2, 1 KiB each */
  constructor(pages) {
    this.#capacity = pages;
    this.#bits = new Uint32Array(pages * PAGE_WORDS);
    this.#added = new Float64Array(pages);
    this.#members = new Uint32Array(pages);
  }

  /** Numbers below are not in the set, even if they were added. */
  get from() {
    return this.#fromPage * PAGE_BITS;
  }

  /** Numbers from here on neither. */
  get end() {
    return this.#endPage * PAGE_BITS;
  }

  /** How often a number was added that was there already. */
  get repeats() {
    let repeats = 0;
    for (const place of this.#places.values()) repeats += this.#added[place] - this.#members[place];
    return repeats;
  }

  /** Returns whether the set lacked `number`, which is a safe integer. Those outside of it are ignored. */
  add(number) {
    const page = Math.floor(number / PAGE_BITS);
    if (page !== this.#page && !this.#turnTo(page)) return true;
    const bit = number - page * PAGE_BITS;
    const word = this.#place * PAGE_WORDS + (bit >>> 5);
    const mask = 1 << (bit & 31);
    this.#added[this.#place]++;
    if ((this.#bits[word] & mask) !== 0) return false;
    this.#bits[word] |= mask;
    this.#members[this.#place]++;
    return true;
  }

  /** How many numbers of the set are from `least` to `limit` (exclusive). */
  countWithin(least, limit) {
    let count = 0;
    for (const [page, place] of this.#places) {
      const first = page * PAGE_BITS;
      if (first >= least && first + PAGE_BITS <= limit) {
        count += this.#members[place];
      } else {
        count += this.#countBits(place, Math.max(least - first, 0), Math.min(limit - first, PAGE_BITS));
      }
    }
    return count;
  }

  #countBits(place, least, limit) {
    let count = 0;
    for (let bit = least; bit < limit; bit++) {
      count += (this.#bits[place * PAGE_WORDS + (bit >>> 5)] >>> (bit & 31)) & 1;
    }
    return count;
  }

  /** Returns false, and does nothing, if there is nothing above. */
  moveUp() {
    if (this.#endPage === Infinity) return false;
    this.#giveUp([...this.#places.keys()]);
    this.#fromPage = this.#endPage;
    this.#endPage = Infinity;
    return true;
  }

  // False if the page is none of this set's.
  #turnTo(page) {
    if (page >= this.#endPage || page < this.#fromPage) return false;
    let place = this.#places.get(page);
    if (place === undefined) {
      if (this.#places.size === this.#capacity) this.#giveUpHalf();
      if (page >= this.#endPage) return false;
      place = this.#free.pop() ?? this.#places.size;
      this.#places.set(page, place);
    }
    this.#page = page;
    this.#place = place;
    return true;
  }

  #giveUpHalf() {
    const upper = [...this.#places.keys()].sort((a, b) => a - b).slice(this.#capacity >> 1);
    this.#giveUp(upper);
    this.#endPage = upper[0];
  }

  #giveUp(pages) {
    for (const page of pages) {
      const place = this.#places.get(page);
      this.#bits.fill(0, place * PAGE_WORDS, (place + 1) * PAGE_WORDS);
      this.#added[place] = this.#members[place] = 0;
      this.#places.delete(page);
      this.#free.push(place);
    }
    this.#page = undefined;
  }
}

module.exports = { PAGE_BITS, PagedBitset };
