'use strict';

const { wrongValue } = require('../errors');
const { DEFAULT_KIND, KINDS, loadKind } = require('../kinds');
const { onTarget } = require('../symbols');
const { integer, kindFlags, optionsOfFlags } = require('./flags');
const { examples, flagsHelp, quoted } = require('./help-text');
const { given, toJson } = require('./output');

const USAGE = 'nextid advance NAME N';
const KIND_FLAGS = kindFlags('advance');

const SECTION = `Kinds of counter, for advance (default: plain; N is the next number):
${flagsHelp(KIND_FLAGS, labelOf)}
  --restore      Also replaces a damaged value and creates a counter that prune removed.
                 Use it only if you know N.

${examples('advance')}`;

const FIELDS = KINDS.flatMap((kind) => {
  const { json } = kind.load().cli.advance ?? {};
  return json === undefined ? [] : [`, for ${kind.name} counters with ${quoted(json)}`];
});

function labelOf(kinds) {
  if (kinds.length === 1) return kinds[0].name;
  const choosers = kinds.flatMap(({ chosenBy }) => chosenBy ?? []).map((option) => `--${option}`).join(', ');
  return kinds.includes(DEFAULT_KIND) ? `${DEFAULT_KIND.name}, or with ${choosers}` : `with ${choosers}`;
}

function read(operands, { restore, ...values }) {
  const options = optionsOfFlags('advance', KIND_FLAGS, values);
  const isNameless = operands.length === 1 && canBeNameless(options);
  const [name, next] = isNameless ? [undefined, ...operands] : operands;
  if (next === undefined) throw wrongValue("the name or the number of 'advance' is missing", USAGE);
  return { name, next: integer(next, 'the number N of advance'), options: { ...options, restore } };
}

function canBeNameless(options) {
  return KINDS.map((kind) => kind.load()).some((kind) => (
    kind.canBeNameless && Object.keys(kind.advance.chosenBy).some((option) => option in options)));
}

/** Moves a counter up to `next` and prints where it stands. `options` are those of Store.advance(). */
async function run(store, { name, next, options, json }, { output, warn }) {
  let target;
  const withTarget = { ...options, [onTarget]: (found) => (target = found) };
  const standsAt = await store.advance(...given(name), next, withTarget);
  const kind = loadKind(target.kind).cli.advance ?? {};
  const note = kind.note?.(target);
  if (note !== undefined) warn(note);
  if (target.isNew) {
    const which = name === undefined ? `${target.kind} counter` : `${target.kind} counter '${name}'`;
    warn(`created the ${which} in ${store.url}`);
  }
  const stands = kind.alreadyAt?.(next) ?? `higher than ${next}`;
  if (BigInt(standsAt) !== BigInt(target.next)) warn(`the counter is already ${stands}; it was not changed`);
  const fields = Object.fromEntries((kind.json ?? []).map((field) => [field, target[field]]));
  const line = json ? JSON.stringify({ name: name ?? '', ...fields, next: toJson(standsAt) }) : standsAt;
  await output.write(`${line}\n`);
}

module.exports = {
  usage: USAGE,
  synopsis: 'nextid advance [NAME] N [KIND OF COUNTER] [--restore]',
  summary: 'Moves the counter NAME up to N, the number after the last one in use. Creates it if it does ' +
    'not exist; never moves it down. Prints where it stands then.',
  section: SECTION,
  json: `{"name":…,"next":…}${FIELDS.join('')}`,
  flags: { ...KIND_FLAGS, restore: {} },
  mostOperands: 2,
  read,
  run,
};
