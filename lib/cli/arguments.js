'use strict';

const { parseArgs } = require('node:util');

const { Calendar, periodOf } = require('../formats/calendar');
const { didYouMean, show, wrongValue } = require('../errors');
const { LARGEST_NUMBER } = require('../limits');

const USAGE = `Usage: nextid next [NAME] [--count N] [KIND OF SEQUENCE]
       nextid list
       nextid advance [NAME] N [KIND OF COUNTER] [--restore]
       nextid prune [NAME] RULES [--dry-run]

Commands:
  next           Prints ids of the sequence NAME (default: 'default'), one per line.
  list           Prints the counters of the store and the next number of each.
  advance        Moves the counter NAME up to N, the number after the last one in use. Creates it
                 if it does not exist; never moves it down. Prints where it stands then.
  prune          Removes dated counters and prints their periods and counts.
                 Without NAME: the dated counters that have no name.

Kinds of sequence, for next (default: plain: 1, 2, 3, …):
  --start N      plain: the first number of a new sequence (default 1)
  --period P     dated: hour, day, month or year. Without NAME: the counters that have no name
  --cycle M      cyclic: 1 to M, then 1 again
  --timestamp    time-stamped: the time to the microsecond, followed by digits
  --digits N     time-stamped: how many digits, 0 to 4 (default 2)
  --format T     dated, time-stamped: what ids look like, such as '{YYMMDD}-{count:4}' or
                 '{YYYYMMDDhhmmssffffff}{digits}'
  --time-zone Z  dated, time-stamped: the time zone of the ids (default UTC)

    nextid next orders --period day --count 3
    nextid next serial --cycle 99
    nextid next trace --timestamp --digits 3

Kinds of counter, for advance (default: plain; N is the next number):
  --period P     dated: the counter of the current hour, day, month or year; N is the next count.
                 Without NAME: the counter that has no name
  --time-zone Z  with --period, --timestamp: the time zone of the sequence (default UTC)
  --prefix D     dated: the counter of the period D, such as 14062513, 140625, 1406 or 14; N is
                 the next count
  --cycle M      cyclic: N is the next id, 1 to M
  --timestamp    time-stamped, with --digits and --time-zone as for next; N is the next slot
  --restore      Also replaces a damaged value and creates a counter that prune removed.
                 Use it only if you know N.

    nextid advance orders 48211
    nextid advance invoices 421 --period year

Rules of prune (the counters of the current period and later ones always stay):
  --before D     Removes counters before D: a date YYYY-MM-DD, or a prefix such as 150000, which
                 concerns only the counters whose prefixes have as many digits (here: days).
  --keep-hourly N, --keep-daily N, --keep-weekly N, --keep-monthly N, --keep-yearly N
                 Keeps the last counter of each of the newest N hours, days, … that have any;
                 removes the others.
  --time-zone Z  the time zone of the sequence. Without it, every period stays that is current
                 anywhere
  --dry-run      Removes nothing; prints what would be removed.

    nextid prune orders --keep-daily 31 --keep-monthly 12 --dry-run

Options:
  --count N      how many ids (default 1). Any number is fine: ids are not kept in memory
  --store URL    sqlite:PATH or mongodb://HOST/DATABASE
                 (default: $NEXTID_STORE, otherwise sqlite:nextid.db)
  --json         Prints JSON:
                   next     one {"name":…,"id":…} per line
                   list     an array of {"name":…,"kind":…,"next":…}, with "prefix", "cycle", or
                            "digits" and "timeZone". For a damaged counter next is null and
                            "problem" says why
                   advance  {"name":…,"next":…}, for dated counters with "prefix"
                   prune    one {"name":…,"prefix":…,"count":…} per line
                 Numbers past 2^53-1 are strings, because many JSON readers would round them.
  --             Ends the options, for a name that begins with -: nextid next -- -name
  -h, --help     Prints this help.
  --version      Prints the version. With --verbose, also prints where the native modules come
                 from and what is linked into them.

Results go to stdout, all other output to stderr. When next creates a plain counter, it says so on
stderr. On SIGINT or SIGTERM, or when its reader is gone, the command stops cleanly. An id that was
taken but not read is skipped and never given again.

Exit codes: 0 success; 1 failure; 2 wrong usage; 130 or 143 stopped by SIGINT or SIGTERM.
`;

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
  next: { usage: 'nextid next [NAME]', options: ['count', 'start', ...KIND_OPTIONS], read: readNext },
  list: { usage: 'nextid list', options: [], read: () => ({}) },
  advance: {
    usage: 'nextid advance NAME N',
    options: ['period', 'prefix', 'cycle', 'timestamp', 'digits', 'time-zone', 'restore'],
    read: readAdvance,
  },
  prune: {
    usage: 'nextid prune [NAME] RULES',
    options: ['before', ...KEEP_OPTIONS, 'time-zone', 'dry-run'],
    read: readPrune,
  },
};
const COMMAND_NAMES = 'next, list, advance or prune';
const MOST_OPERANDS = { next: 1, list: 0, advance: 2, prune: 1 };

/**
 * What the command line asks for: { command: 'help' | 'version' | 'next' | 'list' | 'advance' | 'prune' }
 * with the command's own values and `store` and `json`. Throws an argument error where it is wrong.
 */
function readArguments(args) {
  checkOptions(args);
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) return { command: 'help' };
  if (values.version) return { command: 'version', verbose: values.verbose ?? false };

  const [command, ...operands] = positionals;
  if (command === undefined) throw wrongValue('the command is missing', COMMAND_NAMES);
  if (!Object.hasOwn(COMMANDS, command)) {
    throw wrongValue(`unknown command ${show(command)}`, COMMAND_NAMES,
      didYouMean(command, Object.keys(COMMANDS)));
  }
  const { usage, options, read } = COMMANDS[command];
  const known = [...options, ...EVERYWHERE];
  const stranger = Object.keys(values).find((option) => !known.includes(option));
  if (stranger !== undefined) {
    throw wrongValue(`'${command}' has no option --${stranger}`,
      `one of ${known.map((name) => `--${name}`).join(', ')}`);
  }
  const extra = operands[MOST_OPERANDS[command]];
  if (extra !== undefined) throw wrongValue(`unexpected argument ${show(extra)}`, usage);
  return { command, store: values.store, json: values.json ?? false, ...read(operands, values) };
}

// parseArgs() refuses these too, but does not say what was meant.
function checkOptions(args) {
  const { tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true });
  for (const { kind, name, rawName, value, inlineValue } of tokens) {
    if (kind !== 'option') continue;
    if (!Object.hasOwn(OPTIONS, name)) {
      throw wrongValue(`unknown option ${show(rawName)}`, "an option of 'nextid --help'",
        didYouMean(rawName, Object.keys(OPTIONS).map((known) => `--${known}`),
          'write -- before a name that begins with -'));
    }
    if (OPTIONS[name].type === 'boolean') {
      if (value !== undefined) throw wrongValue(`the option ${rawName} takes no value`, `${rawName} alone`);
    } else if (value === undefined || (!inlineValue && /^-./.test(value))) {
      throw wrongValue(`the option ${rawName} has no value`, `${rawName} VALUE`,
        value && `for a value that begins with -, write ${rawName}=VALUE`);
    }
  }
}

// `options` are those of Store.sequence(), which knows what goes together.
function readNext([name], values) {
  const { count = '1', start, period, cycle, timestamp, digits, format, 'time-zone': timeZone } = values;
  const wanted = integer(count, '--count');
  if (wanted < 1n || wanted > LARGEST_NUMBER) {
    throw wrongValue(`--count is ${show(count)}`, `an integer from 1 to ${LARGEST_NUMBER}`);
  }
  checkDigits(digits, timestamp);
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

// `options` are those of Store.advance().
function readAdvance(operands, { period, prefix, cycle, timestamp, digits, restore, 'time-zone': timeZone }) {
  const isDated = period !== undefined || prefix !== undefined;
  const [name, next] = isDated && operands.length === 1 ? [undefined, ...operands] : operands;
  if (next === undefined) {
    throw wrongValue("the name or the number of 'advance' is missing", COMMANDS.advance.usage);
  }
  checkDigits(digits, timestamp);
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
function readPrune([name], { before, 'time-zone': timeZone, 'dry-run': dryRun, ...values }) {
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

// What prune() takes as `before`: a number, or the start of the day.
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

function checkDigits(digits, timestamp) {
  if (digits === undefined || timestamp) return;
  throw wrongValue('--digits requires --timestamp', '--timestamp --digits N');
}

function number(text, what) {
  return text === undefined ? undefined : Number(integer(text, what));
}

function integer(text, what) {
  if (!/^\d{1,19}$/.test(text)) {
    throw wrongValue(`${what} is ${show(text)}`, 'an integer in decimal digits');
  }
  return BigInt(text);
}

module.exports = { USAGE, readArguments };
