'use strict';

// Takes ids by four processes from the cluster of failover-servers.sh while its leader is killed three times
// and frozen once, and looks for ids given twice: with PostgreSQL, then with MongoDB through FerretDB. To be
// run by `failover-servers.sh with`. The last line says the result.

const assert = require('node:assert');
const { execFile } = require('node:child_process');
const fs = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const { promisify } = require('node:util');
const { open } = require('../..');
const { PostgresFixture } = require('../support/sql-stores');
const { MongoFixture } = require('../support/stores');
const { Fleet } = require('./fleet');
const { Ledger } = require('./ledger');
const { summarize } = require('./summary');
const { WorkerProcess } = require('./worker-process');

const PROCESSES = 4;
const TIMEOUT = 5000; // ms, of the sequences
const PATIENCE = 120_000; // ms, for the cluster and for the processes
const IN_FLIGHT = 1500; // ms in which processes may still tell of what the old leader did
const LOOK = 100; // ms
const LAG = 500; // ms

const { NEXTID_TEST_FAILOVER_SCRIPT: SCRIPT, NEXTID_TEST_FAILOVER_REST_PORTS: PORTS } = process.env;

const server = (command, member) => promisify(execFile)(SCRIPT, [command, member]);
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** What happens to the leader, and how it comes back. */
const FAULTS = {
  'killed': { strike: ({ name }) => server('kill', name), undo: 'restart' },
  // Commits that nobody waited for would be lost.
  'killed while its standbys lag': {
    async strike({ name }, standbys) {
      await Promise.all(standbys.map((standby) => server('freeze', standby.name)));
      await sleep(LAG);
      await server('kill', name);
      await Promise.all(standbys.map((standby) => server('thaw', standby.name)));
    },
    undo: 'restart',
  },
  // When it wakes up, it takes itself for the leader for a moment.
  'frozen': { strike: ({ name }) => server('freeze', name), undo: 'thaw' },
};
const PLAN = ['killed', 'killed while its standbys lag', 'killed', 'frozen'];

/** Resolves with what `find` resolves with, as soon as that is neither false nor undefined. */
async function until(what, find) {
  for (const end = performance.now() + PATIENCE; performance.now() < end; await sleep(LOOK)) {
    const found = await find();
    if (found) return found;
  }
  throw new Error(`there is no ${what} after ${seconds(PATIENCE)}`);
}

/** [{ name, role, state, port }], as any member says that answers. */
async function members() {
  for (const port of PORTS.split(' ')) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/cluster`, { signal: AbortSignal.timeout(1000) });
      return (await answer.json()).members;
    } catch {
      // dead or frozen
    }
  }
  return [];
}

/** Resolves with the leader, the synchronous standby and the third member, once all are well. */
function wholeCluster() {
  return until('leader with two standbys', async () => {
    const all = await members();
    const find = (wanted, well) => all.find(({ role, state }) => role === wanted && state === well);
    const [leader, standby, other] = [
      find('leader', 'running'), find('sync_standby', 'streaming'), find('replica', 'streaming'),
    ];
    return leader && standby && other && [leader, standby, other];
  });
}

function newLeader({ name: last }) {
  return until('new leader', async () => (await members()).find(({ name, role, state }) => (
    role === 'leader' && state === 'running' && name !== last)));
}

/** Resolves when each sequence of each process has given ids in calls that were made from now on. */
async function allServed(fleet) {
  await sleep(IN_FLIGHT);
  const before = fleet.tallies.map(({ served }) => served);
  // One call may have been under way. Cyclic ids without a step come from the database, one by one.
  const isServed = ({ served }, i) => served.length > 0 &&
    served.every((calls, j) => calls > (before[i][j] ?? 0) + 1);
  await until('id in some process', () => fleet.isBroken || fleet.tallies.every(isServed));
}

/** One of PLAN. Resolves with the ms until all processes had ids again. */
async function failOver(title, fault, fleet, startStray) {
  const [leader, ...standbys] = await wholeCluster();
  const { strike, undo } = FAULTS[fault];
  const stray = startStray(leader);
  await sleep(3000 + 5000 * Math.random());
  const began = performance.now();
  await strike(leader, standbys);
  const { name } = await newLeader(leader);
  const led = performance.now() - began;
  await allServed(fleet);
  const served = performance.now() - began;
  await server(undo, leader.name);
  await wholeCluster();
  const crash = await stray?.end();
  if (crash !== undefined) fleet.crashes.push(crash);
  console.log(`${title}: ${leader.name} ${fault}: ${name} leads after ${seconds(led)}, all have ids after ` +
    `${seconds(served)}, ${leader.name} is back after ${seconds(performance.now() - began)}`);
  return served;
}

// The package postgres would not tell of a commit that no standby has confirmed.
async function checkRefusal(url) {
  const sql = require('postgres')(url.replace(/\?.*/, ''));
  const store = open(sql);
  try {
    const refusal = { code: 'ERR_NEXTID_STORE_INVALID', message: /standbys/ };
    await assert.rejects(store.sequence('orders').nextId(), refusal);
  } finally {
    await store.close();
    await sql.end();
  }
}

/** Resolves with [whether all was well, a line that says so]. */
async function run(title, fixture) {
  await fixture.start();
  if (fixture.isSql) await checkRefusal(fixture.serverUrl());
  const [began, start] = [Date.now(), performance.now()];
  const url = fixture.freshUrl();
  const ledger = new Ledger(fixture, url, began);
  const folder = ledger.newFolder();
  const seed = Math.floor(2 ** 30 * Math.random());
  const job = { url, folder, began, leftOut: [], timeout: TIMEOUT, seed };
  const fleet = new Fleet(job, PROCESSES, false);
  const abandon = () => {
    fleet.destroy();
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.on('exit', abandon);
  // A service that does not know of another leader: its own writes must be refused. FerretDB does know.
  const stray = (number) => ({ port }) => (fixture.isSql
    ? new WorkerProcess({ ...job, process: number, url: url.replace(/:\d+(?=\/)/, `:${port}`) })
    : undefined);
  const times = [];
  try {
    await allServed(fleet);
    for (const [i, fault] of PLAN.entries()) {
      times.push(await failOver(title, fault, fleet, stray(PROCESSES + 1 + i)));
    }
    await allServed(fleet);
    await fleet.end();
  } finally {
    fleet.destroy();
  }
  const reports = await ledger.close(folder);
  process.off('exit', abandon); // what shows a duplicate is kept
  const { lines, problems } = summarize({
    store: title, time: performance.now() - start, processes: fleet.started, tallies: fleet.tallies,
    crashes: fleet.crashes, hangs: fleet.hangs, reports,
    faults: Object.keys(FAULTS).map((name) => ({
      name: `leader ${name}`, times: PLAN.filter((fault) => fault === name).length, losesNumbers: true,
      refusals: [],
    })),
  });
  if (fleet.started > PROCESSES) problems.push('a process was started again');
  console.log([...lines, ''].join('\n'));
  for (const problem of problems) console.error(`  *** ${problem}`);
  await fixture.stop();
  const ids = reports.reduce((sum, report) => sum + report.ids, 0).toLocaleString('en');
  const isWell = problems.length === 0;
  return [isWell, `${title}: ${times.length} failovers, ${ids} ids of ${PROCESSES} processes, ${isWell
    ? `none twice, order kept, all work again after at most ${seconds(Math.max(...times))}`
    : 'and problems, see above'}`];
}

async function main() {
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const results = [
    await run('PostgreSQL', new PostgresFixture()),
    await run('FerretDB', new MongoFixture()),
  ];
  if (!results.every(([isWell]) => isWell)) process.exitCode = 1;
  console.log(results.map(([, line]) => line).join('; '));
}

main().catch((error) => {
  console.error(error);
  console.log(`failed: ${error.message}`);
  process.exit(1);
});
