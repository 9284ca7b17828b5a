'use strict';

// The registry of the kinds of sequence, in the order of messages and of the help.

// Only the default kind is loaded with the package, because loading all would take twice as long.
const plain = require('./plain');

/**
 * The option that chooses a kind, and the file that defines the rest.
 *
 * @typedef {object} Kind
 * @property {string} name what `kind` shows to users, and what the addon calls it
 * @property {string} [chosenBy] the option that chooses it. The default kind has none
 * @property {string[]} options its options, except those that all kinds have
 * @property {string[]} [innerOptions] the options inside `chosenBy`, if it takes an object
 * @property {string[]} [alsoTakes] options of another kind, which do not choose that one beside `chosenBy`
 * @property {boolean} [neverWaits] whether the options about waiting calls have no meaning for it
 * @property {function(): KindFile} load
 */

/**
 * What the file of a kind exports.
 *
 * @typedef {object} KindFile
 * @property {boolean} [canBeNameless] whether its counters may have no name
 * @property {boolean} [canBePruned] whether prune() removes its counters
 * @property {function} sequenceClass (options): Sequence, or a subclass of FormattedSequence
 * @property {function} readOptions (given): checks the options, and returns them with defaults
 * @property {function} [rowsOf] (nativeStore, url): for a kind that is not in core, the object of a store
 *   that has the counters: list(), and advance() as of the addon's Store object. Throws if there is none
 * @property {function} nativeOptions (options): the options of the addon's Sequence object, see to_options()
 *   in native/addon/sequence_handle.cpp
 * @property {object} advance how advance() names a counter:
 *   - chosenBy: each option that chooses it, with the options that may accompany that one
 *   - hasSeries: whether the option `series` may accompany them
 *   - target(given, open, now): the counter, as { …, least, most, isCertain }. `open` has the options of the
 *     open sequence of this kind, or is empty. `next` must be from `least` to `most`. `isCertain`: the
 *     options name the counter in full, so it may be created without checking which counters have that name
 *   - identity: in which properties an option, a counter and a target must not differ
 *   - toOptions(known): the options of advance() for a counter of this identity
 *   - ofListed(counter): what list() returned, with all of the identity that it shows
 *   - remedy(target): what to do if `target` is not the counter that exists
 * @property {object} cli its part of the command line, by command:
 *   - next: `flags`; `examples`; `options` that make a sequence reserve no more than it prints
 *   - list: `columns`, as { title, show(counter) }; `json`, its fields; `showNext(counter)`
 *   - advance: `flags`; `examples`; `json`, its fields; `note(target)`, a line for stderr;
 *     `alreadyAt(next)`, the words for a counter that is further than `next`
 *   A flag is { value, help }, and sets the option of the same name. `value` stands for it in the help; a
 *   flag without one is true. `type` is 'number', 'bigint', 'series' or 'encrypt' unless the value is text.
 *   `requires` is another flag. `refused` has the parts of the message of a flag that is never right. If
 *   several kinds have a flag, the help shows it once, with the `example` of each.
 */

/** @type {Kind[]} */
const KINDS = [
  { name: 'plain', options: ['start', 'step', 'bigint', 'format', 'series', 'encrypt'], load: () => plain },
  {
    name: 'dated', chosenBy: 'period',
    options: ['period', 'timeZone', 'format', 'step', 'series', 'encrypt'],
    load: () => require('./dated'),
  },
  {
    name: 'cyclic', chosenBy: 'cycle', options: ['cycle', 'step', 'format', 'series', 'encrypt'],
    load: () => require('./cyclic'),
  },
  {
    name: 'time-stamped', chosenBy: 'timestamp', options: ['timestamp'],
    innerOptions: ['digits', 'timeZone', 'format', 'maxAge', 'maxSkew'],
    load: () => require('./timestamped'),
  },
  {
    name: 'gapless', chosenBy: 'gapless', options: ['gapless', 'start', 'format'],
    alsoTakes: ['period', 'timeZone'], neverWaits: true, load: () => require('./gapless'),
  },
];

const DEFAULT_KIND = KINDS.find(({ chosenBy }) => chosenBy === undefined);

/** The file of the kind `name`. */
function loadKind(name) {
  return KINDS.find((kind) => kind.name === name).load();
}

module.exports = { DEFAULT_KIND, KINDS, loadKind };
