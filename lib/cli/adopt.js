'use strict';

const { refuseOtherKinds } = require('../advance-target');
const { escaped, show, wrongValue } = require('../errors');
const { DEFAULT_KIND } = require('../kinds');
const { defaultStoreUrl, parseSource } = require('../stores');
const { sequenceName } = require('../validators');
const { toJson } = require('./output');

const USAGE = 'nextid adopt TABLE.COLUMN';
const PACKAGE = 'mongoose-sequence';

// By store, what reads the numbers that other programs keep in the same database. `form` is that of a path
// and `isPath` its pattern. `parsed` is what parseSource() returned. Each number found is { what, name,
// largest }: in words what is `largest`, and the name of the sequence that is to continue; or
// { what, problem }.
//   readField(parsed, path, signal)   the largest number in a column or field
//   readPackage(parsed, signal)       an array: the counters of the package
const SQL = {
  form: 'TABLE.COLUMN or SCHEMA.TABLE.COLUMN', isPath: /^[^.]+(\.[^.]+){1,2}$/,
  load: () => require('./adopt-sql'),
};
const SOURCES = {
  mongodb: {
    form: 'COLLECTION.FIELD', isPath: /^[^.$]+(\.[^.$]+)+$/, load: () => require('./adopt-mongodb'),
  },
  postgres: SQL,
  mysql: SQL,
};
const STORES = 'a mongodb:, postgres: or mysql: store';

const SECTION = `For adopt, which needs ${STORES}:
  --sequence S   the sequence that continues the numbers (default: the name of the table or
                 collection)
  --apply        Moves the counters up. Without it, adopt only prints what it would do.
                 For a mongodb: store, your project needs the package mongodb or mongoose.

    nextid adopt orders.id --store postgres://localhost/shop
    nextid adopt orders.orderNumber --store mongodb://localhost/shop`;

function read([path], { sequence, apply = false, store }) {
  if (path !== PACKAGE && !/[^.]\.[^.]/.test(path ?? '')) {
    throw wrongValue("'adopt' requires a column or field that holds numbers in use",
      `TABLE.COLUMN, in MongoDB COLLECTION.FIELD, such as orders.id, or '${PACKAGE}'`);
  }
  if (sequence !== undefined) {
    if (path === PACKAGE) throw wrongValue(`--sequence cannot be used with '${PACKAGE}'`, USAGE);
    sequenceName(sequence);
  }
  const parsed = parseSource(store ?? defaultStoreUrl());
  if (!Object.hasOwn(SOURCES, parsed.store)) {
    throw wrongValue(`'adopt' cannot read your data in ${parsed.shown}`, STORES,
      'find the largest number in use yourself, then run nextid advance NAME N');
  }
  const { form, isPath } = SOURCES[parsed.store];
  if (path === PACKAGE ? parsed.store !== 'mongodb' : !isPath.test(path)) {
    throw wrongValue(`'adopt' was given ${show(path)} for ${parsed.shown}`, form);
  }
  return { path, sequence, apply, parsed };
}

/** Moves the plain counters past the numbers in use, or prints what it would do. */
async function run(store, { path, sequence, apply, parsed, json }, { output, signal, warn }) {
  const counters = byName(await store.list());
  const source = SOURCES[parsed.store].load();
  const found = path === PACKAGE ? await source.readPackage(parsed, signal)
    : [{ ...await source.readField(parsed, path, signal), ...sequence && { name: sequence } }];
  for (const { what, name, largest, problem } of found) {
    if (problem !== undefined) {
      warn(`skipped ${what}: ${problem}`);
      continue;
    }
    const next = largest + 1n;
    const stood = standsAt(name, counters.get(name) ?? []);
    // Also where the counter is not moved: numbers below that were returned to it may be in use.
    const stands = apply ? BigInt(await store.advance(name, next)) : stood > next ? stood : next;
    const isMoved = stands === next && stood !== next;
    const done = isMoved ? `${apply ? 'set' : 'would set'} the sequence '${name}' to ${next}`
      : `the sequence '${name}' already stands at ${stands}`;
    await output.write(json
      ? `${JSON.stringify({ name, largest: toJson(largest), next: toJson(stands), applied: apply })}\n`
      : `${escaped(`${what} is ${largest}; ${done}`)}\n`);
  }
  if (!apply) warn('dry run: nothing was changed; run it again with --apply');
  const skipped = found.filter(({ problem }) => problem !== undefined).length;
  if (skipped === 0) return;
  throw new Error(`skipped ${skipped} of ${found.length} counters; for these, run nextid advance NAME N`);
}

function byName(counters) {
  const found = new Map();
  for (const counter of counters) {
    if (!found.has(counter.name)) found.set(counter.name, []);
    found.get(counter.name).push(counter);
  }
  return found;
}

// Throws where advance() would.
function standsAt(name, counters) {
  const plain = counters.find(({ kind }) => kind === DEFAULT_KIND.name);
  if (plain === undefined) refuseOtherKinds(name, counters, { kind: DEFAULT_KIND.name });
  if (plain?.problem !== undefined) throw new Error(`the counter '${name}' is damaged: ${plain.problem}`);
  return BigInt(plain?.next ?? 0);
}

module.exports = {
  usage: USAGE,
  synopsis: `${USAGE} [--sequence S] [--apply]\n       nextid adopt ${PACKAGE} [--apply]`,
  summary: 'Moves plain counters past numbers that are in use: the largest value of a column, of a field ' +
    `COLLECTION.FIELD in MongoDB, or the counters of the package ${PACKAGE}. Creates them if they do not ` +
    'exist. A dry run without --apply.',
  section: SECTION,
  json: 'one {"name":…,"largest":…,"next":…,"applied":…} per line',
  flags: { sequence: { value: 'S' }, apply: {} },
  mostOperands: 1,
  read,
  run,
};
