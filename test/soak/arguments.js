'use strict';

const { randomInt } = require('node:crypto');
const { parseArgs } = require('node:util');

const USAGE = `Usage: npm run soak -- [--minutes N | --seconds N] [--store sqlite|mongodb] [--seed N]
                       [--fault NAME]...

Takes ids by processes that are killed, stopped and cut off all the time, and looks for ids given twice.
  --minutes N, --seconds N   how long ids are taken, over all stores; one minute if nothing is said
  --store sqlite|mongodb     one store only; by default sqlite, and mongodb where $MONGODB_URL names a server
  --seed N                   what the moments of the faults are drawn from
  --fault NAME               only these faults: files of test/soak/faults; --fault none: none

Exit code: 0 if all was well, 1 if not, 2 if the arguments are wrong.`;

/**
 * @returns {{ms: number, stores: string[], seed: number, faults: object[]}}
 * @throws {Error} says what is wrong with the arguments
 */
function readArguments(args, { env, faults }) {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: 'string' }, seconds: { type: 'string' }, store: { type: 'string' },
      seed: { type: 'string' }, fault: { type: 'string', multiple: true },
    },
  });
  if (values.minutes !== undefined && values.seconds !== undefined) {
    throw new Error('--minutes and --seconds cannot be given together');
  }
  return {
    ms: 1000 * (values.seconds === undefined
      ? 60 * positive('--minutes', values.minutes ?? '1')
      : positive('--seconds', values.seconds)),
    stores: stores(values.store, env.MONGODB_URL),
    seed: values.seed === undefined ? randomInt(2 ** 31) : whole('--seed', values.seed),
    faults: chosen(values.fault, faults),
  };
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

function stores(store, mongoUrl) {
  if (store === undefined) return mongoUrl ? ['sqlite', 'mongodb'] : ['sqlite'];
  if (!['sqlite', 'mongodb'].includes(store)) {
    throw new Error(`--store must be sqlite or mongodb; received '${store}'`);
  }
  if (store === 'mongodb' && !mongoUrl) throw new Error('--store mongodb needs a server: set $MONGODB_URL');
  return [store];
}

// `faults` is { file name: module }.
function chosen(names, faults) {
  if (names === undefined) return Object.values(faults);
  if (names.length === 1 && names[0] === 'none') return [];
  return names.map((name) => {
    if (Object.hasOwn(faults, name)) return faults[name];
    throw new Error(`there is no fault '${name}'; there are ${Object.keys(faults).join(', ')}`);
  });
}

module.exports = { USAGE, readArguments };
