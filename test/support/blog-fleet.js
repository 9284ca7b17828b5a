'use strict';

const INDEX_START = 1000;

/**
 * The algorithm of the readable-ids blog, as fleets run it that do not use nextid: the other party on the
 * same documents.
 * @param {import('mongodb').Collection} ids
 * @param {number} [step] how many numbers are reserved at a time
 */
function blogFleet(ids, step = 10) {
  function init_id(seqname, callback) {
    readOrInsert(seqname).then(
      ({ _id, index }) => callback(null, { _id, index, high: index, waiters: [], infetch: false }),
      callback,
    );
  }

  async function readOrInsert(seqname) {
    const found = await ids.findOne({ _id: seqname });
    if (found) return found;
    const made = { _id: seqname, index: INDEX_START };
    await ids.insertOne(made);
    return made;
  }

  function next_id(idstatus, callback) {
    if (idstatus.high > idstatus.index) {
      callback(null, idstatus.index++);
      return;
    }
    idstatus.waiters.push(callback);
    if (!idstatus.infetch) fetchRange(idstatus);
  }

  function fetchRange(idstatus) {
    idstatus.infetch = true;
    const increment = { $inc: { index: step } };
    ids.findOneAndUpdate({ _id: idstatus._id }, increment, { returnDocument: 'after' }).then(
      (document) => {
        idstatus.infetch = false;
        idstatus.high = document.index;
        idstatus.index = idstatus.high - step;
        while (idstatus.waiters.length > 0 && idstatus.high > idstatus.index) {
          idstatus.waiters.shift()(null, idstatus.index++);
        }
        if (idstatus.waiters.length > 0 && !idstatus.infetch) fetchRange(idstatus);
      },
      (error) => {
        idstatus.infetch = false;
        for (const waiter of idstatus.waiters.splice(0)) waiter(error);
      },
    );
  }

  return { init_id, next_id };
}

module.exports = { blogFleet };
