'use strict';

const path = require('node:path');

const Database = require('better-sqlite3');
const { open } = require('..');
const { takeInBulk } = require('./support/bulk');
const { measure, perSecond } = require('./support/rounds');
const { withFolder } = require('./support/stores');

const NEXTID = 'await nextId(), default options';
const BULK = 'await nextIds(1000), default options, every id used';
const SAME_PROMISE = 'better-sqlite3, synchronous=FULL: as durable as nextid';
const RECOMMENDED = 'better-sqlite3, WAL as it recommends: a power cut may bring ids back';

async function awaited(sequence, ids) {
  for (let n = 0; n < ids; n++) await sequence.nextId();
  return ids;
}

// One UPDATE … RETURNING an id, in WAL mode, as the documentation of better-sqlite3 recommends. In this mode
// it sets synchronous=NORMAL unless it is told otherwise.
function betterSqlite3(file, pragma) {
  const database = new Database(file);
  database.pragma('journal_mode = WAL');
  if (pragma !== undefined) database.pragma(pragma);
  database.exec('CREATE TABLE counters (name TEXT PRIMARY KEY, next INTEGER NOT NULL)');
  database.prepare('INSERT INTO counters VALUES (?, 1)').run('orders');
  const update = database.prepare(
    'UPDATE counters SET next = next + 1 WHERE name = ? RETURNING next - 1').pluck();
  const take = (ids) => {
    let last;
    for (let n = 0; n < ids; n++) last = update.get('orders');
    return last === undefined ? 0 : ids;
  };
  return { take, close: () => database.close() };
}

module.exports = {
  question: 'How many ids a second does a process get over SQLite, as long as it likes?',
  run: ({ rounds, amount }) => withFolder(async (folder) => {
    const store = open(`sqlite:${path.join(folder, 'nextid.db')}`);
    const sequence = store.sequence('orders');
    const imported = store.sequence('imported');
    const durable = betterSqlite3(path.join(folder, 'full.db'), 'synchronous = FULL');
    const recommended = betterSqlite3(path.join(folder, 'normal.db'));
    const figures = await measure({
      [NEXTID]: perSecond(() => awaited(sequence, amount(10_000_000))),
      [BULK]: perSecond(() => takeInBulk(imported, amount(50_000_000))),
      [SAME_PROMISE]: perSecond(() => durable.take(amount(1000))),
      [RECOMMENDED]: perSecond(() => recommended.take(amount(100_000))),
    }, rounds);
    durable.close();
    recommended.close();
    await store.close();
    return [{
      unit: 'ids a second, one caller', better: 'more', baseline: SAME_PROMISE, figures,
      // A Promise an id allows some 300 times the last row and no more, whatever is behind it.
      goals: [[NEXTID, SAME_PROMISE], [NEXTID, RECOMMENDED], [BULK, RECOMMENDED]].map(([row, of]) => (
        { row, of, least: 1000 })),
    }];
  }),
};
