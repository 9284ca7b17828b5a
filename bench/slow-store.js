'use strict';

const { OURS, bufferedPeers } = require('./support/buffered-peers');
const { startDelayingProxy } = require('./support/delaying-proxy');
const { PacedLoad, even } = require('./support/paced-load');
const { withDatabase } = require('./support/stores');

const RATE = 50_000; // calls a second
const HELD = 2 * RATE; // what is used while the store at its slowest is asked twice
const UNAVOIDABLE = `unavoidable with ${HELD.toLocaleString('en')} numbers in memory`;
const BEFORE = 10_000; // ms at the first distance, which do not count

// How far the store is away, one after the other, in ms.
const PHASES = [
  { name: '100 ms away', lasts: 20_000, away: 100 },
  { name: '1 s away', lasts: 30_000, away: 1000 },
  { name: 'gone for 5 s', lasts: 5000, away: 100, gone: true },
  { name: '100 ms away again', lasts: 15_000, away: 100 },
];

// Leaf's rule knows no limit of waiters: ours is not to be spared the ones it would refuse.
const OPTIONS = { maxWaiters: 10_000_000 };

/**
 * The calls that have to wait under any rule that has at most `numbers` in memory, even under one that knows
 * what is to come, by phase.
 *
 * While the store answers, such a rule can ask for more when it has `numbers`: nobody need wait if they last
 * until the answer is there. When it is gone, so many calls have a number, and the others wait. When it is
 * back, the connection has to be made anew: the first answer is a greeting, only the second one brings
 * numbers, and all calls until then wait if nothing is left.
 */
function unavoidable(phases, numbers) {
  const calls = even(RATE);
  let left = numbers;
  return phases.map(({ lasts, away, gone }, i) => {
    const withoutAnswer = gone ? lasts : (phases[i - 1]?.gone ? 2 : 1) * away;
    const needed = calls(withoutAnswer);
    const waiting = Math.max(0, needed - left);
    left = gone ? Math.max(0, left - needed) : numbers;
    return waiting;
  });
}

async function run(openPeer, database, proxy, before, phases) {
  await database.dropDatabase();
  await proxy.delay(phases[0].away);
  const peer = await openPeer(proxy.url);
  const load = new PacedLoad(peer.nextId, even(RATE));
  await load.during(before);
  await load.settled();

  const results = [];
  for (const { lasts, away, gone } of phases) {
    const refills = peer.refills();
    const calls = load.during(lasts);
    await proxy.delay(away);
    if (gone) await proxy.goAway(lasts);
    results.push({ tally: await calls, refills: peer.refills() - refills });
  }
  await load.settled();
  await peer.close();
  return results;
}

const ofPhase = (results, i) => Object.fromEntries(
  Object.entries(results).map(([name, byPhase]) => [name, byPhase[i]]));

const refused = (results) => Object.fromEntries(Object.entries(results).map(
  ([name, byPhase]) => [name, [byPhase.reduce((sum, { tally }) => sum + tally.refused, 0)]]));

// The tables of one phase; `unavoidableWaits` is what unavoidable() says of it.
function tables({ name: phase }, results, unavoidableWaits) {
  const rows = (figureOf) => Object.fromEntries(
    Object.entries(results).map(([name, result]) => [name, [figureOf(result)]]));
  return [
    {
      title: `store ${phase}`, unit: 'calls that waited', better: 'less',
      figures: { ...rows(({ tally }) => tally.waits), [UNAVOIDABLE]: [unavoidableWaits] },
      goals: [{ row: OURS, most: unavoidableWaits }],
    },
    {
      title: `store ${phase}`, unit: 'ms, the longest wait', better: 'less',
      figures: rows(({ tally }) => tally.longestWait),
    },
    { title: `store ${phase}`, unit: 'refills', better: 'less', figures: rows(({ refills }) => refills) },
  ];
}

module.exports = {
  question: `At ${RATE.toLocaleString('en')} calls a second, how many wait for a store that is slow or gone?`,
  needs: 'mongodb',
  run: ({ amount, mongodbUrl }) => withDatabase(mongodbUrl, async (url, database) => {
    const phases = PHASES.map(({ lasts, away, ...others }) => (
      { lasts: amount(lasts), away: amount(away), ...others }));
    const proxy = await startDelayingProxy(url);
    const results = {};
    for (const [name, openPeer] of Object.entries(bufferedPeers(OPTIONS))) {
      results[name] = await run(openPeer, database, proxy, amount(BEFORE), phases);
    }
    await proxy.stop();
    const waits = unavoidable(phases, HELD);
    return [
      ...phases.flatMap((phase, i) => tables(phase, ofPhase(results, i), waits[i])),
      { unit: 'calls refused, in all', better: 'less', figures: refused(results) },
    ];
  }),
};
