'use strict';

const { inspect, isDeepStrictEqual } = require('node:util');

const { wrongValue } = require('./errors');
const { DEFAULT_KIND, KINDS } = require('./kinds');
const { LONGEST_TIMER } = require('./limits');
const {
  collectionName, identifier, integer, isPlainObject, milliseconds, readOptions,
} = require('./validators');

const MOST_WAITERS = 10_000_000;
const MOST_REFILLS = 64;
// Where in the database of a connection the counters are.
const PLACES = { collection: collectionName, table: identifier, schema: identifier };

/** The options of open(), with defaults. */
function storeOptions(options) {
  const { maxConcurrentRefills = 2, idle, ...places } =
    readOptions(options, ['maxConcurrentRefills', 'idle', ...Object.keys(PLACES)], 'a store');
  for (const [name, value] of Object.entries(places)) {
    if (value !== undefined) PLACES[name](`the option '${name}'`, value);
  }
  if (idle !== undefined) milliseconds("the option 'idle'", idle, 1, LONGEST_TIMER);
  return Object.freeze({
    maxConcurrentRefills: integer("the option 'maxConcurrentRefills'", maxConcurrentRefills, 1, MOST_REFILLS),
    idle, ...places,
  });
}

const COMMON_OPTIONS = ['timeout', 'maxWaiters'];
const KIND_OPTIONS = new Set(KINDS.flatMap(({ options }) => options));
const SEQUENCE_OPTIONS = [...KIND_OPTIONS, ...COMMON_OPTIONS];

/**
 * The options of a sequence, with defaults and in one form: `kind`, those of the kind, times in ms, `step`
 * as { min, max, target }, `start` as a BigInt.
 */
function sequenceOptions(options) {
  refuseInnerOptionsOutside(options);
  const given = readOptions(options, SEQUENCE_OPTIONS, 'a sequence');
  const kind = kindOf(given);
  const own = { kind: kind.name, ...kind.load().readOptions(given) };
  if (kind.neverWaits) return Object.freeze(own);
  const { timeout = 10_000, maxWaiters = 100_000 } = given;
  return Object.freeze({
    ...own,
    timeout: milliseconds("the option 'timeout'", timeout, 1, LONGEST_TIMER),
    maxWaiters: integer("the option 'maxWaiters'", maxWaiters, 1, MOST_WAITERS),
  });
}

// The kind that the options choose. All options must belong to it.
function kindOf(given) {
  const names = Object.keys(given).filter((name) => given[name] !== undefined);
  const choices = KINDS.filter(({ chosenBy }) => names.includes(chosenBy));
  const taken = choices.flatMap(({ alsoTakes = [] }) => alsoTakes);
  const chosen = choices.filter(({ chosenBy }) => !taken.includes(chosenBy));
  if (chosen.length > 1) {
    const [one, other] = chosen;
    throw wrongValue(
      `the options '${one.chosenBy}' and '${other.chosenBy}' choose different kinds of sequence`,
      'one of them', 'leave the other out');
  }
  const [kind = DEFAULT_KIND] = chosen;
  const known = [...kind.options, ...kind.alsoTakes ?? [], ...kind.neverWaits ? [] : COMMON_OPTIONS];
  const stranger = names.find((name) => !known.includes(name));
  if (stranger === undefined) return kind;
  if (kind === DEFAULT_KIND) throw requiresKind(stranger);
  throw wrongValue(`a ${kind.name} sequence (option '${kind.chosenBy}') has no option '${stranger}'`,
    `one of ${known.join(', ')}`);
}

/** The error for an option that was given without the option that chooses its kind. */
function requiresKind(name) {
  const kinds = KINDS.filter(({ chosenBy, options, innerOptions = [] }) => (
    chosenBy !== undefined && (options.includes(name) || innerOptions.includes(name))));
  const choosers = kinds.map(({ chosenBy }) => `'${chosenBy}'`);
  const examples = kinds.map(({ chosenBy, options }) => (
    options.includes(name) ? `{ ${chosenBy}: …, ${name}: … }` : `{ ${chosenBy}: { ${name}: … } }`));
  return wrongValue(`the option '${name}' requires the option ${choosers.join(' or ')}`,
    examples.join(' or '));
}

/** Likely slips: { timestamp: true, digits: 3 } and { digits: 3 } instead of { timestamp: { digits: 3 } }. */
function refuseInnerOptionsOutside(options) {
  if (!isPlainObject(options)) return;
  const given = { ...options };
  for (const { chosenBy, innerOptions = [] } of KINDS) {
    const slipped = innerOptions.find((name) => (
      given[name] !== undefined && (given[chosenBy] !== undefined || !KIND_OPTIONS.has(name))));
    if (slipped === undefined) continue;
    throw wrongValue(`the option '${slipped}' belongs inside '${chosenBy}'`,
      `{ ${chosenBy}: { ${slipped}: … } }`);
  }
}

/**
 * The options of the callback interface, with its defaults, as { store, sequence }. They are checked here, so
 * that a wrong option is refused before the first init_id().
 */
function callbackOptions(options) {
  const known = ['start', 'step', 'timeout', 'maxWaiters', 'maxConcurrentRefills'];
  const { maxConcurrentRefills, start = 1000, step = 10, timeout, maxWaiters } =
    readOptions(options, known, 'the callback interface');
  const store = { maxConcurrentRefills };
  const sequence = { start, step, timeout, maxWaiters };
  storeOptions(store);
  sequenceOptions(sequence);
  return { store, sequence };
}

/** How `b` differs from `a`, both results of sequenceOptions(), in words: `cycle: 99 instead of 100`. */
function differingOptions(a, b) {
  if (a.kind !== b.kind) return [`a ${a.kind} sequence instead of a ${b.kind} one`];
  return Object.keys(a).filter((name) => !isDeepStrictEqual(a[name], b[name]))
    .map((name) => {
      const [wanted, given] = [a[name], b[name]].map(asGiven);
      return wanted === given ? `${name} with the same key` : `${name}: ${wanted} instead of ${given}`;
    });
}

// `start` is kept as a BigInt, whatever it was. A key is not shown.
function asGiven(value) {
  if (typeof value === 'bigint') return String(value);
  return value?.key === undefined ? inspect(value) : inspect({ ...value, key: '…' });
}

module.exports = {
  callbackOptions, differingOptions, refuseInnerOptionsOutside, requiresKind, sequenceOptions,
  storeOptions,
};
