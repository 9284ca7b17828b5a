'use strict';

/**
 * The compare-and-set loop of the post on counters that go round, as programs run it that do not use nextid:
 * the other party on the same documents, { _id, val, maxval }.
 * @param {import('mongodb').Collection} counters
 */
function postCounter(counters) {
  async function make(_id, maxval) {
    await counters.insertOne({ _id, val: 0, maxval });
  }

  async function nextId(_id) {
    for (;;) {
      const { val, maxval } = await counters.findOne({ _id });
      if (val >= maxval) {
        await counters.updateOne({ _id, val }, { $set: { val: 0 } });
        continue;
      }
      const { modifiedCount } = await counters.updateOne({ _id, val }, { $inc: { val: 1 } });
      if (modifiedCount === 1) return val + 1;
    }
  }

  return { make, nextId };
}

module.exports = { postCounter };
