'use strict';

const { MongoClient } = require('mongodb');
const { open } = require('../..');
const { LeafSequence } = require('./leaf');

const NAME = 'orders';

/**
 * A way to have numbers in memory before they are asked for, over the MongoDB server of `url`.
 * @typedef {object} Peer
 * @property {() => Promise<number>} nextId
 * @property {() => number} held numbers that are lost if the process dies now: in memory, or on their way
 * @property {() => number} refills how many there were
 * @property {() => Promise<void>} close as the service would that ends cleanly
 * @property {() => Promise<number>} reserved numbers that were ever taken out of the counter
 */

async function openNextid(url, options) {
  const store = open(url);
  const sequence = store.sequence(NAME, options);
  await sequence.ready();
  return {
    nextId: () => sequence.nextId(),
    held: () => {
      const { inMemory, refilling, step } = sequence.stats();
      return inMemory + (refilling ? step : 0);
    },
    refills: () => sequence.stats().refills,
    close: () => store.close(),
    reserved: async (database) => (await database.collection('ids').findOne({ _id: NAME })).index - 1,
  };
}

async function openLeaf(url, step) {
  // Written as safely as the counters of nextid.
  const client = await MongoClient.connect(url, { writeConcern: { w: 'majority', journal: true } });
  const collection = client.db().collection('leaf');
  const sequence = new LeafSequence(collection, NAME, step);
  await sequence.ready();
  return {
    nextId: () => sequence.nextId(),
    held: () => sequence.inMemory + sequence.onTheirWay,
    refills: () => sequence.refills,
    close: async () => {
      sequence.close();
      await client.close();
    },
    reserved: async (database) => (await database.collection('leaf').findOne({ _id: NAME })).max_id,
  };
}

/** The name of our own row. */
const OURS = 'nextid';

/**
 * Our own, and Leaf's rule with steps that last from 0.2 s to 10 s at 50 000 ids a second: nobody is to think
 * that the one was chosen that suits it least.
 * @param {object} [options] of our sequence; without them it has the default ones
 * @returns {Record<string, (url: string) => Promise<Peer>>} by the names of their rows
 */
function bufferedPeers(options) {
  const steps = [10_000, 50_000, 500_000];
  return {
    [OURS]: (url) => openNextid(url, options),
    ...Object.fromEntries(steps.map((step) => (
      [`Leaf's rule, step ${step.toLocaleString('en')}`, (url) => openLeaf(url, step)]))),
  };
}

module.exports = { OURS, bufferedPeers };
