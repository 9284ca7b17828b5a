'use strict';

// Stands for the program sqlite3 on Windows: Node.js's own SQLite, which shares no code with the store under
// test either. Usage: node sqlite3.js [-cmd COMMAND] FILE [SQL], otherwise SQL from standard input, by lines.

const { createInterface } = require('node:readline');
const { DatabaseSync } = require('node:sqlite');

const args = process.argv.slice(2);
if (args[0] === '-version') process.exit();
if (args[0] === '-cmd') args.splice(0, 2);
const database = new DatabaseSync(args[0], { timeout: 30_000 });

const STATEMENTS = /(?:CREATE TRIGGER[^]*?\bEND\b|'[^']*'|[^;'])*/g;

function run(sql) {
  for (const [statement] of sql.matchAll(STATEMENTS)) {
    if (!/\S/.test(statement)) continue;
    const prepared = database.prepare(statement);
    prepared.setReadBigInts(true);
    prepared.setReturnArrays(true);
    for (const row of prepared.all()) console.log(row.map((value) => value ?? '').join('|'));
  }
}

if (args[1] !== undefined) {
  run(args[1]);
  database.close();
} else {
  createInterface({ input: process.stdin }).on('line', (line) => line.startsWith('.') || run(line));
}
