'use strict';

const { Calendar } = require('../formats/calendar');
const { clearTimeout, clock, setTimeout } = require('../clock');
const { DatedFormat } = require('../formats/dated-format');
const { LARGEST_NUMBER } = require('../limits');
const { FormattedSequence } = require('../sequence');
const { native, toId, turn } = require('../symbols');

const MINUTE = 60_000; // ms
// Of timers that are not ref'd Node.js keeps a list for each length until its time has come, cleared or not.
// So that these stay few, lengths are whole seconds, up to an hour.
const SECOND = 1000; // ms
const LONGEST_TIMER = 3600 * SECOND;

// How long before the next period begins its counter is opened, in ms.
const LEAD = 10_000;

/**
 * Ids that restart with each calendar period. Its numbers are the counts of the current period: a call that
 * finds the clock in another period makes the addon switch to the counter of that period.
 */
class DatedSequence extends FormattedSequence {
  #calendar;
  #format;
  #prefix;
  #write; // makes ids of #prefix
  #from = 0; // #prefix was found to be right from here
  #until = 0; // to here, exclusive
  #timer;

  static nativeOptions({ step }) {
    return {
      start: 1, stepMin: step.min, stepMax: step.max, stepTarget: step.target, maxNumber: LARGEST_NUMBER,
    };
  }

  constructor(nativeSequence, store, name, options) {
    super(nativeSequence, store, name, options);
    this.#calendar = new Calendar(options.period, options.timeZone);
    this.#format = new DatedFormat(options.period, options.format);
  }

  parse(id) {
    const { prefix, count } = this.#format.parse(id);
    const { from, to } = this.#calendar.boundsOf(prefix);
    return { prefix, count, from: new Date(from), to: new Date(to) };
  }

  stats() {
    return { ...super.stats(), prefix: this.#prefix };
  }

  close() {
    clearTimeout(this.#timer);
    return super.close();
  }

  [turn]() {
    const now = clock.now();
    if (now >= this.#from && now < this.#until) return;
    const prefix = this.#calendar.prefixAt(now);
    if (prefix !== this.#prefix) this.#switchTo(prefix, now);
    // No clock in the world is changed within a minute.
    this.#from = Math.floor(now / MINUTE) * MINUTE;
    this.#until = this.#from + MINUTE;
  }

  [toId](count, prefix = this.#prefix) {
    return prefix === this.#prefix ? this.#write(count) : this.#format.for(prefix)(count);
  }

  #switchTo(prefix, now) {
    const write = this.#format.for(prefix);
    // A prefix on the counts of another period makes ids twice. The switch may fail, and execution may be
    // terminated on the way back from it: until it is over no prefix is known, and the next call switches.
    this.#until = 0;
    this.#prefix = undefined;
    this[native].switchTo(prefix);
    this.#write = write;
    this.#prefix = prefix;
    this.#prepareNext(now);
  }

  // Has the next counter opened LEAD before its period begins, but not before `least` ms are over. Only a
  // call sets this going: a sequence that nobody uses opens no counter but the next.
  #prepareNext(now, least = 0) {
    clearTimeout(this.#timer);
    const { to } = this.#calendar.boundsOf(this.#prefix);
    const wait = Math.ceil(Math.max(to - LEAD - now, least) / SECOND) * SECOND;
    this.#timer = setTimeout(() => this.#onTimer(), Math.min(wait, LONGEST_TIMER));
    this.#timer.unref();
  }

  #onTimer() {
    try {
      const now = clock.now();
      const [prefix, next] = [now, now + LEAD + 1].map((ms) => this.#calendar.prefixAt(ms));
      if (prefix !== this.#prefix) return; // the next call switches
      if (next > prefix) this[native].prepare(next);
      else this.#prepareNext(now, LEAD); // set back, or further than a timer goes
    } catch {
      // The clock shows a time without a prefix. The next call throws it.
    }
  }
}

module.exports = { DatedSequence };
