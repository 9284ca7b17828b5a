'use strict';

const { inspect, isDeepStrictEqual } = require('node:util');

const { NextIdError, messageOf, show, wrongValue } = require('./errors');
const { numberFrom, seriesOption } = require('./formats/series');
const { DEFAULT_KIND, KINDS, loadKind } = require('./kinds');
const { refuseInnerOptionsOutside, requiresKind } = require('./options');
const { onTarget } = require('./symbols');
const { isPlainObject, nextNumber, readOptions, trueOrFalse } = require('./validators');

const CHOICES = KINDS.flatMap((kind) => (
  Object.entries(kind.load().advance.chosenBy).map(([option, others]) => ({ option, others, kind }))));
const OPTIONS = new Set(
  [...CHOICES.flatMap(({ option, others }) => [option, ...others]), 'series', 'restore']);

/**
 * Which counter advance() moves, and where to, as { kind, next, series, restore } and what else the kind says
 * of it. `next` is a number of the counter.
 * `isCertain`: the options name the counter in full, so it may be created without checking which counters
 * have that name. `tell` is for the command line, see onTarget.
 *
 * @param {string} name '' for the counters without a name
 * @param {object} [open] the options of the open sequence of that name; it must be the same kind of counter
 * @param {number} now in ms since 1970
 */
function advanceTarget(name, next, options, open, now) {
  refuseInnerOptionsOutside(options);
  const given = readOptions(options, [...OPTIONS], 'advance()');
  const { restore = false, [onTarget]: tell = () => {} } = given;
  trueOrFalse("the option 'restore'", restore);
  const kind = kindOf(given);
  const likeIt = open?.kind === kind.name ? open : {};
  const series = seriesOf(name, given, likeIt);
  const { least, most, isCertain, ...counter } =
    kind.load().advance.target({ ...given, series }, likeIt, now);
  const number = numberFrom(series, nextNumber(next, least, most));
  const target = { kind: kind.name, ...counter, next: number, series, restore };
  if (open !== undefined && !isSameSort(open, target)) throw otherKind(name, [open], target);
  return { ...target, isCertain, tell };
}

function kindOf(given) {
  const choices = CHOICES.filter(({ option }) => given[option] !== undefined);
  const beside = choices.flatMap(({ others }) => others);
  const [chosen = { kind: DEFAULT_KIND, others: [] }, other] =
    choices.filter(({ option }) => !beside.includes(option));
  if (other !== undefined) {
    throw wrongValue(`the options '${chosen.option}' and '${other.option}' name different counters`,
      'one of them', 'leave the other out');
  }
  const { hasSeries } = chosen.kind.load().advance;
  const known = [chosen.option, ...chosen.others, ...(hasSeries ? ['series'] : []), 'restore'];
  const stranger = Object.keys(given).find((name) => given[name] !== undefined && !known.includes(name));
  if (stranger !== undefined) throw requiresKind(stranger);
  return chosen.kind;
}

// An open sequence knows its series. With another one, the counter would not move as far as the caller wants.
function seriesOf(name, given, open) {
  const series = seriesOption(given.series);
  if (series === undefined || open.kind === undefined || isDeepStrictEqual(series, open.series)) {
    return series ?? open.series;
  }
  const message = messageOf(`the sequence ${show(name)} is open with series: ${inspect(open.series)}`,
    'advance() with the same series, or without it');
  throw new NextIdError(message, { code: 'ERR_NEXTID_OPTIONS_CONFLICT' });
}

/**
 * Throws if there are `counters` of that name, but none that `target` asks for: no sequence would use a new
 * one beside them.
 */
function refuseOtherKinds(name, counters, target) {
  const present = counters.filter((counter) => counter.name === name)
    .map((counter) => loadKind(counter.kind).advance.ofListed?.(counter) ?? counter);
  // A caller whose options choose a kind knows the kind. The rest may still be wrong.
  const likely = target.kind === DEFAULT_KIND.name ? present
    : present.filter(({ kind }) => kind === target.kind);
  if (likely.length > 0 && !likely.some((counter) => isSameSort(counter, target))) {
    throw otherKind(name, likely, target, loadKind(target.kind).advance.remedy?.(target));
  }
}

// Whether `known`, a counter or the options of a sequence, goes with `target`, as far as both say.
function isSameSort(known, target) {
  return known.kind === target.kind && loadKind(known.kind).advance.identity.every((option) => (
    known[option] === undefined || target[option] === undefined || known[option] === target[option]));
}

function otherKind(name, known, target, remedy) {
  const which = name === '' ? 'the sequence without a name' : `the sequence ${show(name)}`;
  const sorts = [...new Map(known.map((one) => [inspect(optionsFor(one)), one])).values()];
  const all = (words) => [...new Set(sorts.map(words))].join(' or ');
  const options = all((one) => (isDefault(one) ? 'no options' : inspect(optionsFor(one))));
  const flags = all((one) => (isDefault(one) ? 'no flags' : flagsFor(optionsFor(one))));
  const asked = `${target.kind} counter${detailsOf(target)}`;
  const message = messageOf(`${which} is ${all(inWords)}, but a ${asked} was asked for`,
    `advance() with ${options} (on the command line: ${flags})`, remedy);
  return new NextIdError(message, { code: 'ERR_NEXTID_OPTIONS_CONFLICT' });
}

// As in "dated (period: 'day')".
function inWords(known) {
  return known.kind + detailsOf(known);
}

function detailsOf(known) {
  return isDefault(known) ? '' : ` (${inspect(optionsFor(known)).slice(2, -2)})`;
}

function isDefault({ kind }) {
  return kind === DEFAULT_KIND.name;
}

// What says to advance() which sort of counter `known` is.
function optionsFor(known) {
  return loadKind(known.kind).advance.toOptions(known);
}

// The flags of the command line for `options`: --timestamp --digits 2 for { timestamp: { digits: 2 } }.
function flagsFor(options) {
  return Object.entries(options).map(([name, value]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) return flag;
    return `${flag} ${isPlainObject(value) ? flagsFor(value) : value}`;
  }).join(' ');
}

module.exports = { advanceTarget, refuseOtherKinds };
