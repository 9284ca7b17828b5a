'use strict';

const { show, wrongValue } = require('../errors');
const { SCHEMAS, SCHEMA_NAMES } = require('../stores');
const { identifier } = require('../validators');

const NAMES = SCHEMA_NAMES.join('|');

const SECTION = `For schema, which needs no store:
  --table T      the name of the table (default nextid_counters)
  --schema S     the schema of PostgreSQL, or the database of MySQL (default: the current one)

    nextid schema postgres > migrations/nextid.sql`;

function read([database], { table, schema }) {
  if (!Object.hasOwn(SCHEMAS, database ?? '')) {
    throw wrongValue(`'schema' was given ${database === undefined ? 'no database' : show(database)}`, NAMES);
  }
  if (table !== undefined) identifier('--table', table);
  if (schema !== undefined) identifier('--schema', schema);
  return { database, place: { table, schema } };
}

/** Prints the statement that makes the table of an SQL store. */
async function run(store, { database, place, json }, { output }) {
  const statement = SCHEMAS[database](place);
  await output.write(json ? `${JSON.stringify({ statement })}\n` : `${statement};\n`);
}

module.exports = {
  usage: `nextid schema ${NAMES}`,
  synopsis: `nextid schema ${NAMES} [--table T] [--schema S]`,
  summary: 'Prints the SQL statement that makes the table for counters, for a migration tool.',
  section: SECTION,
  json: '{"statement":…}',
  flags: { table: { value: 'T' }, schema: { value: 'S' } },
  mostOperands: 1,
  needsNoStore: true,
  read,
  run,
};
