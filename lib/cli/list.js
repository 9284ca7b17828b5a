'use strict';

const { KINDS } = require('../kinds');
const { toTable } = require('./counter-table');
const { quoted } = require('./help-text');
const { toJson } = require('./output');

/** Prints the counters of the store. */
async function run(store, { json }, { output, warn }) {
  const counters = await store.list();
  if (json) {
    const rows = counters.map((counter) => ({ ...counter, next: toJson(counter.next) }));
    await output.write(`${JSON.stringify(rows)}\n`);
  } else if (counters.length === 0) {
    warn(`there are no counters in ${store.url}`);
  } else {
    await output.write(toTable(counters));
  }
}

const FIELDS = [['returned'], ...KINDS.map((kind) => kind.load().cli.list?.json ?? [])]
  .filter(({ length }) => length > 0).map(quoted);

module.exports = {
  usage: 'nextid list',
  synopsis: 'nextid list',
  summary: 'Prints the counters of the store and the next number of each.',
  json: `an array of {"name":…,"kind":…,"next":…}, with ${FIELDS.slice(0, -1).join(', ')}, or ` +
    `${FIELDS.at(-1)}. For a damaged counter next is null and "problem" says why`,
  flags: {},
  mostOperands: 0,
  read: () => ({}),
  run,
};
