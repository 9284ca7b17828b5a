'use strict';

// Reads the largest number in a column of the store's PostgreSQL or MySQL database, for adopt.

const { NextIdError, didYouMean, messageOf } = require('../errors');
const { LARGEST_BIGINT, LONGEST_TIMER } = require('../limits');

// By store:
//   numbers   the types of columns that are read
//   tables(schema, text)     a query for [schema, table]; of the current schema if `schema` is undefined
//   columns(table, dialect)  one for [column, type, whether the user sees only some of the rows]
// Views are no tables: one may leave out rows.
const DATABASES = {
  postgres: {
    load: () => require('../stores/postgres'),
    numbers: ['smallint', 'integer', 'bigint', 'numeric'],
    tables: (schema, text) => 'SELECT n.nspname::text, c.relname::text ' +
      'FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace ' +
      `WHERE c.relkind IN ('r', 'p', 'f') AND ${schema === undefined
        ? "pg_table_is_visible(c.oid) AND n.nspname <> 'pg_catalog'" : `n.nspname = ${text(schema)}`}`,
    columns: ([schema, table], { quote, text }) => 'SELECT a.attname::text, ' +
      'format_type(coalesce(nullif(t.typbasetype, 0), t.oid), NULL), row_security_active(a.attrelid)::text ' +
      'FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid WHERE NOT a.attisdropped AND ' +
      `a.attnum > 0 AND a.attrelid = ${text(`${quote(schema)}.${quote(table)}`)}::regclass`,
  },
  mysql: {
    load: () => require('../stores/mysql'),
    numbers: ['tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal'],
    tables: (schema, text) => 'SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES ' +
      `WHERE TABLE_TYPE <> 'VIEW' AND TABLE_SCHEMA = ${schema === undefined ? 'DATABASE()' : text(schema)}`,
    columns: ([schema, table], { text }) => "SELECT COLUMN_NAME, DATA_TYPE, 'false' " +
      'FROM information_schema.COLUMNS ' +
      `WHERE TABLE_SCHEMA = ${text(schema)} AND TABLE_NAME = ${text(table)}`,
  },
};
const BY_HAND = 'find the largest number in use yourself, then run nextid advance NAME N';

/** As adopt.js says. `path` is TABLE.COLUMN or SCHEMA.TABLE.COLUMN, spelled as in the database. */
async function readField(parsed, path, signal) {
  const kept = DATABASES[parsed.store];
  const dialect = kept.load().dialectOf(parsed, 1);
  const stopped = new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([readColumn({ ...kept, ...dialect }, path, parsed.shown), stopped]);
  } finally {
    await dialect.database.close();
  }
}

async function readColumn(dialect, path, shown) {
  const { columns, number, numbers, quote, tables, text } = dialect;
  const query = async (sql) => {
    try {
      return (await dialect.database.query(sql, { time: LONGEST_TIMER })).rows;
    } catch (error) {
      throw refusal(dialect.failureOf(error, false, shown), path, shown);
    }
  };
  const [column, table, schema] = path.split('.').reverse();
  const inSchema = schema === undefined ? shown : `'${schema}' of ${shown}`;
  const full = find(await query(tables(schema, text)), 1, `table '${table}' in ${inSchema}`, table);
  const [, type, isPartial] =
    find(await query(columns(full, dialect)), 0, `column '${column}' in the table '${table}'`, column);
  const place = `in the table '${schema === undefined ? table : `${schema}.${table}`}'`;
  if (!numbers.includes(type)) {
    throw new Error(messageOf(`${column} ${place} is of the type ${type}`, numbers.join(', '), BY_HAND));
  }
  if (isPartial === 'true') {
    throw new Error(messageOf(`row-level security hides rows ${place} from the role of the connection`,
      'a role that sees all rows', 'use one with BYPASSRLS'));
  }
  const largest = number(`max(${quote(column)})`);
  const [[found]] = await query(`SELECT ${largest} FROM ${full.map(quote).join('.')}`);
  const what = `the largest ${column} ${place}`;
  if (found === null) return { what: `${what} (there is none yet)`, name: table, largest: 0n };
  const [, digits] = /^(\d+)(?:\.0*)?$/.exec(found) ?? [];
  const most = LARGEST_BIGINT - 1n;
  if (digits === undefined || BigInt(digits) > most) {
    throw new Error(messageOf(`${what} is ${found}`, `a whole number from 0 to ${most}`, BY_HAND));
  }
  return { what, name: table, largest: BigInt(digits) };
}

// The row whose element `i` is `name`.
function find(rows, i, what, name) {
  const found = rows.find((row) => row[i] === name);
  if (found !== undefined) return found;
  throw new Error(messageOf(`there is no ${what} that the user of the connection may see`,
    'TABLE.COLUMN or SCHEMA.TABLE.COLUMN, spelled as in the database',
    didYouMean(name, rows.map((row) => row[i]))));
}

function refusal({ code, message, said }, path, shown) {
  if (code !== 'ERR_NEXTID_ACCESS_DENIED') return new NextIdError(message, { code });
  return new NextIdError(messageOf(`the user of the connection may not read ${path} in ${shown} (${said})`,
    'the right to select', 'run GRANT SELECT for this user'), { code });
}

module.exports = { readField };
