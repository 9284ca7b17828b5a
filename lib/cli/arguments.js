'use strict';

const { parseArgs } = require('node:util');

const { Calendar, periodOf } = require('../calendar');
const { didYouMean, show, wrongValue } = require('../errors');

const USAGE = `Usage: nextid next [NAME] [--count N] [KIND OF SEQUENCE]
       nextid list
       nextid advance [NAME] N [KIND OF COUNTER] [--restore]
       nextid prune [NAME] RULES [--dry-run]

  next       takes ids of the sequence NAME ('default' if none is given) and prints them, one a line
  list       prints the counters of the store and the next number of each
  advance    moves the counter of NAME up to N, the number after the last one in use (never down; makes it if
             there is none), and prints where it stands then
  prune      removes dated counters and prints their periods and counts. Without NAME: of the counters that
             have no name

Kinds of sequence, for next (none of them: plain, 1, 2, 3, …; --start N is the first of a new one):
  --period P     dated: hour, day, month or year. Without NAME it takes the counters that have no name
  --cycle M      cyclic: 1 to M, then 1 again
  --timestamp    time-stamped: the time to the microsecond, then digits; --digits N says how many (default 2)
  --format T     how dated and time-stamped ids look: '{YYMMDD}-{count:4}', '{YYYYMMDDhhmmssffffff}{digits}'
  --time-zone Z  of dated and time-stamped ids (default UTC)
    nextid next orders --period day --count 3
    nextid next serial --cycle 99
    nextid next trace --timestamp --digits 3

Kinds of counter, for advance (none of them: plain; N is the next number):
  --period P     dated: that of the present hour, day, month or year; --time-zone Z is that of the sequence
                 (default UTC). Without NAME: of the counters that have no name
  --prefix D     dated: that of the period D, as in 14062513, 140625, 1406 or 14. N is the next count
  --cycle M      cyclic: N is the next id, from 1 to M
  --timestamp    time-stamped, with --digits N and --time-zone Z as for next. N is the next slot
  --restore      also replaces a damaged value, and makes a counter that prune removed: only if you know N
    nextid advance orders 48211
    nextid advance invoices 421 --period year

Rules of prune (the counters of now and later always stay):
  --before D     removes those of before D, a date YYYY-MM-DD or a prefix (150000: of days only)
  --keep-hourly N, --keep-daily N, --keep-weekly N, --keep-monthly N, --keep-yearly N
                 keeps the last one of each of the newest N hours, days, … that have any, and removes others
  --time-zone Z  that of the sequence; without it all periods stay that are current anywhere
  --dry-run      removes nothing and prints what would be
    nextid prune orders --keep-daily 31 --keep-monthly 12 --dry-run

Options:
  --count N      how many ids (default 1); as many as you like: they are not kept in memory
  --store URL    sqlite:PATH or mongodb://HOST/DATABASE (default: $NEXTID_STORE, else sqlite:nextid.db)
  --json         next: one {"name":…,"id":…} a line; advance: {"name":…,"next":…}, dated with "prefix";
                 prune: one {"name":…,"prefix":…,"count":…} a line;
                 list: an array of {"name":…,"kind":…,"next":…}, with "prefix", "cycle", or "digits" and
                 "timeZone" (next is null and there is a "problem" where a counter is damaged). Numbers
                 past 2^53-1 are strings: many readers would round them.
  --             ends the options: a name behind it may begin with -, as in nextid next -- -name
  -h, --help     prints this
  --version      prints the version; with --verbose also where the native modules come from and what is in
                 them

Ids go to stdout, all else to stderr. Interrupted, or with its reader gone, it stops cleanly. An id that was
taken and not read is skipped, never given to another.
Exit codes: 0 done; 1 failed; 2 wrong usage; 130 or 143 stopped by SIGINT or SIGTERM.
`;

const LARGEST_COUNT = BigInt(Number.MAX_SAFE_INTEGER);

const KEEP_OPTIONS = ['keep-hourly', 'keep-daily', 'keep-weekly', 'keep-monthly', 'keep-yearly'];
const OPTIONS = {
  count: { type: 'string' },
  start: { type: 'string' },
  period: { type: 'string' },
  cycle: { type: 'string' },
  timestamp: { type: 'boolean' },
  digits: { type: 'string' },
  format: { type: 'string' },
  'time-zone': { type: 'string' },
  prefix: { type: 'string' },
  restore: { type: 'boolean' },
  before: { type: 'string' },
  ...Object.fromEntries(KEEP_OPTIONS.map((option) => [option, { type: 'string' }])),
  'dry-run': { type: 'boolean' },
  store: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
  verbose: { type: 'boolean' },
};
const EVERYWHERE = ['store', 'json', 'help', 'version'];
const KIND_OPTIONS = ['period', 'cycle', 'timestamp', 'digits', 'format', 'time-zone'];
const COMMANDS = {
  next: { options: ['count', 'start', ...KIND_OPTIONS], read: readNext },
  list: { options: [], read: readList },
  advance: {
    options: ['period', 'prefix', 'cycle', 'timestamp', 'digits', 'time-zone', 'restore'], read: readAdvance,
  },
  prune: { options: ['before', ...KEEP_OPTIONS, 'time-zone', 'dry-run'], read: readPrune },
};

/**
 * What the command line asks for: { command: 'help' | 'version' | 'next' | 'list' | 'advance' | 'prune' }
 * with the command's own values and `store` and `json`. Throws an argument error where it is wrong.
 */
function readArguments(args) {
  refuseUnknownOptions(args);
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) return { command: 'help' };
  if (values.version) return { command: 'version', verbose: values.verbose ?? false };

  const [command, ...operands] = positionals;
  if (command === undefined) throw wrongValue(`a command is missing: ${Object.keys(COMMANDS).join(', ')}`);
  if (!Object.hasOwn(COMMANDS, command)) {
    const known = Object.keys(COMMANDS);
    const all = `; the commands are: ${known.join(', ')}`;
    throw wrongValue(`unknown command ${show(command)}${didYouMean(command, known, all)}`);
  }
  const { options, read } = COMMANDS[command];
  for (const option of Object.keys(values)) {
    if (EVERYWHERE.includes(option) || options.includes(option)) continue;
    throw wrongValue(`'${command}' has no option --${option}`);
  }
  return { command, store: values.store, json: values.json ?? false, ...read(operands, values) };
}

// parseArgs() refuses them too, but cannot say what was meant.
function refuseUnknownOptions(args) {
  const { tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true });
  const unknown = tokens.find(({ kind, name }) => kind === 'option' && !Object.hasOwn(OPTIONS, name));
  if (unknown === undefined) return;
  const otherwise = '; a name that begins with - is given behind --';
  const meant = didYouMean(unknown.rawName, Object.keys(OPTIONS).map((name) => `--${name}`), otherwise);
  throw wrongValue(`unknown option ${show(unknown.rawName)}${meant}`);
}

// `options` are those of Store.sequence(), which knows what goes together.
function readNext([name, ...rest], values) {
  refuseMore(rest);
  const { count = '1', start, period, cycle, timestamp, digits, format, 'time-zone': timeZone } = values;
  const wanted = integer(count, '--count');
  if (wanted < 1n || wanted > LARGEST_COUNT) {
    throw wrongValue(`--count must be from 1 to ${LARGEST_COUNT}; received ${show(count)}`);
  }
  if (digits !== undefined && !timestamp) throw wrongValue('--digits needs --timestamp beside it');
  return {
    name: name ?? (period === undefined ? 'default' : undefined),
    count: Number(wanted),
    options: {
      start: start === undefined ? undefined : integer(start, '--start'),
      period,
      cycle: number(cycle, '--cycle'),
      ...(timestamp
        ? { timestamp: { digits: number(digits, '--digits'), format, timeZone } }
        : { format, timeZone }),
    },
  };
}

function readList(rest) {
  refuseMore(rest);
  return {};
}

// `options` are those of Store.advance().
function readAdvance(operands, { period, prefix, cycle, timestamp, digits, restore, 'time-zone': timeZone }) {
  const isDated = period !== undefined || prefix !== undefined;
  const [name, next, ...rest] = isDated && operands.length === 1 ? [undefined, ...operands] : operands;
  if (next === undefined) throw wrongValue("'advance' needs a name and a number: nextid advance NAME N");
  refuseMore(rest);
  if (digits !== undefined && !timestamp) throw wrongValue('--digits needs --timestamp beside it');
  return {
    name,
    next: integer(next, 'the number N of advance'),
    options: {
      period,
      prefix: number(prefix, '--prefix'),
      cycle: number(cycle, '--cycle'),
      ...(timestamp ? { timestamp: { digits: number(digits, '--digits'), timeZone } } : { timeZone }),
      restore,
    },
  };
}

// `options` are those of Store.prune().
function readPrune([name, ...rest], { before, 'time-zone': timeZone, 'dry-run': dryRun, ...values }) {
  refuseMore(rest);
  const rules = KEEP_OPTIONS.filter((option) => values[option] !== undefined);
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

// What prune() takes as `before`: a number, or the moment when the day begins.
function prefixOrDate(text, timeZone = 'UTC') {
  if (/^\d+$/.test(text)) return Number(text);
  const [, day] = /^20(\d\d-\d\d-\d\d)$/.exec(text) ?? [];
  const prefix = Number(day?.replaceAll('-', ''));
  if (periodOf(prefix) !== 'day') {
    throw wrongValue('--before must be a date YYYY-MM-DD from 2010-01-01 to 2099-12-31, or a prefix ' +
      `such as 150101; received ${show(text)}`);
  }
  return new Date(new Calendar('day', timeZone).boundsOf(prefix).from);
}

function refuseMore([first]) {
  if (first !== undefined) throw wrongValue(`there is an argument too many: ${show(first)}`);
}

function number(text, what) {
  return text === undefined ? undefined : Number(integer(text, what));
}

function integer(text, what) {
  if (!/^\d{1,19}$/.test(text)) {
    throw wrongValue(`${what} must be an integer in digits; received ${show(text)}`);
  }
  return BigInt(text);
}

module.exports = { USAGE, readArguments };
