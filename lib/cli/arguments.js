'use strict';

const { parseArgs } = require('node:util');

const { didYouMean, show, wrongValue } = require('../errors');
const commands = require('./commands');

const NAMES = Object.keys(commands);
const ANY_COMMAND = `${NAMES.slice(0, -1).join(', ')} or ${NAMES.at(-1)}`;
const EVERYWHERE = {
  store: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
};
const OPTIONS = {
  ...Object.fromEntries(Object.values(commands).flatMap(({ flags }) => (
    Object.entries(flags).map(([name, { value }]) => (
      [name, { type: value === undefined ? 'boolean' : 'string' }]))))),
  ...EVERYWHERE,
  verbose: { type: 'boolean' },
};

/**
 * What the command line asks for: { command, store, json } and what the command reads from its arguments, or
 * { command: 'help' }, or { command: 'version', verbose }. Throws an argument error if it is wrong.
 */
function readArguments(args) {
  checkOptions(args);
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  if (values.help) return { command: 'help' };
  if (values.version) return { command: 'version', verbose: values.verbose ?? false };

  const [command, ...operands] = positionals;
  if (command === undefined) throw wrongValue('the command is missing', ANY_COMMAND);
  if (!Object.hasOwn(commands, command)) {
    throw wrongValue(`unknown command ${show(command)}`, ANY_COMMAND,
      didYouMean(command, NAMES));
  }
  const { usage, flags, mostOperands, read } = commands[command];
  const known = [...Object.keys(flags), ...Object.keys(EVERYWHERE)];
  const stranger = Object.keys(values).find((option) => !known.includes(option));
  if (stranger !== undefined) {
    throw wrongValue(`'${command}' has no option --${stranger}`,
      `one of ${known.map((name) => `--${name}`).join(', ')}`);
  }
  const extra = operands[mostOperands];
  if (extra !== undefined) throw wrongValue(`unexpected argument ${show(extra)}`, usage);
  return { command, store: values.store, json: values.json ?? false, ...read(operands, values) };
}

// parseArgs() refuses these too, but does not suggest what was meant.
function checkOptions(args) {
  const { tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true });
  for (const { kind, name, rawName, value, inlineValue } of tokens) {
    if (kind !== 'option') continue;
    if (/^-\d/.test(rawName)) throw wrongValue(`the number ${show(rawName)} is negative`, 'one from 0');
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

module.exports = { readArguments };
