'use strict';

const { atRandom } = require('../at-random');
const { meddle } = require('../meddle');

// https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
const ERRORS = [
  [10107, 'NotWritablePrimary', 'not primary'],
  [11600, 'InterruptedAtShutdown', 'interrupted at shutdown'],
  [262, 'ExceededTimeLimit', 'operation exceeded time limit'],
  [50, 'MaxTimeMSExpired', 'operation exceeded time limit'],
  [189, 'PrimarySteppedDown', 'primary stepped down'],
];

const WRITE_CONCERN_ERRORS = [
  { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting for replication timed out',
    errInfo: { wtimeout: true } },
  { code: 11600, codeName: 'InterruptedAtShutdown', errmsg: 'interrupted at shutdown' },
  { code: 189, codeName: 'PrimarySteppedDown', errmsg: 'primary stepped down' },
];

const refusal = ([code, codeName, errmsg]) => ({ reply: { ok: 0, errmsg, code, codeName } });

// What a primary says that has done as it was asked, and is rolled back when it comes again as a secondary.
async function rolledBack({ query, update }, { fixture, url, writeConcernError }) {
  const by = update.$inc?.index;
  const next = query._id === 'orders' && by !== undefined ? await fixture.read(url, 'orders') : undefined;
  if (next === undefined) return undefined;
  return { reply: { ok: 1, value: { _id: 'orders', index: BigInt(next) + BigInt(by) }, writeConcernError } };
}

const WAYS = [
  ...ERRORS.flatMap((error) => [
    ({ proxy, signal }) => meddle(proxy, 'request', refusal(error), signal),
    ({ proxy, signal }) => meddle(proxy, 'reply', refusal(error), signal),
  ]),
  ...WRITE_CONCERN_ERRORS.flatMap((writeConcernError) => [
    ({ proxy, signal }) => (
      meddle(proxy, 'reply', (reply) => ({ reply: { ...reply, writeConcernError } }), signal)),
    ({ proxy, signal, ...counter }) => (
      meddle(proxy, 'request', (request) => rolledBack(request, { ...counter, writeConcernError }), signal,
        'findAndModify')),
  ]),
];

/** The server answers with an error: before it does anything, after it has, or on a reply with a value. */
module.exports = atRandom({
  name: 'server answers with an error',
  pause: [20, 400],
  stores: ['mongodb'],
  ways: WAYS,
  bringAbout: (context) => context.way(context),
});
