'use strict';

const { inspect } = require('node:util');

const { Calendar, periodOf } = require('./formats/calendar');
const { NextIdError, messageOf, show, wrongType, wrongValue } = require('./errors');
const { LARGEST_NUMBER } = require('./limits');
const { refuseTimestampOptionsOutside, requiresKind, sequenceOptions } = require('./options');
const { slotLimit } = require('./formats/timestamp-format');
const { onTarget } = require('./symbols');
const { nextNumber, readOptions, trueOrFalse } = require('./validators');

const OPTIONS = ['period', 'timeZone', 'prefix', 'cycle', 'timestamp', 'restore'];
const CHOOSE = { period: 'dated', prefix: 'dated', cycle: 'cyclic', timestamp: 'time-stamped' };

/**
 * Which counter advance() is to move, and where to, as { kind, prefix, period, cycle, digits, timeZone, next,
 * restore }, as far as its kind has them. `isCertain` says that the options name the counter in full: it may
 * be made without a look at what else bears the name.
 *
 * @param {string} name '' for the counters without a name
 * @param {object} [open] the options of the open sequence of that name; it must be the same kind of counter
 * @param {number} now in ms since 1970
 */
function advanceTarget(name, next, options, open, now) {
  refuseTimestampOptionsOutside(options);
  const given = readOptions(options, OPTIONS, 'advance()');
  const { restore = false, [onTarget]: tell = () => {} } = given;
  trueOrFalse("the option 'restore'", restore);
  const kind = kindOf(given);
  const { least, most, ...counter } = READ[kind](given, open?.kind === kind ? open : {}, now);
  const target = { kind, ...counter, next: nextNumber(next, least, most), restore };
  if (open !== undefined && !isSameSort(open, target)) throw otherKind(name, [open], target);
  tell(target);
  return { ...target, isCertain: kind !== 'plain' && given.period === undefined };
}

function kindOf(given) {
  const [chosen, other] = Object.keys(CHOOSE).filter((option) => given[option] !== undefined);
  if (other !== undefined) {
    throw wrongValue(`the options '${chosen}' and '${other}' name different counters`, 'one of them',
      'leave the other out');
  }
  if (given.timeZone !== undefined && given.period === undefined) {
    throw requiresKind('timeZone');
  }
  return CHOOSE[chosen] ?? 'plain';
}

// By kind, of the options given and those of the open sequence: the counter, and what `next` may be.
const READ = {
  'plain': () => ({}),
  'dated': ({ period, timeZone, prefix }, open, now) => {
    const counts = { least: 1n, most: LARGEST_NUMBER };
    if (prefix !== undefined) return { prefix, period: periodNamedBy(prefix), ...counts };
    const options = sequenceOptions({ period, timeZone: timeZone ?? open.timeZone });
    const current = new Calendar(period, options.timeZone).prefixAt(now);
    return { prefix: current, period, timeZone: options.timeZone, ...counts };
  },
  'cyclic': ({ cycle }) => {
    sequenceOptions({ cycle });
    return { cycle, least: 1n, most: BigInt(cycle) };
  },
  'time-stamped': ({ timestamp }, open) => {
    const own = timestamp === true ? {} : timestamp;
    if (timestamp !== true) sequenceOptions({ timestamp }); // throws if it is not an object
    const { digits = open.digits, timeZone = open.timeZone } =
      readOptions(own, ['digits', 'timeZone'], "'timestamp' of advance()");
    const options = sequenceOptions({ timestamp: { digits, timeZone } });
    return {
      digits: options.digits, timeZone: options.timeZone, least: 1n, most: slotLimit(options.digits) - 1n,
    };
  },
};

function periodNamedBy(prefix) {
  const what = "the option 'prefix'";
  if (typeof prefix !== 'number') throw wrongType(what, 'a number such as 140625', prefix);
  const period = periodOf(prefix);
  if (period !== undefined) return period;
  throw wrongValue(`${what} is ${show(prefix)}`,
    'the number of a year, month, day or hour, such as 14, 1406, 140625 or 14062513');
}

/**
 * Throws if there are `counters` of that name, and none as `target` asks for: a new one beside them would be
 * one that no sequence uses.
 */
function refuseOtherKinds(name, counters, target) {
  const present = counters.filter((counter) => counter.name === name)
    .map((counter) => ({ ...counter, period: periodOf(counter.prefix) }));
  // A caller that asks for a dated counter knows the kind. The period may still be wrong.
  const likely = target.kind === 'plain' ? present : present.filter(({ kind }) => kind === target.kind);
  if (likely.length > 0 && !likely.some((counter) => isSameSort(counter, target))) {
    throw otherKind(name, likely, target, target.kind === 'dated'
      ? `for a counter of another period, pass { prefix: ${target.prefix} } (--prefix ${target.prefix})`
      : undefined);
  }
}

// Whether `known`, a counter or the options of a sequence, goes with `target`. Dated counters know no zone.
function isSameSort(known, target) {
  if (known.kind !== target.kind) return false;
  return ['period', 'timeZone', 'cycle', 'digits'].every((option) => (
    known[option] === undefined || target[option] === undefined || known[option] === target[option]));
}

function otherKind(name, known, target, remedy) {
  const which = name === '' ? 'the sequence without a name' : `the sequence ${show(name)}`;
  const sorts = [...new Map(known.map((one) => [inspect(optionsOf(one)), one])).values()];
  const all = (words) => [...new Set(sorts.map(words))].join(' or ');
  const options = all((one) => (one.kind === 'plain' ? 'no options' : inspect(optionsOf(one))));
  const flags = all((one) => (one.kind === 'plain' ? 'no flags' : flagsOf(one)));
  const message = messageOf(`${which} is ${all(inWords)}, but a ${askedFor(target)} was asked for`,
    `advance() with ${options} (on the command line: ${flags})`, remedy);
  return new NextIdError(message, { code: 'ERR_NEXTID_OPTIONS_CONFLICT' });
}

// As in "dated (period: 'day')".
function inWords(known) {
  return known.kind + detailsOf(known);
}

function askedFor(target) {
  return `${target.kind} counter${detailsOf(target)}`;
}

function detailsOf(known) {
  return known.kind === 'plain' ? '' : ` (${inspect(optionsOf(known)).slice(2, -2)})`;
}

// What says to advance() which sort of counter it is.
function optionsOf({ kind, period, timeZone = 'UTC', cycle, digits }) {
  const zone = timeZone === 'UTC' ? {} : { timeZone };
  switch (kind) {
    case 'dated': return { period, ...zone };
    case 'cyclic': return { cycle };
    case 'time-stamped': return { timestamp: { digits, ...zone } };
    default: return {};
  }
}

function flagsOf({ kind, period, timeZone = 'UTC', cycle, digits }) {
  const zone = timeZone === 'UTC' ? '' : ` --time-zone ${timeZone}`;
  switch (kind) {
    case 'dated': return `--period ${period}${zone}`;
    case 'cyclic': return `--cycle ${cycle}`;
    default: return `--timestamp --digits ${digits}${zone}`;
  }
}

module.exports = { advanceTarget, refuseOtherKinds };
