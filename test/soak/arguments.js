'use strict';

const { randomInt } = require('node:crypto');
const { parseArgs } = require('node:util');

const BY_DEFAULT = ['sqlite', 'mongodb', 'mongodb-driver', 'postgres', 'mysql'];
const STORES = [...BY_DEFAULT, 'own'];
const SERVERS = {
  mongodb: 'MONGODB_URL', 'mongodb-driver': 'MONGODB_URL',
  postgres: 'NEXTID_TEST_POSTGRES_URL', mysql: 'NEXTID_TEST_MYSQL_URL',
};

const USAGE = `Usage: npm run soak -- [--minutes N | --seconds N | --ids N] [--each] [--store STORE]
                       [--seed N] [--fault NAME]...

Takes ids by processes that are killed, stopped and cut off all the time, and looks for ids given twice.
  --minutes N, --seconds N   how long ids are taken, over all runs; one minute if nothing is said
  --ids N                    instead: until that many ids are taken in each run, and each fault has happened
  --each                     a run for each fault by itself, in each store, instead of one with all of them
  --store STORE              one store only: sqlite, mongodb, mongodb-driver, which is MongoDB through the
                             package mongodb, postgres, mysql, or own, a store of a user's own that fails.
                             By default all but own, those whose server is named: by $MONGODB_URL,
                             $NEXTID_TEST_POSTGRES_URL, $NEXTID_TEST_MYSQL_URL
  --seed N                   what the moments of the faults are drawn from
  --fault NAME               only these faults: files of test/soak/faults; --fault none: none. Without it, all
                             that can happen together

Exit code: 0 if all was well, 1 if not, 2 if the arguments are wrong.`;

/**
 * @returns {{ms: number, ids: number | undefined, each: boolean, stores: string[], seed: number,
 *   faults: object[]}} either `ms` or `ids` is what is taken
 * @throws {Error} says what is wrong with the arguments
 */
function readArguments(args, { env, faults }) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string' }, seconds: { type: 'string' }, store: { type: 'string' },
      seed: { type: 'string' }, fault: { type: 'string', multiple: true },
      ids: { type: 'string' }, each: { type: 'boolean', default: false },
    },
  });
  return {
    ...amount(values),
    each: values.each,
    stores: stores(values.store, env),
    seed: values.seed === undefined ? randomInt(10 ** 9) : whole('--seed', values.seed),
    faults: chosen(values.fault, faults, values.each),
  };
}

function amount({ minutes, seconds, ids }) {
  if ([minutes, seconds, ids].filter((value) => value !== undefined).length > 1) {
    throw new Error('only one of --minutes, --seconds and --ids can be given');
  }
  if (ids !== undefined) return { ids: positive('--ids', ids) };
  if (seconds !== undefined) return { ms: 1000 * positive('--seconds', seconds) };
  return { ms: 60_000 * positive('--minutes', minutes ?? '1') };
}

function positive(option, text) {
  const number = Number(text);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new Error(`${option} must be a number above 0; received '${text}'`);
}

function whole(option, text) {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`${option} must be a whole number of at most 9 digits; received '${text}'`);
}

function stores(store, env) {
  const isThere = (name) => !Object.hasOwn(SERVERS, name) || Boolean(env[SERVERS[name]]);
  if (store === undefined) return BY_DEFAULT.filter(isThere);
  if (!STORES.includes(store)) throw new Error(`--store must be one of ${STORES}; received '${store}'`);
  if (!isThere(store)) throw new Error(`--store ${store} needs a server: set $${SERVERS[store]}`);
  return [store];
}

// `faults` is { file name: module }.
function chosen(names, faults, each) {
  if (names === undefined) return Object.values(faults).filter(({ alone }) => each || !alone);
  if (names.length === 1 && names[0] === 'none') return [];
  return names.map((name) => {
    if (Object.hasOwn(faults, name)) return faults[name];
    throw new Error(`there is no fault '${name}'; there are ${Object.keys(faults).join(', ')}`);
  });
}

module.exports = { USAGE, readArguments };
