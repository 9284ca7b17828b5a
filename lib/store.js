'use strict';

const { clock, confirmation } = require('./clock');
const { NextIdError, escaped, messageOf, wrongType } = require('./errors');
const { idOf } = require('./formats/series');
const { KINDS, loadKind } = require('./kinds');
const { LARGEST_NUMBER } = require('./limits');
const { differingOptions, sequenceOptions } = require('./options');
const {
  givenBelow, onClosing, onProgress, openSequences, optionsOf, returns, skipTo,
} = require('./symbols');
const { isPlainObject, sequenceName } = require('./validators');
const { log } = require('./watch');

// Some methods call require() themselves, for files that most services never need.

const NAMELESS = ''; // the sequence without a name, whose counters programs without names share
const PRUNED_AT_A_TIME = 500; // counters
const LOOK_AGAIN = 10; // ms

// A number if that is exact, otherwise a BigInt.
const toNumber = (value) => (value <= LARGEST_NUMBER ? Number(value) : value);

/** The database behind the counters; see index.d.ts. Made by open(). */
class Store {
  #native;
  #sequences = new Map();
  #closingSequences = new Map(); // name → Promise of close()
  #advances = new Set(); // running calls, as { name, isDoubtful }
  #givenBelow = new Map(); // of closed sequences, by kind and name: a lower counter is refused
  #lastOptions; // of the sequence opened last
  #closing;

  /**
   * @param {object} native the addon's Store object (native/addon/store_handle.h)
   * @param {string} url without credentials, for messages
   */
  constructor(native, url) {
    this.url = url;
    this.#native = native;
    log('%s: opened', url);
  }

  sequence(name, options) {
    this.#refuseIfClosed();
    if (isPlainObject(name)) return this.#namelessSequence(name);
    sequenceName(name);
    return this.#sequence(name, options, sequenceOptions(options));
  }

  async list() {
    this.#refuseIfClosed();
    const counters = await this.#native.list();
    return counters.map(({ next, ...others }) => {
      if (others.problem !== undefined) others.problem = escaped(others.problem);
      return { ...others, next: next === undefined ? undefined : toNumber(next) };
    });
  }

  async advance(name, next, options) {
    this.#refuseIfClosed();
    const isNameless = ['number', 'bigint'].includes(typeof name) && isPlainObject(next);
    if (isNameless) return this.#advance(NAMELESS, name, next);
    return this.#advance(sequenceName(name), next, options);
  }

  async prune(name, options) {
    this.#refuseIfClosed();
    const isNameless = options === undefined && (name === undefined || isPlainObject(name));
    return isNameless ? this.#prune(NAMELESS, name) : this.#prune(sequenceName(name), options);
  }

  close() {
    if (this.#closing === undefined) {
      // Set first: code of the service (its own clearTimeout) may call close() from within.
      let begin;
      const sequencesClosed = new Promise((resolve) => {
        begin = resolve;
      });
      this.#closing = sequencesClosed.then(() => this.#disconnect());
      begin(this.#closeSequences());
    }
    return this.#closing;
  }

  [Symbol.asyncDispose ?? Symbol.for('nodejs.asyncDispose')]() {
    return this.close();
  }

  [openSequences]() {
    return [...this.#sequences.values()];
  }

  [onClosing](sequence, name, closed) {
    const { kind } = sequence[optionsOf];
    this.#sequences.delete(name);
    for (const advance of this.#advances) advance.isDoubtful ||= advance.name === name;
    const before = this.#closingSequences.get(name);
    const all = Promise.all([before, closed]).then(() => {
      if (this.#closingSequences.get(name) === all) this.#closingSequences.delete(name);
    });
    this.#closingSequences.set(name, all);
    const given = sequence[givenBelow]();
    if (given !== undefined) this.#givenBelow.set(`${kind}:${name}`, given);
  }

  async #advance(name, next, options) {
    const { advanceTarget, refuseOtherKinds } = require('./advance-target');
    const open = this.#sequences.get(name)?.[optionsOf];
    const { isCertain, tell, ...target } = advanceTarget(name, next, options, open, clock.now());
    if (name === NAMELESS && !loadKind(target.kind).canBeNameless) {
      throw nameMissing(next, (kind) => Object.keys(kind.load().advance.chosenBy));
    }
    const advance = { name, isDoubtful: true };
    this.#advances.add(advance);
    try {
      let standsAt;
      let make = isCertain;
      while (advance.isDoubtful) {
        advance.isDoubtful = false; // [onClosing] sets it if a sequence of that name is closed meanwhile
        await this.#closingSequences.get(name); // a range that it returns must not undo advance()
        const returned = await returnsOf(this.#sequences.get(name)); // nor may a range of an open sequence
        this.#refuseIfClosed();
        standsAt = await this.#native.advance({ ...target, name, make });
        if (standsAt === undefined) {
          refuseOtherKinds(name, await this.list(), target);
          make = advance.isDoubtful = true;
          continue;
        }
        // Lower numbers may be in use elsewhere, so this process must not give those in its memory.
        const sequence = this.#sequences.get(name);
        if (sequence?.[optionsOf].kind === target.kind) sequence[skipTo](target.next, target.prefix);
        if (sequence?.[returns]() !== returned) advance.isDoubtful = true;
      }
      const toId = (number) => toNumber(idOf(target.series, BigInt(number)));
      tell({ ...target, next: toId(target.next), isNew: make && !isCertain });
      return toId(standsAt);
    } finally {
      this.#advances.delete(advance);
    }
  }

  async #closeSequences() {
    const closed = Array.from(this.#sequences.values(), (sequence) => sequence.close());
    await Promise.all([...closed, ...this.#closingSequences.values()]);
  }

  async #disconnect() {
    await this.#native.close();
    log('%s: closed', this.url);
  }

  #namelessSequence(options) {
    const wanted = sequenceOptions(options);
    if (!loadKind(wanted.kind).canBeNameless) throw nameMissing(options, (kind) => kind.chosenBy);
    return this.#sequence(NAMELESS, options, wanted);
  }

  #sequence(name, options, wanted) {
    const open = this.#sequences.get(name);
    if (open === undefined) return this.#openSequence(name, wanted);
    if (options === undefined) return open;
    const differing = differingOptions(open[optionsOf], wanted);
    if (differing.length === 0) return open;
    const [which, orNone] = name === NAMELESS
      ? ['without a name', ''] : [`'${name}'`, ', or none to get the open sequence'];
    const message = messageOf(`the sequence ${which} is already open with other options`,
      differing.join(', '), `pass the same options${orNone}`);
    throw new NextIdError(message, { code: 'ERR_NEXTID_OPTIONS_CONFLICT' });
  }

  #openSequence(name, wanted) {
    const options = this.#shared(wanted);
    const { kind, timeout, maxWaiters } = options;
    const { sequenceClass, nativeOptions } = loadKind(kind);
    const SequenceClass = sequenceClass(options);
    const sequence = new SequenceClass(this.#native, this, options, {
      name, kind, timeout, maxWaiters,
      confirmTime: confirmation.time,
      givenBelow: this.#givenBelow.get(`${kind}:${name}`),
      ...nativeOptions(options),
    });
    this.#sequences.set(name, sequence);
    return sequence;
  }

  // Thousands of sequences usually have the same options, so they share one object.
  #shared(options) {
    const last = this.#lastOptions;
    if (last === undefined || differingOptions(last, options).length > 0) this.#lastOptions = options;
    return this.#lastOptions;
  }

  async #prune(name, options) {
    const { currentPeriods, prefixesToRemove, pruneOptions } = require('./prune-rules');
    const open = this.#sequences.get(name)?.[optionsOf];
    const rules = pruneOptions(options, open !== undefined && isPrunable(open) ? open.timeZone : undefined);
    const counters = (await this.#native.list()).filter((counter) => (
      isPrunable(counter) && counter.name === name));
    const current = currentPeriods(clock.now(), rules.timeZone);
    const prefixes = prefixesToRemove(counters.map(({ prefix }) => prefix), rules, current);
    if (!rules.dryRun) await this.#remove(name, prefixes, rules[onProgress]);
    const next = new Map(counters.map((counter) => [counter.prefix, counter.next]));
    return prefixes.map((prefix) => ({
      prefix, count: next.get(prefix) === undefined ? undefined : toNumber(next.get(prefix) - 1n),
    }));
  }

  // In batches, so that a long run can show its progress. All prefixes of a batch have the same length.
  async #remove(name, prefixes, report) {
    let done = 0;
    while (done < prefixes.length) {
      const digits = String(prefixes[done]).length;
      const part = prefixes.slice(done, done + PRUNED_AT_A_TIME)
        .filter((prefix) => String(prefix).length === digits);
      this.#refuseIfClosed();
      await this.#native.prune(name, part);
      done += part.length;
      report(done, prefixes.length);
    }
  }

  #refuseIfClosed() {
    if (this.#closing === undefined) return;
    const message = messageOf(`the store ${this.url} is closed`, 'no calls after close()',
      'to go on, call open() again');
    throw new NextIdError(message, { code: 'ERR_NEXTID_CLOSED' });
  }
}

function isPrunable({ kind }) {
  return loadKind(kind).canBePruned;
}

function nameMissing(received, choosers) {
  const options = KINDS.filter((kind) => kind.load().canBeNameless).flatMap(choosers);
  const names = options.map((option) => `'${option}'`).join(' or ');
  return wrongType('the name of a sequence', `a string (to be left out only with the option ${names})`,
    received);
}

// Waits until no numbers are being returned. Resolves to the number of returns so far, or to undefined if the
// sequence is not open.
async function returnsOf(sequence) {
  while (sequence !== undefined && sequence[returns]() === undefined) {
    await require('node:timers/promises').setTimeout(LOOK_AGAIN);
  }
  return sequence?.[returns]();
}

module.exports = { Store };
