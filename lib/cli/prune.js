'use strict';

const { didYouMean, show, wrongValue } = require('../errors');
const { Calendar, periodOf } = require('../formats/calendar');
const { loadKind } = require('../kinds');
const { onProgress } = require('../symbols');
const { printable } = require('./counter-table');
const { number } = require('./flags');
const { given, toJson, writeLines } = require('./output');
const { Progress } = require('./progress');

const PERIODS = ['year', 'month', 'day', 'hour']; // their prefixes have 2, 4, 6 and 8 digits
const ADJECTIVES = { year: 'yearly', month: 'monthly', day: 'daily', hour: 'hourly' };
const KEEP_FLAGS = ['keep-hourly', 'keep-daily', 'keep-weekly', 'keep-monthly', 'keep-yearly'];

const SECTION = `Rules of prune (the counters of the current period and later ones always stay):
  --before D     Removes counters before D: a date YYYY-MM-DD, or a prefix such as 150000, which
                 concerns only the counters whose prefixes have as many digits (here: days).
  --keep-hourly N, --keep-daily N, --keep-weekly N, --keep-monthly N, --keep-yearly N
                 Keeps the last counter of each of the newest N hours, days, … that have any;
                 removes the others.
  --time-zone Z  the time zone of the sequence. Without it, every period stays that is current
                 anywhere
  --dry-run      Removes nothing; prints what would be removed.

    nextid prune orders --keep-daily 31 --keep-monthly 12 --dry-run`;

function read([name], { before, 'time-zone': timeZone, 'dry-run': dryRun, ...values }) {
  const rules = KEEP_FLAGS.filter((option) => values[option] !== undefined);
  if (before === undefined && rules.length === 0) {
    throw wrongValue("'prune' was given no rule", '--before D, or flags such as --keep-daily N, or both');
  }
  const keep = rules.map((option) => (
    [option.slice('keep-'.length), number(values[option], `--${option}`)]));
  return {
    name,
    options: {
      before: before === undefined ? undefined : prefixOrDate(before, timeZone),
      keep: rules.length === 0 ? undefined : Object.fromEntries(keep),
      dryRun,
      timeZone,
    },
  };
}

// The option `before`: a prefix as a number, or the start of the day as a Date.
function prefixOrDate(text, timeZone = 'UTC') {
  if (/^\d+$/.test(text)) return Number(text);
  const [, day] = /^20(\d\d-\d\d-\d\d)$/.exec(text) ?? [];
  const prefix = Number(day?.replaceAll('-', ''));
  if (periodOf(prefix) !== 'day') {
    throw wrongValue(`--before is ${show(text)}`,
      'a date YYYY-MM-DD from 2010-01-01 to 2099-12-31, or a prefix such as 150101');
  }
  return new Date(new Calendar('day', timeZone).boundsOf(prefix).from);
}

/** Removes counters of `name` by the rules in `options`, those of Store.prune(), and prints them. */
async function run(store, { name, options, json }, { output, signal, warn }) {
  const progress = new Progress(process.stderr);
  const report = (done, total) => {
    progress.show(done, total);
    if (!signal.aborted) return;
    warn(`stopped after removing the oldest ${done} of ${inWords(total)}`);
    throw signal.reason;
  };
  let removed;
  try {
    removed = await store.prune(...given(name), { ...options, [onProgress]: report });
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
  const dated = (await store.list()).filter(({ kind }) => loadKind(kind).canBePruned);
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

function inWords(count) {
  return count === 1 ? '1 counter' : `${count} counters`;
}

module.exports = {
  usage: 'nextid prune [NAME] RULES',
  synopsis: 'nextid prune [NAME] RULES [--dry-run]',
  summary: 'Removes dated counters and prints their periods and counts.\n' +
    'Without NAME: the dated counters that have no name.',
  section: SECTION,
  json: 'one {"name":…,"prefix":…,"count":…} per line',
  flags: {
    'before': { value: 'D' },
    ...Object.fromEntries(KEEP_FLAGS.map((flag) => [flag, { value: 'N' }])),
    'time-zone': { value: 'Z' },
    'dry-run': {},
  },
  mostOperands: 1,
  read,
  run,
};
