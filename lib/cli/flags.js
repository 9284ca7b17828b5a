'use strict';

const { show, wrongValue } = require('../errors');
const { DEFAULT_KIND, KINDS } = require('../kinds');

const READERS = { text: (text) => text, number, bigint: integer, series, encrypt };

/**
 * The flags that the kinds give to `command`, by name, as { value, type, requires, kinds }. `kinds` has what
 * each kind says of the flag, as { kind, help, example }. Flags of several kinds come last.
 */
function kindFlags(command) {
  const found = new Map();
  for (const kind of KINDS) {
    for (const [name, { help, example, ...flag }] of Object.entries(kind.load().cli[command]?.flags ?? {})) {
      if (!found.has(name)) found.set(name, { ...flag, kinds: [] });
      found.get(name).kinds.push({ kind, help, example });
    }
  }
  const isShared = ([, { kinds }]) => Number(kinds.length > 1);
  return Object.fromEntries([...found].sort((a, b) => isShared(a) - isShared(b)));
}

/**
 * The options that `values`, of these `flags` of `command`, stand for. Store knows which options go together.
 */
function optionsOfFlags(command, flags, values) {
  const given = Object.entries(flags).filter(([name]) => values[name] !== undefined);
  for (const [name, { requires, value, refused }] of given) {
    if (refused !== undefined) throw wrongValue(...refused);
    if (requires === undefined || values[requires] !== undefined) continue;
    throw wrongValue(`--${name} requires --${requires}`, `--${requires} --${name} ${value}`);
  }
  for (const [name, { kinds }] of given) {
    const choosers = new Set(kinds.flatMap(({ kind }) => choosersOf(kind, command, toOption(name))));
    if ([...choosers].some((option) => option === undefined || values[option] !== undefined)) continue;
    const wanted = Array.from(choosers, (option) => `--${option}`).join(' or ');
    throw wrongValue(`--${name} requires ${wanted}`, `${wanted} beside it`);
  }
  const options = Object.fromEntries(given.map(([name, { type = 'text' }]) => (
    [toOption(name), READERS[type](values[name], `--${name}`)])));
  for (const { chosenBy, innerOptions } of KINDS) {
    if (innerOptions === undefined || options[chosenBy] === undefined) continue;
    options[chosenBy] = {};
    for (const name of innerOptions.filter((inner) => inner in options)) {
      options[chosenBy][name] = options[name];
      delete options[name];
    }
  }
  return options;
}

// The options that choose `kind` where `option` is given to `command`; undefined if nothing needs to.
function choosersOf(kind, command, option) {
  if (command !== 'advance') return [kind.chosenBy];
  const found = Object.entries(kind.load().advance.chosenBy)
    .filter(([chooser, others]) => chooser === option || others.includes(option)).map(([chooser]) => chooser);
  return found.length === 0 ? [kind.chosenBy] : found;
}

/** The kind that `options`, of a sequence, choose. */
function chosenKind(options) {
  return KINDS.find(({ chosenBy }) => options[chosenBy] !== undefined) ?? DEFAULT_KIND;
}

/** The BigInt that `text` is in decimal digits. `what` names it in messages. */
function integer(text, what) {
  if (!/^\d{1,19}$/.test(text)) {
    throw wrongValue(`${what} is ${show(text)}`, 'an integer in decimal digits');
  }
  return BigInt(text);
}

/** The same as a number. */
function number(text, what) {
  return Number(integer(text, what));
}

/** The option `series` that `text` stands for: 1/3 is the index 1 of 3. */
function series(text, what) {
  const match = /^(\d+)\/(\d+)$/.exec(text);
  if (match === null) throw wrongValue(`${what} is ${show(text)}`, 'INDEX/OF, such as 1/3');
  const [index, of] = match.slice(1).map((digits) => number(digits, what));
  return { of, index };
}

/** The option `encrypt` that `text` stands for: 8:order.key is 8 digits and the key in order.key. */
function encrypt(text, what) {
  const match = /^(\d+):(.+)$/s.exec(text);
  if (match === null) throw wrongValue(`${what} has another form`, 'DIGITS:FILE, such as 8:order.key');
  return { digits: Number(match[1]), key: { file: match[2] } };
}

function toOption(flag) {
  return flag.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
}

module.exports = { chosenKind, integer, kindFlags, number, optionsOfFlags };
