'use strict';

const { latestGiven } = require('./bridge');
const { clearTimeout, clock, confirmation, setImmediate, setTimeout } = require('./clock');
const { NextIdError, escaped, messageOf, wrongType } = require('./errors');
const { idOf } = require('./formats/series');
const { KINDS, loadKind } = require('./kinds');
const { LARGEST_NUMBER } = require('./limits');
const { differingOptions, sequenceOptions } = require('./options');
const {
  gaplessRows, givenBelow, onClosing, onProgress, onUse, openSequences, optionsOf, returnIdle, returnIfIdle,
  returns, skipTo,
} = require('./symbols');
const { isPlainObject, sequenceName } = require('./validators');
const { log } = require('./watch');

// Some methods call require() themselves, for files that most services never need.

const NAMELESS = ''; // the sequence without a name, whose counters programs without names share
const PRUNED_AT_A_TIME = 500; // counters
const LOOK_AGAIN = 10; // ms
const CHECKED_AT_A_TIME = 1000; // sequences, which takes less than a millisecond
const RETURNED_AT_A_TIME = 2; // sequences, so that a refill never waits for many returns

const byName = (a, b) => (a.name < b.name ? -1 : Number(a.name > b.name));

// A number if that is exact, otherwise a BigInt.
const toNumber = (value) => (value <= LARGEST_NUMBER ? Number(value) : value);

/** The database behind the counters; see index.d.ts. Made by open(). */
class Store {
  #native;
  #sequences = new Map(); // those that may hold numbers, by name
  #idleSequences = new Map(); // name → WeakRef of one that has returned its numbers
  #closingSequences = new Map(); // name → Promise of close()
  #advances = new Set(); // running calls, as { name, isDoubtful }
  // Of closed and idle sequences, by kind and name: a lower counter is refused.
  #givenBelow = new Map(KINDS.map(({ name }) => [name, new Map()]));
  #lastOptions; // of the sequence opened last
  #closing;
  #idle; // the option, in ms
  #idleTimer;
  #collected; // a FinalizationRegistry, with the option `idle`

  /**
   * @param {object} native the addon's Store object (native/addon/store_handle.h)
   * @param {string} url without credentials, for messages
   * @param {number} [idle] how long a sequence is not used before it returns its numbers, in ms
   */
  constructor(native, url, idle) {
    this.url = url;
    this.#native = native;
    this.#idle = idle;
    if (idle !== undefined) this.#collected = new FinalizationRegistry((name) => this.#forget(name));
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
    const gapless = await this.#native[gaplessRows]?.list() ?? [];
    const all = gapless.length === 0 ? counters : [...counters, ...gapless].sort(byName);
    return all.map(({ next, ...others }) => {
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
    const idle = Array.from(this.#idleSequences.values(), (reference) => reference.deref());
    return [...this.#sequences.values(), ...idle.filter((sequence) => sequence !== undefined)];
  }

  [onClosing](sequence, name, closed) {
    this.#sequences.delete(name);
    this.#idleSequences.delete(name);
    for (const advance of this.#advances) advance.isDoubtful ||= advance.name === name;
    const before = this.#closingSequences.get(name);
    const all = Promise.all([before, closed]).then(() => {
      if (this.#closingSequences.get(name) === all) this.#closingSequences.delete(name);
    });
    this.#closingSequences.set(name, all);
    this.#remember(sequence, name, sequence[givenBelow]());
  }

  [onUse](sequence, name) {
    this.#idleSequences.delete(name);
    this.#sequences.set(name, sequence);
    this.#watchIdle();
  }

  // A sequence that has given no number since the last call returns all it holds. From then on only its users
  // keep it alive, until it needs a refill.
  async [returnIdle]() {
    let returning = [];
    let checked = 0;
    for (const [name, sequence] of this.#sequences) {
      const returned = sequence[returnIfIdle]();
      if (returned !== undefined) {
        this.#remember(sequence, name, latestGiven(sequence[givenBelow]()));
        this.#sequences.delete(name);
        this.#idleSequences.set(name, new WeakRef(sequence));
        returning.push(returned);
      }
      if (returning.length === RETURNED_AT_A_TIME) {
        await Promise.all(returning);
        returning = [];
      } else if (++checked % CHECKED_AT_A_TIME === 0) {
        await new Promise(setImmediate);
      }
    }
    await Promise.all(returning);
  }

  async #advance(name, next, options) {
    const { advanceTarget, refuseOtherKinds } = require('./advance-target');
    const open = this.#find(name)?.[optionsOf];
    const { isCertain, tell, ...target } = advanceTarget(name, next, options, open, clock.now());
    if (name === NAMELESS && !loadKind(target.kind).canBeNameless) {
      throw nameMissing(next, (kind) => Object.keys(kind.load().advance.chosenBy));
    }
    const counters = loadKind(target.kind).rowsOf?.(this.#native, this.url) ?? this.#native;
    const advance = { name, isDoubtful: true };
    this.#advances.add(advance);
    try {
      let standsAt;
      let make = isCertain;
      while (advance.isDoubtful) {
        advance.isDoubtful = false; // [onClosing] sets it if a sequence of that name is closed meanwhile
        await this.#closingSequences.get(name); // a range that it returns must not undo advance()
        const sequence = this.#find(name);
        const returned = await returnsOf(sequence); // nor may a range of an open sequence
        this.#refuseIfClosed();
        standsAt = await counters.advance({ ...target, name, make });
        if (standsAt === undefined) {
          refuseOtherKinds(name, await this.list(), target);
          make = advance.isDoubtful = true;
          continue;
        }
        // Lower numbers may be in use elsewhere, so this process must not give those in its memory.
        const current = this.#find(name);
        if (current?.[optionsOf].kind === target.kind) current[skipTo](target.next, target.prefix);
        if (current !== sequence || current?.[returns]() !== returned) advance.isDoubtful = true;
      }
      const toId = (number) => toNumber(idOf(target.series, BigInt(number)));
      tell({ ...target, next: toId(target.next), isNew: make && !isCertain });
      return toId(standsAt);
    } finally {
      this.#advances.delete(advance);
    }
  }

  async #closeSequences() {
    clearTimeout(this.#idleTimer);
    const closed = this[openSequences]().map((sequence) => sequence.close());
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
    const open = this.#find(name);
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
      givenBelow: this.#givenBelow.get(kind).get(name),
      ...nativeOptions(options),
    });
    this.#sequences.set(name, sequence);
    if (this.#collected !== undefined) {
      this.#collected.register(sequence, name);
      this.#watchIdle();
    }
    return sequence;
  }

  // A sequence of this name was garbage-collected. Another one may be open by now.
  #forget(name) {
    if (this.#idleSequences.get(name)?.deref() === undefined) this.#idleSequences.delete(name);
  }

  #find(name) {
    return this.#sequences.get(name) ?? this.#idleSequences.get(name)?.deref();
  }

  #remember(sequence, name, given) {
    if (given !== undefined) this.#givenBelow.get(sequence[optionsOf].kind).set(name, given);
  }

  // The timer runs only while sequences may hold numbers. So a store that nobody uses can be collected.
  #watchIdle() {
    if (this.#idleTimer !== undefined || this.#closing !== undefined) return;
    this.#idleTimer = setTimeout(() => this.#onIdleTimer(), this.#idle);
    this.#idleTimer.unref();
  }

  async #onIdleTimer() {
    try {
      await this[returnIdle]();
    } catch {
      // Memory or the stack ran out. The next time tries again.
    }
    this.#idleTimer = undefined;
    if (this.#sequences.size > 0) this.#watchIdle();
  }

  // Thousands of sequences usually have the same options, so they share one object.
  #shared(options) {
    const last = this.#lastOptions;
    if (last === undefined || differingOptions(last, options).length > 0) this.#lastOptions = options;
    return this.#lastOptions;
  }

  async #prune(name, options) {
    const { currentPeriods, prefixesToRemove, pruneOptions } = require('./prune-rules');
    const open = this.#find(name)?.[optionsOf];
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
