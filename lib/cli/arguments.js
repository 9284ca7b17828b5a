'use strict';

const { parseArgs } = require('node:util');

const { didYouMean, show, wrongValue } = require('../errors');

const USAGE = `Usage: nextid next [NAME] [--count N] [--start N]
       nextid list
       nextid advance NAME N

  next       takes ids of the sequence NAME ('default' if none is given) and prints them, one a line
  list       prints the counters of the store and the next number of each
  advance    moves the counter of NAME up to N, the number after the last one in use (never down; makes it
             if there is none), and prints where it stands then

Options:
  --count N      how many ids (default 1); as many as you like: they are not kept in memory
  --start N      the first number of a sequence that is not there yet (default 1)
  --store URL    sqlite:PATH or mongodb://HOST/DATABASE (default: $NEXTID_STORE, else sqlite:nextid.db)
  --json         next: one {"name":…,"id":…} a line; advance: {"name":…,"next":…};
                 list: an array of {"name":…,"kind":…,"next":…} (next is null and there is a "problem" where
                 a counter is damaged). Numbers past 2^53-1 are strings: many readers would round them.
  -h, --help     prints this
  --version      prints the version

Ids go to stdout, all else to stderr. Interrupted, or with its reader gone, it stops cleanly. An id that was
taken and not read is skipped, never given to another.
Exit codes: 0 done; 1 failed; 2 wrong usage; 130 or 143 stopped by SIGINT or SIGTERM.
`;

const LARGEST_COUNT = BigInt(Number.MAX_SAFE_INTEGER);

const OPTIONS = {
  count: { type: 'string' },
  start: { type: 'string' },
  store: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
};
const EVERYWHERE = ['store', 'json', 'help', 'version'];
const COMMANDS = {
  next: { options: ['count', 'start'], read: readNext },
  list: { options: [], read: readList },
  advance: { options: [], read: readAdvance },
};

/**
 * What the command line asks for: { command: 'help' | 'version' | 'next' | 'list' | 'advance' } with the
 * command's own values and `store` and `json`. Throws an argument error where it is wrong.
 */
function readArguments(args) {
  refuseUnknownOptions(args);
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) return { command: 'help' };
  if (values.version) return { command: 'version' };

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
  const meant = didYouMean(unknown.rawName, Object.keys(OPTIONS).map((name) => `--${name}`));
  throw wrongValue(`unknown option ${show(unknown.rawName)}${meant}`);
}

function readNext([name = 'default', ...rest], { count = '1', start }) {
  refuseMore(rest);
  const wanted = integer(count, '--count');
  if (wanted < 1n || wanted > LARGEST_COUNT) {
    throw wrongValue(`--count must be from 1 to ${LARGEST_COUNT}; received ${show(count)}`);
  }
  return { name, count: Number(wanted), start: start === undefined ? undefined : integer(start, '--start') };
}

function readList(rest) {
  refuseMore(rest);
  return {};
}

function readAdvance([name, next, ...rest]) {
  if (next === undefined) throw wrongValue("'advance' needs a name and a number: nextid advance NAME N");
  refuseMore(rest);
  return { name, next: integer(next, 'the number N of advance') };
}

function refuseMore([first]) {
  if (first !== undefined) throw wrongValue(`there is an argument too many: ${show(first)}`);
}

function integer(text, what) {
  if (!/^\d{1,19}$/.test(text)) {
    throw wrongValue(`${what} must be an integer in digits; received ${show(text)}`);
  }
  return BigInt(text);
}

module.exports = { USAGE, readArguments };
