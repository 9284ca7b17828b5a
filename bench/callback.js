'use strict';

const { promisify } = require('node:util');
const callbackInterface = require('../lib/callback');
const { blogFleet } = require('../test/support/blog-fleet');
const { measure, perSecond } = require('./support/rounds');
const { withSqliteUrl } = require('./support/stores');

const BLOG = 'next_id() of the blog';
const OURS = 'next_id() of nextid/callback';

// Many rounds of about 10 ms: the machine is faster in one second than in another, and both are to have their
// share of each. The first rounds, in which both are compiled, do not count.
const IDS = 2_000_000;
const PARTS = 20;
const ROUNDS_BEFORE = 20;

// The two loops are the same: written out, so that each is compiled for one next_id().

function blogIds(next_id, idstatus, ids) {
  let called = 0;
  let last;
  const callback = (error, id) => {
    if (error) throw error;
    last = id;
    called++;
  };
  for (let n = 0; n < ids; n++) next_id(idstatus, callback);
  return allOf(ids, called, last);
}

function ourIds(next_id, idstatus, ids) {
  let called = 0;
  let last;
  const callback = (error, id) => {
    if (error) throw error;
    last = id;
    called++;
  };
  for (let n = 0; n < ids; n++) next_id(idstatus, callback);
  return allOf(ids, called, last);
}

function allOf(ids, called, last) {
  if (called === ids) return ids;
  throw new Error(`only ${called} of ${ids} callbacks ran synchronously, the last with ${last}`);
}

module.exports = {
  question: "How fast is the drop-in `next_id(idstatus, cb)` beside the blog's own, with numbers in memory?",
  run: ({ rounds, amount }) => withSqliteUrl(async (url) => {
    const ids = amount(IDS);
    const step = ids * (ROUNDS_BEFORE + PARTS * rounds + 3); // more than all rounds take

    // What the blog's init_id() makes, after a refill as large. Another would throw: there is no collection.
    const blog = blogFleet(undefined);
    const blogStatus = { _id: 'orders', index: 1000, high: 1000 + step, waiters: [], infetch: false };

    const ours = callbackInterface(url, { step });
    const idstatus = await promisify(ours.init_id)('orders');
    await promisify(ours.next_id)(idstatus); // brings the numbers

    const peers = {
      [BLOG]: perSecond(() => blogIds(blog.next_id, blogStatus, ids)),
      [OURS]: perSecond(() => ourIds(ours.next_id, idstatus, ids)),
    };
    await measure(peers, ROUNDS_BEFORE);
    const figures = await measure(peers, PARTS * rounds);
    await ours.close();
    return [{
      unit: 'ids a second', better: 'more', baseline: BLOG, figures,
      goals: [{ row: OURS, of: BLOG, least: 1 }],
    }];
  }),
};
