'use strict';

const { randomNumbers } = require('../support/random');
const { startMongoProxy } = require('../support/mongo-proxy');
const { rest } = require('./at-random');
const { Fleet } = require('./fleet');
const { Ledger, isFaulty } = require('./ledger');

const PROCESSES = 6;
const TIMEOUT = 5000; // ms, of the sequences
const ROUND = 10 * 60_000; // ms
const ROUND_IDS = 400_000_000; // 3.2 GB of journals
const LOOK = 200; // ms

/**
 * Soaks one store: takes ids for `ms` while `faults` happen, checks them.
 * @param {object} fixture of stores.js
 * @param {AbortSignal} signal ends it early
 * @returns {Promise<object>} what summary.js prints
 */
async function soakStore(fixture, { ms, seed, faults, signal }) {
  const proxy = fixture.kind === 'mongodb' ? await startMongoProxy(await fixture.address()) : undefined;
  const direct = fixture.freshUrl();
  const began = Date.now();
  const soak = {
    url: proxy ? proxy.through(direct) : direct,
    store: fixture.kind, began, seed, proxy, signal,
    faults: faults.filter(({ stores }) => stores.includes(fixture.kind)),
    ledger: new Ledger(fixture, direct, began),
    result: { store: fixture.kind, time: 0, processes: 0, reports: [], tallies: [], crashes: [], hangs: [] },
  };
  const timesBefore = soak.faults.map(({ times }) => times);
  try {
    while (soak.result.time < ms && !signal.aborted && !isRed(soak.result)) {
      await soakRound(soak, Math.min(ROUND, ms - soak.result.time));
    }
  } finally {
    await proxy?.close();
  }
  soak.result.faults = soak.faults.map(({ name, losesNumbers, times }, i) => (
    { name, losesNumbers, times: times - timesBefore[i] }));
  return soak.result;
}

async function soakRound({ url, began, seed, proxy, signal, faults, ledger, result }, ms) {
  const folder = ledger.newFolder();
  const job = { url, folder, began, timeout: TIMEOUT, seed: seed + 1000 * result.reports.length };
  const fleet = new Fleet(job, PROCESSES);
  const start = performance.now();
  try {
    faults.forEach((fault, i) => {
      fault.start({ fleet, proxy, random: randomNumbers(Math.imul(job.seed + 31 * i, 0x9e3779b1)) });
    });
    while (performance.now() - start < ms && !signal.aborted && !fleet.isBroken && idsOf(fleet) < ROUND_IDS) {
      await rest(LOOK, signal);
    }
    await Promise.all(faults.map((fault) => fault.stop()));
    await fleet.end();
  } finally {
    fleet.destroy();
  }
  result.time += performance.now() - start;
  result.processes += fleet.started;
  result.tallies.push(...fleet.tallies);
  result.crashes.push(...fleet.crashes);
  result.hangs.push(...fleet.hangs);
  result.reports.push(...await ledger.close(folder));
}

function idsOf(fleet) {
  return fleet.tallies.reduce((sum, { ids }) => sum + ids, 0);
}

function isRed({ crashes, hangs, reports }) {
  return crashes.length > 0 || hangs.length > 0 || reports.some(isFaulty);
}

module.exports = { soakStore };
