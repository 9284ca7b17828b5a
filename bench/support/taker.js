'use strict';

// A process that takes ids, see takers.js: whenever it is told for how many ms, it takes ids for so long and
// answers how many a second it got. Job: { way, url, … }, `way` one of WAYS, the rest for it.

const { open } = require('../..');
const { blogFleet } = require('../../test/support/blog-fleet');
const { takeInBulk } = require('./bulk');

const IDS_BETWEEN_LOOKS = 100; // at the clock, which costs as much as an id from memory
const BULK_BETWEEN_LOOKS = 10_000;

// `callers` loops that await `next`, until the time is over. Returns how many ids they got.
async function takeAwaited(next, callers, idsBetweenLooks, end) {
  let ids = 0;
  await Promise.all(Array.from({ length: callers }, async () => {
    do {
      for (let i = 0; i < idsBetweenLooks; i++) await next();
      ids += idsBetweenLooks;
    } while (performance.now() < end);
  }));
  return ids;
}

// The same with callbacks, one caller. They may be called at once: hence a loop and no recursion.
function takeByCallback(next, end) {
  return new Promise((resolve, reject) => {
    let ids = 0;
    let calling = false;
    let calledAtOnce = false;
    const onId = (error) => {
      if (error) return reject(error);
      ids++;
      calledAtOnce = calling;
      if (!calling) ask();
    };
    const ask = () => {
      do {
        if (ids % IDS_BETWEEN_LOOKS === 0 && performance.now() >= end) return resolve(ids);
        calledAtOnce = false;
        calling = true;
        next(onId);
        calling = false;
      } while (calledAtOnce);
    };
    ask();
  });
}

async function connect(url) {
  const { MongoClient } = require('mongodb');
  return (await MongoClient.connect(url)).db();
}

// Each is made ready with a job and resolves with a function that takes ids until a point in time, in ms of
// performance.now(), and resolves with how many.
const WAYS = {
  async nextId({ url, name, options, callers }) {
    const sequence = open(url).sequence(name, options);
    await sequence.ready();
    return (end) => takeAwaited(() => sequence.nextId(), callers, IDS_BETWEEN_LOOKS, end);
  },

  async nextIds({ url, name }) {
    const sequence = open(url).sequence(name);
    await sequence.ready();
    return async (end) => {
      let ids = 0;
      do ids += await takeInBulk(sequence, BULK_BETWEEN_LOOKS); while (performance.now() < end);
      return ids;
    };
  },

  async blog({ url, name, step }) {
    const { init_id, next_id } = blogFleet((await connect(url)).collection('ids'), step);
    const idstatus = await new Promise((resolve, reject) => {
      init_id(name, (error, made) => (error ? reject(error) : resolve(made)));
    });
    return (end) => takeByCallback((callback) => next_id(idstatus, callback), end);
  },

  async findOneAndUpdate({ url, name, callers }) {
    const counters = (await connect(url)).collection('counters');
    const change = { $inc: { seq: 1 } };
    const options = { upsert: true, returnDocument: 'after' };
    const next = async () => (await counters.findOneAndUpdate({ _id: name }, change, options)).seq;
    await next();
    return (end) => takeAwaited(next, callers, 1, end);
  },
};

async function main() {
  const { way, ...job } = JSON.parse(process.argv[2]);
  const take = await WAYS[way](job);
  process.on('message', async (ms) => {
    const start = performance.now();
    const ids = await take(start + ms);
    process.send((ids / (performance.now() - start)) * 1000);
  });
  process.on('disconnect', () => process.exit());
  process.send('ready');
}

main();
