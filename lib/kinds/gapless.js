'use strict';

// Gapless sequences. Their counters are rows that are changed in the caller's own transactions, so nothing of
// them is in memory and core does not know them: lib/stores/gapless-rows.js has the rest.

const { clock, steadyNow } = require('../clock');
const { NextIdError, messageOf, outOfRange, show, wrongThis, wrongValue } = require('../errors');
const { Calendar, periodOf } = require('../formats/calendar');
const { CountFormat } = require('../formats/count-format');
const { DatedFormat } = require('../formats/dated-format');
const { LARGEST_NUMBER } = require('../limits');
const { gaplessRows, givenBelow, onClosing, optionsOf, originOf, returnIfIdle, returns, skipTo } =
  require('../symbols');
const { count, readOptions: readOnly, wholeNumber } = require('../validators');
const { tellOfOpening, tellOfRefill } = require('../watch');

const MAX_IDS = 10_000_000;
const NEVER = null; // in place of a period: the numbers never restart

/** `period` is NEVER without that option. */
function readOptions({ gapless, start, format, period = NEVER, timeZone }) {
  if (gapless !== true) {
    throw wrongValue(`the option 'gapless' is ${show(gapless)}`, 'true', 'leave it out for another kind');
  }
  if (period === NEVER) {
    if (timeZone !== undefined) {
      throw wrongValue("the option 'timeZone' requires the option 'period'", '{ gapless: true, period: … }');
    }
    if (format !== undefined) void new CountFormat(format);
    const first = wholeNumber("the option 'start'", start ?? 1, 1n, LARGEST_NUMBER);
    return { start: Number(first), format, period, timeZone };
  }
  if (start !== undefined) {
    throw wrongValue("the options 'start' and 'period' were given", 'one of them',
      'with a period, each one begins at 1');
  }
  const options = { period, timeZone: timeZone ?? 'UTC' };
  calendarOf(options); // it checks them
  return { start: 1, format: new DatedFormat(period, format).template, ...options };
}

const calendarOf = ({ period, timeZone }) => new Calendar(period, timeZone);

/** The GaplessRows of a store, the addon's Store object. `shown` is its URL for people. */
function rowsOf(nativeStore, shown) {
  const rows = nativeStore[gaplessRows];
  if (rows !== undefined) return rows;
  const { GAPLESS } = require('../stores');
  const message = messageOf(`the store ${shown} cannot keep gapless counters`, `one in ${GAPLESS}`,
    'they are changed in the transaction that writes the row with the id');
  throw new NextIdError(message, { code: 'ERR_NEXTID_STORE_UNSUPPORTED' });
}

/** It has the methods and figures of Sequence, as far as it can. */
class GaplessSequence {
  #rows;
  #store;
  #name;
  #options;
  #calendar;
  #format;
  #closing;
  #figures = { handedOut: 0, refills: 0, failures: 0, waiters: 0, refillTime: 0, lastError: undefined };

  /** As of Sequence. */
  constructor(nativeStore, store, options, { name }) {
    this.#rows = rowsOf(nativeStore, store.url);
    this.#store = store;
    this.#name = this.name = name;
    this.#options = options;
    const { period, format } = options;
    if (period !== NEVER) {
      this.#calendar = calendarOf(options);
      this.#format = new DatedFormat(period, format);
    } else if (format !== undefined) {
      this.#format = new CountFormat(format);
    }
    tellOfOpening(this[originOf]);
  }

  async nextId(options) {
    if (!isGapless(this)) throw wrongThis('nextId');
    return (await this.#take(1, options))[0];
  }

  async nextIds(n, options) {
    if (!isGapless(this)) throw wrongThis('nextIds');
    return this.#take(count(n, 'n', MAX_IDS), options);
  }

  parse(id) {
    if (this.#format === undefined) {
      throw wrongValue('the ids of this sequence are numbers', "the option 'format' or 'period'");
    }
    const { prefix, count: number } = this.#format.parse(id);
    if (prefix === undefined) return { count: number };
    const { from, to } = this.#calendar.boundsOf(prefix);
    return { prefix, count: number, from: new Date(from), to: new Date(to) };
  }

  async ready() {
    this.#refuseIfClosed();
    await this.#rows.ready();
  }

  stats() {
    return {
      name: this.name, inMemory: 0, lost: 0, returned: 0,
      waits: 0, timeouts: 0, waitTime: 0, step: 0, rate: 0,
      refilling: this.#figures.waiters > 0, ...this.#figures,
    };
  }

  close() {
    if (this.#closing === undefined) {
      this.#closing = Promise.resolve();
      this.#store[onClosing](this, this.#name, this.#closing);
    }
    return this.#closing;
  }

  async reserve() {
    throw this.#missing('reserve()', 'a block whose ids are not all used would be a gap',
      'nextIds(n, { transaction }) for n ids that follow each other');
  }

  tryNextId() {
    throw this.#missing('tryNextId()', 'no numbers are kept in memory', 'nextId({ transaction })');
  }

  [Symbol.asyncIterator]() {
    throw this.#missing('async iteration', 'each id is taken in a transaction', 'nextId({ transaction })');
  }

  [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    return this.close();
  }

  // Nothing is in memory: Store has nothing to skip, to return or to remember.
  [skipTo]() {}
  [givenBelow]() {}

  [returns]() {
    return 0;
  }

  [returnIfIdle]() {
    return Promise.resolve();
  }

  get [optionsOf]() {
    return this.#options;
  }

  get [originOf]() {
    return { store: this.#store.url, sequence: this.#name, kind: this.#options.kind };
  }

  async #take(n, options) {
    const { transaction } = readOnly(options, ['transaction'], 'a call of a gapless sequence');
    this.#refuseIfClosed();
    this.#rows.check(transaction);
    const prefix = this.#calendar?.prefixAt(clock.now());
    const last = await this.#watched(n, () => (
      this.#rows.take(transaction, { name: this.#name, prefix }, this.#options.start, n)));
    const write = prefix === undefined ? this.#format?.write : this.#format.for(prefix);
    return Array.from({ length: n }, (_, i) => {
      const number = last - n + 1 + i;
      return write === undefined ? number : write(number);
    });
  }

  async #watched(n, work) {
    const figures = this.#figures;
    const began = steadyNow();
    ++figures.waiters;
    try {
      const result = await work();
      figures.refillTime = steadyNow() - began;
      figures.handedOut += n;
      ++figures.refills;
      figures.lastError = undefined;
      tellOfRefill(this[originOf], figures.refillTime, n);
      return result;
    } catch (error) {
      ++figures.failures;
      figures.lastError = error;
      tellOfRefill(this[originOf], steadyNow() - began, 0, error);
      throw error;
    } finally {
      --figures.waiters;
    }
  }

  #missing(method, reason, instead) {
    return wrongValue(`a gapless sequence has no ${method}, because ${reason}`, instead);
  }

  #refuseIfClosed() {
    if (this.#closing === undefined) return;
    const message = messageOf(`the sequence ${show(this.#name)} is closed`, 'no calls after close()',
      'to go on, open it again with store.sequence(), or with open() if the store is closed');
    throw new NextIdError(message, { code: 'ERR_NEXTID_CLOSED' });
  }

  static isGapless(value) {
    return typeof value === 'object' && value !== null && #rows in value;
  }
}

const { isGapless } = GaplessSequence;

function target({ gapless, period = NEVER, timeZone, prefix }, open, now) {
  const counts = { least: 1n, most: LARGEST_NUMBER };
  if (prefix !== undefined) {
    const named = typeof prefix === 'number' ? periodOf(prefix) : undefined;
    const known = 'the number of a year, month, day or hour, such as 14, 1406, 140625 or 14062513';
    if (named === undefined) throw outOfRange("the option 'prefix'", known, prefix);
    if (period !== NEVER) throw wrongValue("the options 'period' and 'prefix' were given", 'one of them');
    return { prefix, period: named, ...counts, isCertain: true };
  }
  const openZone = period === NEVER ? undefined : open.timeZone;
  const options = readOptions({ gapless, period, timeZone: timeZone ?? openZone });
  if (period === NEVER) return { period, ...counts, isCertain: false };
  const current = calendarOf(options).prefixAt(now);
  return { prefix: current, period, timeZone: options.timeZone, ...counts, isCertain: false };
}

/** 1, 2, 3 … without any gap, each taken in the transaction that uses it. */
module.exports = {
  sequenceClass: () => GaplessSequence,
  rowsOf,
  readOptions,
  nativeOptions: () => ({}),
  advance: {
    chosenBy: { gapless: ['period', 'timeZone', 'prefix'] },
    hasSeries: false,
    target,
    identity: ['period', 'timeZone'],
    toOptions: ({ period, timeZone = 'UTC' }) => ({
      gapless: true, ...(period === NEVER ? {} : { period }), ...(timeZone === 'UTC' ? {} : { timeZone }),
    }),
    ofListed: (counter) => ({
      ...counter, period: counter.prefix === undefined ? NEVER : periodOf(counter.prefix),
    }),
  },
  cli: {
    next: {
      flags: {
        gapless: {
          refused: ["--gapless was given to 'next'", 'a transaction of your program, which has none here',
            'call nextId({ transaction }) where the row with the id is written'],
        },
      },
    },
    advance: {
      flags: {
        gapless: { help: 'the counter of a gapless sequence; with --period or --prefix, of a period' },
      },
      examples: ['invoices 500 --gapless'],
    },
  },
};
