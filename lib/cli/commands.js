'use strict';

const { periodOf } = require('../formats/calendar');
const { didYouMean } = require('../errors');
const { onProgress, onTarget } = require('../symbols');
const { printable, toTable } = require('./counter-table');
const { Progress } = require('./progress');

// A batch is as large as what was printed before it, within these bounds: a short run is one reservation of
// just what it needs, a long one is fast, and a reader that stops early leaves few ids unread.
const SMALLEST_BATCH = 1024;
const LARGEST_BATCH = 16_384;
const LINES_A_WRITE = 4096; // some 64 KiB

const PERIODS = ['year', 'month', 'day', 'hour']; // their prefixes have 2, 4, 6 and 8 digits
const ADJECTIVES = { year: 'yearly', month: 'monthly', day: 'daily', hour: 'hourly' };

/** Prints `count` ids of the sequence `name`, which has the `options`. */
async function next(store, { name, count, options, json }, { output, signal, warn }) {
  const sequence = store.sequence(...withName(name, { ...thrifty(options), ...options }));
  // On a terminal the ids themselves show the progress.
  const progress = new Progress(process.stdout.isTTY ? {} : process.stderr);
  const toLine = json ? (id) => JSON.stringify({ name: name ?? '', id: toJson(id) }) : String;
  try {
    for (let done = 0; done < count;) {
      const batch = Math.min(count - done, Math.max(SMALLEST_BATCH, Math.min(done, LARGEST_BATCH)));
      const ids = await sequence.nextIds(batch, { signal });
      if (done === 0 && isCreation(ids[0], options)) {
        warn(`created the plain counter '${name}' in ${store.url}`);
      }
      await writeLines(output, ids.map(toLine), (written) => progress.show(done + written, count));
      done += batch;
    }
  } finally {
    progress.clear();
  }
}

/** Prints the counters of the store. */
async function list(store, { json }, { output, warn }) {
  const counters = await store.list();
  if (json) {
    const rows = counters.map((counter) => ({ ...counter, next: toJson(counter.next) }));
    await output.write(`${JSON.stringify(rows)}\n`);
  } else if (counters.length === 0) {
    warn(`there are no counters in ${store.url}`);
  } else {
    await output.write(toTable(counters));
  }
}

/** Moves a counter up to `next` and prints where it stands. */
async function advance(store, { name, next, options, json }, { output, warn }) {
  let target;
  const withTarget = { ...options, [onTarget]: (found) => (target = found) };
  const standsAt = await store.advance(...(name === undefined ? [] : [name]), next, withTarget);
  const { prefix, period, timeZone } = target;
  // Another time zone may be in another period.
  if (options.period !== undefined) warn(`the ${period} is ${prefix} (time zone ${timeZone})`);
  const stands = options.cycle === undefined ? `higher than ${next}` : `past ${next} in its round`;
  if (BigInt(standsAt) !== next) warn(`the counter is already ${stands}; it was not changed`);
  const line = json ? JSON.stringify({ name: name ?? '', prefix, next: toJson(standsAt) }) : standsAt;
  await output.write(`${line}\n`);
}

/** Removes dated counters of `name` by the rules in `options`, and prints them. */
async function prune(store, { name, options, json }, { output, signal, warn }) {
  const progress = new Progress(process.stderr);
  const report = (done, total) => {
    progress.show(done, total);
    if (!signal.aborted) return;
    warn(`stopped after removing the oldest ${done} of ${inWords(total)}`);
    throw signal.reason;
  };
  let removed;
  try {
    removed = await store.prune(...withName(name, { ...options, [onProgress]: report }));
  } finally {
    progress.clear();
  }
  const label = name === undefined ? '' : `${printable(name)} `;
  const toLine = json
    ? ({ prefix, count }) => JSON.stringify({ name: name ?? '', prefix, count: toJson(count) })
    : ({ prefix, count }) => `${label}${prefix} ${count ?? '-'}`;
  await writeLines(output, removed.map(toLine));
  if (removed.length === 0) warn(await nothingToRemove(store, name, options.before));
  else if (options.dryRun) warn(`dry run: ${inWords(removed.length)} would be removed`);
  else warn(`removed ${inWords(removed.length)}`);
}

async function nothingToRemove(store, name = '', before = undefined) {
  const dated = (await store.list()).filter(({ kind }) => kind === 'dated');
  const own = dated.filter((counter) => counter.name === name);
  if (own.length === 0) {
    const whose = name === '' ? 'without a name' : `of '${name}'`;
    const others = new Set(dated.map((counter) => counter.name).filter((other) => other !== ''));
    const meant = didYouMean(name, others);
    return `there are no dated counters ${whose} in ${store.url}${meant === undefined ? '' : `; ${meant}`}`;
  }
  const periods = new Set(own.map(({ prefix }) => periodOf(prefix)));
  const asked = PERIODS[String(before).length / 2 - 1];
  const present = PERIODS.filter((period) => periods.has(period));
  if (typeof before !== 'number' || periods.has(asked) || present.length === 0) {
    return 'nothing to remove';
  }
  const whose = name === '' ? 'those without a name' : `those of '${name}'`;
  const kinds = present.map((period) => ADJECTIVES[period]).join(' and ');
  const instead = present.map((period) => prefixLike(period, String(before))).join(' or ');
  return `nothing to remove: --before ${before} is about ${ADJECTIVES[asked]} counters, but ${whose} are ` +
    `${kinds}; use --before ${instead}`;
}

// The beginning of `prefix`, or of the first period in it, as a prefix of `period`.
function prefixLike(period, prefix) {
  const digits = 2 * (PERIODS.indexOf(period) + 1);
  return (prefix + '010100'.slice(prefix.length - 2)).slice(0, digits);
}

// Only the process that creates a plain counter is given its first number; only plain ids are BigInts here.
// Looking for the counter beforehand would cost a request.
function isCreation(first, { start = 1n }) {
  return first === start;
}

// The options that make a sequence reserve just what is printed.
function thrifty({ period, cycle, timestamp }) {
  if (cycle !== undefined || timestamp !== undefined) return {}; // these kinds always do
  // A refill asks for what its waiters need, if that is more than the step: so for no number too many.
  return period === undefined ? { step: 1, bigint: true } : { step: 1 };
}

// For counters without a name, the argument is left out.
function withName(name, options) {
  return name === undefined ? [options] : [name, options];
}

async function writeLines(output, lines, onWritten = () => {}) {
  for (let i = 0; i < lines.length; i += LINES_A_WRITE) {
    const some = lines.slice(i, i + LINES_A_WRITE);
    await output.write(`${some.join('\n')}\n`);
    onWritten(i + some.length);
  }
}

function inWords(count) {
  return count === 1 ? '1 counter' : `${count} counters`;
}

// Strings stay strings.
function toJson(id) {
  if (id === undefined) return null;
  if (typeof id === 'string') return id;
  return id > Number.MAX_SAFE_INTEGER ? String(id) : Number(id);
}

module.exports = { advance, list, next, prune };
