'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { measure } = require('./support/rounds');
const { withDatabase, withFolder } = require('./support/stores');

// A round takes a few milliseconds, and how fast a disk syncs changes sooner than in seven of them.
const PARTS = 4;

// The milliseconds that the task of support/start-up-task.js takes in a new process.
async function msInNewProcess(task, store) {
  const child = fork(path.join(__dirname, 'support/start-up-task.js'), [task], {
    execArgv: [], env: { ...process.env, START_UP_STORE: store }, // no argument: it may hold a password
  });
  const [[ms]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
  return ms;
}

// The same as a figure for measure().
const inNewProcess = (task, store) => () => msInNewProcess(task, store);

function table(title, figures, peers) {
  const [own] = Object.keys(figures);
  return {
    title, unit: 'milliseconds', better: 'less', baseline: own, figures,
    goals: peers.map((peer) => ({ row: own, of: peer, most: 1 })),
  };
}

async function loading(rounds) {
  const figures = await measure({
    "require('nextid')": inNewProcess('require nextid'),
    "require('better-sqlite3')": inNewProcess('require better-sqlite3'),
    "require('mongodb')": inNewProcess('require mongodb'),
  }, rounds);
  return table('Loading the package', figures, ["require('better-sqlite3')", "require('mongodb')"]);
}

// In all below the package is loaded already.

async function firstIdOfNewSqlite(folder, rounds) {
  let files = 0;
  const newFile = () => path.join(folder, `${files++}.db`);
  const figures = await measure({
    nextid: () => msInNewProcess('first id of nextid', `sqlite:${newFile()}`),
    'better-sqlite3': () => msInNewProcess('first id of better-sqlite3', newFile()),
  }, rounds);
  return table('SQLite: make a file, open it and first id', figures, ['better-sqlite3']);
}

// In the next two the counter is there, as where a service starts again: the round that does not count has
// made it.

async function firstIdOfSqlite(folder, rounds) {
  const figures = await measure({
    nextid: inNewProcess('first id of nextid', `sqlite:${path.join(folder, 'nextid.db')}`),
    'better-sqlite3': inNewProcess('first id of better-sqlite3', path.join(folder, 'better-sqlite3.db')),
  }, rounds);
  return table('SQLite: open a file that is there and first id', figures, ['better-sqlite3']);
}

async function firstIdOfMongodb(url, rounds) {
  const figures = await measure({
    nextid: inNewProcess('first id of nextid', url),
    mongodb: inNewProcess('first id of mongodb', url),
  }, rounds);
  return table('MongoDB: connect and first id', figures, ['mongodb']);
}

module.exports = {
  question: 'How long does it take to load the package, and how long until it gives its first id?',
  run: async ({ rounds, mongodbUrl }) => {
    const tables = [await loading(rounds)];
    for (const firstId of [firstIdOfNewSqlite, firstIdOfSqlite]) {
      tables.push(await withFolder((folder) => firstId(folder, PARTS * rounds)));
    }
    if (mongodbUrl === undefined) return tables;
    return [...tables, await withDatabase(mongodbUrl, (url) => firstIdOfMongodb(url, rounds))];
  },
};
