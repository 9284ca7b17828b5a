'use strict';

const { startDelayingProxy } = require('./support/delaying-proxy');
const { OURS, bufferedPeers } = require('./support/buffered-peers');
const { PacedLoad, bursts, even } = require('./support/paced-load');
const { withDatabase } = require('./support/stores');

const RATE = 50_000; // calls a second
const AWAY = 5; // ms
const QUANTILES = [0.5, 0.99, 0.999, 0.9999, 0.99999];
const LIMIT = 'Promise.resolve(i++), the limit';
const undisturbed = (name) => `0.9999 ${name}, calls that did not wait`;

// One peer after the other: there are few cores, and none is to be disturbed by another. The figures of a
// peer are those of the parts, of about 10^6 calls, of one long run in which nothing pauses. Ours has 10
// parts, and Leaf's, which does the same from one segment to the next, 2.
const OUR_PARTS = 10;
const THEIR_PARTS = 2;

// What the processor, its other processes and the garbage collector do to a call that nothing can hold up.
async function openLimit() {
  let i = 0;
  return {
    nextId: () => Promise.resolve(i++), held: () => 0, close: async () => {}, reserved: async () => i,
  };
}

// Schedules, how long a part is, and how long the time before the first one, which does not count. Ms.
function loads(amount) {
  const period = amount(10_000);
  return {
    even: { due: even(RATE), part: 2 * period, before: period },
    'with bursts (10 × for 1 s every 10 s)': {
      due: bursts(RATE, { factor: 10, burst: period / 10, period }), part: period, before: period,
    },
  };
}

async function run(openPeer, database, proxy, { due, part, before }, parts) {
  await database.dropDatabase();
  const peer = await openPeer(proxy.url);
  const load = new PacedLoad(peer.nextId, due);
  const unused = [await load.during(before)];
  await load.settled();

  const tallies = [];
  const held = [];
  for (let i = 0; i < parts; i++) {
    const samples = [];
    const sampler = setInterval(() => samples.push(peer.held()), part / 200);
    tallies.push(await load.during(part));
    clearInterval(sampler);
    held.push(mean(samples));
  }
  await load.settled();
  await peer.close();
  const given = sum([...unused, ...tallies].map(({ calls, refused }) => calls - refused));
  return { tallies, held, lostAtExit: await peer.reserved(database) - given };
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const mean = (values) => sum(values) / values.length;

// Of the whole run: a median over parts would hide the few that have any.
const waitsPerMillion = (tallies) => (
  1e6 * sum(tallies.map(({ waits }) => waits)) / sum(tallies.map(({ calls }) => calls)));

function tables(load, results, limit) {
  const rows = (figuresOf) => Object.fromEntries(
    Object.entries(results).map(([name, result]) => [name, figuresOf(result)]));
  const waits = rows(({ tallies }) => [waitsPerMillion(tallies)]);
  const lost = rows(({ lostAtExit }) => [lostAtExit]);
  const timed = { ...results, [LIMIT]: limit };
  const latency = Object.fromEntries(QUANTILES.flatMap((q) => Object.entries(timed).map(
    ([name, { tallies }]) => [`${q} ${name}`, tallies.map((tally) => tally.within(q))])));
  for (const name of [OURS, LIMIT]) {
    latency[undisturbed(name)] = timed[name].tallies.map((tally) => tally.servedWithin(0.9999));
  }
  const fewest = ({ [OURS]: _, ...others }) => Math.min(...Object.values(others).flat());
  return [
    {
      title: `load ${load}`, unit: 'waits per million calls', better: 'less', figures: waits,
      goals: [{ row: OURS, most: load === 'even' ? 0 : fewest(waits) }],
    },
    {
      title: `load ${load}`, unit: 'numbers lost if the process dies at a random moment', better: 'less',
      figures: rows(({ held }) => held),
    },
    {
      title: `load ${load}`, unit: 'numbers lost at a clean end', better: 'less', figures: lost,
      goals: [{ row: OURS, most: fewest(lost) }],
    },
    {
      title: `load ${load}, how long a call takes, by quantile`, unit: 'µs', better: 'less',
      figures: latency, goals: [{ row: undisturbed(OURS), most: 10 }],
    },
  ];
}

module.exports = {
  question: `How many calls wait at ${RATE.toLocaleString('en')} a second, with the store ${AWAY} ms away?`,
  needs: 'mongodb',
  run: ({ amount, mongodbUrl }) => withDatabase(mongodbUrl, async (url, database) => {
    const proxy = await startDelayingProxy(url);
    await proxy.delay(AWAY);
    const all = [];
    for (const [load, schedule] of Object.entries(loads(amount))) {
      const results = {};
      for (const [name, openPeer] of Object.entries(bufferedPeers())) {
        const parts = name === OURS ? OUR_PARTS : THEIR_PARTS;
        results[name] = await run(openPeer, database, proxy, schedule, parts);
      }
      const limit = await run(openLimit, database, proxy, schedule, THEIR_PARTS);
      all.push(...tables(load, results, limit));
    }
    await proxy.stop();
    return all;
  }),
};
