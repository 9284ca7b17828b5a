'use strict';

const path = require('node:path');
const { Journal, journalName } = require('./journal');
const { SEQUENCES } = require('./sequences');

const { name, options } = SEQUENCES.find(({ kind }) => kind === 'plain, imported');
const MOST_CLOSES = 3;

/**
 * What somebody does who imports ids: moves the counter past them by advance(), here while sequences of that
 * name are closed that hold lower numbers, and may have more of them on their way; or while one is open. The
 * ids that were imported are in the journal, too: one that is given afterwards is there twice.
 *
 * Nobody else may use that counter meanwhile: what others reserve before it is moved up is rightly theirs.
 *
 * @param {object} store of nextid
 * @param {() => number} random
 * @param {object} where `folder`, `process` and `instance` name the journal
 */
async function importIds(store, random, { folder, ...instance }) {
  const journal = new Journal(
    path.join(folder, journalName({ counter: name, ordered: true, ...instance })), options.step + 1);
  const open = () => store.sequence(name, options);
  const closed = [];
  const close = () => {
    const sequence = open();
    if (random() < 0.5) sequence.nextIds(2 * options.step).catch(() => {}); // a refill that is under way
    closed.push(sequence.close());
  };
  const write = (first, end) => {
    for (let id = first; id < end; id++) journal.add(id);
    journal.write();
  };
  try {
    const id = await open().nextId(); // the first of a range, the rest of which is given back
    write(id, id + 1);
    const next = id + 2 + Math.floor(random() * (options.step - 1));
    const [closes, before] = [random(), random()].map((part) => Math.floor(part * (MOST_CLOSES + 1)));
    for (let i = 0; i < before; i++) close();
    const advanced = store.advance(name, next);
    if (random() < 0.5) await null; // it has asked the store, if nothing was being closed
    for (let i = before; i < closes; i++) close();
    await advanced;
    write(id + 1, next);
    await Promise.all(closed);
    const after = await open().nextId();
    write(after, after + 1);
  } finally {
    journal.close();
  }
}

module.exports = { importIds };
