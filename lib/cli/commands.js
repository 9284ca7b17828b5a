'use strict';

const { onTarget } = require('../advance-target');
const { periodOf } = require('../calendar');
const { didYouMean } = require('../errors');
const { onProgress } = require('../prune-rules');
const { printable, toTable } = require('./counter-table');
const { Progress } = require('./progress');

// As many ids are taken at a time as were printed already, between these two: a short run is one reservation
// of just what it needs, a long one is fast, and a reader that stops early makes few ids go unread.
const SMALLEST_BATCH = 1024;
const LARGEST_BATCH = 16_384;
const LINES_A_WRITE = 4096; // some 64 KiB

const PERIODS = ['year', 'month', 'day', 'hour']; // their prefixes have 2, 4, 6 and 8 digits
const ADJECTIVES = { year: 'yearly', month: 'monthly', day: 'daily', hour: 'hourly' };

/** Prints `count` ids of the sequence `name`, which has the `options`. */
async function next(store, { name, count, options, json }, { output, signal }) {
  const sequence = store.sequence(...withName(name, { ...thrifty(options), ...options }));
  // On a terminal the ids themselves show the progress.
  const progress = new Progress(process.stdout.isTTY ? {} : process.stderr);
  const toLine = json ? (id) => JSON.stringify({ name: name ?? '', id: toJson(id) }) : String;
  try {
    for (let done = 0; done < count;) {
      const batch = Math.min(count - done, Math.max(SMALLEST_BATCH, Math.min(done, LARGEST_BATCH)));
      const ids = await sequence.nextIds(batch, { signal });
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
  // In another time zone it may be another.
  if (options.period !== undefined) warn(`the ${period} is ${prefix} (time zone ${timeZone})`);
  const isCyclic = options.cycle !== undefined;
  const stands = isCyclic ? `has passed ${next} in its round` : `stands higher than ${next}`;
  if (BigInt(standsAt) !== next) warn(`the counter ${stands} already; it was left as it is`);
  const line = json ? JSON.stringify({ name: name ?? '', prefix, next: toJson(standsAt) }) : standsAt;
  await output.write(`${line}\n`);
}

/** Removes dated counters of `name` by the rules in `options`, and prints them. */
async function prune(store, { name, options, json }, { output, signal, warn }) {
  const progress = new Progress(process.stderr);
  const report = (done, total) => {
    progress.show(done, total);
    if (!signal.aborted) return;
    warn(`stopped; removed ${inWords(done)} of ${total}, the oldest`);
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
  else if (options.dryRun) warn(`dry run: nothing was removed; ${inWords(removed.length)} would be`);
  else warn(`removed ${inWords(removed.length)}`);
}

async function nothingToRemove(store, name = '', before = undefined) {
  const dated = (await store.list()).filter(({ kind }) => kind === 'dated');
  const own = dated.filter((counter) => counter.name === name);
  if (own.length === 0) {
    const whose = name === '' ? 'without a name' : `of '${name}'`;
    const others = new Set(dated.map((counter) => counter.name).filter((other) => other !== ''));
    return `there are no dated counters ${whose} in ${store.url}${didYouMean(name, others)}`;
  }
  const periods = new Set(own.map(({ prefix }) => periodOf(prefix)));
  const asked = PERIODS[String(before).length / 2 - 1];
  const present = PERIODS.filter((period) => periods.has(period));
  if (typeof before !== 'number' || periods.has(asked) || present.length === 0) {
    return 'there is nothing to remove';
  }
  const whose = name === '' ? 'those without a name' : `those of '${name}'`;
  const kinds = present.map((period) => ADJECTIVES[period]).join(' and ');
  const instead = present.map((period) => prefixLike(period, String(before))).join(' or ');
  return `there is nothing to remove: --before ${before} is about ${ADJECTIVES[asked]} counters, and ` +
    `${whose} are ${kinds}; give --before ${instead}`;
}

// The beginning of `prefix`, or of the first period in it, as a prefix of `period`.
function prefixLike(period, prefix) {
  const digits = 2 * (PERIODS.indexOf(period) + 1);
  return (prefix + '010100'.slice(prefix.length - 2)).slice(0, digits);
}

// The options that make a sequence reserve just what is printed.
function thrifty({ period, cycle, timestamp }) {
  if (cycle !== undefined || timestamp !== undefined) return {}; // it is their way anyhow
  // Step 1: a refill asks for what its waiters need if that is more, and so for no number too many.
  return period === undefined ? { step: 1, bigint: true } : { step: 1 };
}

// Counters without a name are asked for by leaving it out.
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

// Ids that are texts stay so.
function toJson(id) {
  if (id === undefined) return null;
  if (typeof id === 'string') return id;
  return id > Number.MAX_SAFE_INTEGER ? String(id) : Number(id);
}

module.exports = { advance, list, next, prune };
