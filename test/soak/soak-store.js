'use strict';

const { setTimeout: sleep } = require('node:timers/promises');
const { randomNumbers } = require('../support/random');
const { startMongoProxy } = require('../support/mongo-proxy');
const { startProxy } = require('../support/tcp-proxy');
const { rest } = require('./at-random');
const { Fleet } = require('./fleet');
const { Ledger, isFaulty } = require('./ledger');

const PROCESSES = 6;
const TIMEOUT = 5000; // ms, of the sequences
const ROUND = 10 * 60_000; // ms
const ROUND_IDS = 400_000_000; // 3.2 GB of journals
const LOOK = 200; // ms
const PATIENCE = 2 * 60_000; // ms
// Where the amount is given in ids, a soak ends after 5 minutes, and 10 ms more for each thousand of them.
const longest = (ids) => 5 * 60_000 + ids / 100;

/**
 * Soaks one store: takes ids while `faults` happen, checks them.
 * @param {object} fixture of stores.js
 * @param {object} options `ms`: for how long; or `ids`: until there are so many, and each fault has happened
 *   some times. `signal`, an AbortSignal, ends it early
 * @returns {Promise<object>} what summary.js prints
 */
async function soakStore(fixture, { ids, ms = longest(ids), seed, faults, signal }) {
  const { url, direct, proxy } = await connect(fixture);
  const began = Date.now();
  const soak = {
    url, direct, proxy, fixture, began, seed, signal, faults,
    ledger: new Ledger(fixture, direct, began),
    result: {
      store: fixture.title, url, time: 0, ids: 0, processes: 0,
      reports: [], tallies: [], crashes: [], hangs: [],
    },
  };
  const timesBefore = faults.map(({ times }) => times);
  const isDone = (time, taken) => signal.aborted || time >= ms || (
    taken >= (ids ?? Infinity) && faults.every(({ times, least }, i) => times - timesBefore[i] >= least));
  const { result } = soak;
  for (const fault of faults) await fault.prepare?.(soak);
  try {
    while (!isDone(result.time, result.ids) && !isRed(result)) await soakRound(soak, isDone);
  } finally {
    for (const fault of faults) await fault.cleanUp?.(soak);
    await proxy?.close();
  }
  result.faults = faults.map((fault, i) => ({ ...fault, times: fault.times - timesBefore[i] }));
  result.wanted = signal.aborted ? undefined : ids;
  return result;
}

/** The URL that processes use, and one that leads to the same counters directly. */
async function connect(fixture) {
  const direct = fixture.freshUrl();
  if (fixture.isSql) {
    const proxy = await startProxy(await fixture.address());
    return { url: direct.replace(/:\d+(?=\/)/, `:${proxy.port}`), direct, proxy };
  }
  if (fixture.kind !== 'mongodb') return { url: direct, direct };
  const login = fixture.withLogin(direct);
  const proxy = await startMongoProxy(login ? fixture.addressIn(login) : await fixture.address());
  return { url: proxy.through(login ?? direct), direct, proxy };
}

async function soakRound(soak, isDone) {
  const { url, direct, fixture, began, seed, proxy, signal, faults, ledger, result } = soak;
  const folder = ledger.newFolder();
  const leftOut = faults.flatMap(({ leavesOut }) => leavesOut);
  const job = { url, folder, began, leftOut, timeout: TIMEOUT, seed: seed + 1000 * result.reports.length };
  const fleet = new Fleet(job, PROCESSES, faults.some(({ setsClocks }) => setsClocks));
  const start = performance.now();
  try {
    await firstIds(fleet, signal);
    faults.forEach((fault, i) => {
      const random = randomNumbers(Math.imul(job.seed + 31 * i, 0x9e3779b1));
      fault.start({ fleet, proxy, fixture, folder, url: direct, began, random });
    });
    for (;;) {
      await rest(LOOK, signal);
      const [time, ids] = [performance.now() - start, idsOf(fleet)];
      if (fleet.isBroken || time > ROUND || ids > ROUND_IDS) break;
      if (isDone(result.time + time, result.ids + ids)) break;
    }
    await within(PATIENCE, 'the faults did not stop', Promise.all(faults.map((fault) => fault.stop())));
    await within(PATIENCE, 'the processes did not end', fleet.end());
  } finally {
    fleet.destroy();
  }
  result.time += performance.now() - start;
  result.ids += idsOf(fleet);
  result.processes += fleet.started;
  result.tallies.push(...fleet.tallies);
  result.crashes.push(...fleet.crashes);
  result.hangs.push(...fleet.hangs);
  result.reports.push(...await ledger.close(folder));
}

// A soak that stands still says so.
async function within(ms, problem, promise) {
  const timer = new AbortController();
  const late = sleep(ms, undefined, timer).then(() => {
    throw new Error(`${problem} within ${ms} ms`);
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    timer.abort();
    late.catch(() => {});
  }
}

// Faults find a store with counters in it.
async function firstIds(fleet, signal) {
  while (idsOf(fleet) === 0 && !fleet.isBroken && !signal.aborted) await rest(LOOK, signal);
}

function idsOf(fleet) {
  return fleet.tallies.reduce((sum, { ids }) => sum + ids, 0);
}

function isRed({ crashes, hangs, reports }) {
  return crashes.length > 0 || hangs.length > 0 || reports.some(isFaulty);
}

module.exports = { soakStore };
