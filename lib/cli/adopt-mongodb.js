'use strict';

// Reads what other programs keep in the store's MongoDB database, for adopt. It uses the driver of the
// project, because the native module only reads counters.

const { didYouMean, messageOf } = require('../errors');
const { loadDriver } = require('../stores/mongodb-driver');
const { sequenceName } = require('../validators');

// Whatever the URL says, reads are not outdated. Without promoteLongs, large numbers are not rounded.
const READING = { readPreference: 'primary', readConcern: { level: 'local' }, promoteLongs: false };
const PACKAGE_COLLECTION = 'counters'; // the default of mongoose-sequence
const EMPTY = ['missing', 'null', 'undefined'];
const NUMBERS = ['int', 'long', 'double'];

function readField(parsed, where, signal) {
  return withDatabase(parsed, signal, async (database) => {
    const [collection, field] = await split(database, where, parsed.shown);
    const groups = await database.collection(collection, READING).aggregate([
      { $group: { _id: { $type: `$${field}` }, count: { $sum: 1 }, largest: { $max: `$${field}` } } },
    ], { allowDiskUse: true }).toArray();
    const used = groups.filter(({ _id }) => !EMPTY.includes(_id));
    const what = `${field} in the collection '${collection}'`;
    if (used.length === 0) throw new Error(`no document has a value of ${what}`);
    // A string or a Decimal128 may stand for a number that is larger than all others.
    const others = used.filter(({ _id }) => !NUMBERS.includes(_id));
    if (others.length > 0) {
      const types = others.map(({ _id, count }) => `${_id} (${count})`).join(', ');
      throw notWhole(`${what} has values of other types: ${types}`);
    }
    const values = used.map((group) => toNumber(group.largest));
    // A NaN is neither larger nor smaller than others, so it must not take part.
    const odd = values.find((value) => typeof value === 'number' && !Number.isInteger(value));
    const largest = odd ?? values.reduce((a, b) => (a > b ? a : b));
    if (!isWhole(largest)) throw notWhole(`the largest ${what} is ${largest}`);
    return { what: `the largest ${what}`, name: collection, largest: BigInt(largest) };
  });
}

function notWhole(problem) {
  return new Error(messageOf(problem, 'whole numbers from 0 in all documents',
    'find the largest number in use yourself, then run nextid advance NAME N'));
}

function readPackage(parsed, signal) {
  return withDatabase(parsed, signal, async (database) => {
    // Our own counters may be in the same collection. They have other fields.
    const filter = { id: { $type: 'string' }, seq: { $exists: true } };
    const counters = await database.collection(PACKAGE_COLLECTION, READING)
      .find(filter).sort({ id: 1, reference_value: 1 }).toArray();
    if (counters.length === 0) {
      throw new Error(messageOf(`there is no counter of mongoose-sequence in ${parsed.shown}`,
        `documents with 'id' and 'seq' in the collection '${PACKAGE_COLLECTION}'`));
    }
    const found = counters.map(readCounter);
    const times = new Map();
    for (const { name } of found) times.set(name, (times.get(name) ?? 0) + 1);
    return found.map((counter) => (counter.problem !== undefined || times.get(counter.name) === 1
      ? counter : { ...counter, problem: `another counter would also be '${counter.name}'` }));
  });
}

// A counter with reference_fields continues as 'id/value', with the values in the order of the document.
function readCounter({ id, reference_value: reference, seq }) {
  const what = `the counter '${id}'${reference ? ` of ${JSON.stringify(reference)}` : ''}`;
  const largest = toNumber(seq);
  if (!isWhole(largest)) return { what, problem: `its number is ${JSON.stringify(seq)}` };
  const parts = Object.values(reference ?? {}).map(toText);
  if (parts.includes(undefined)) return { what, problem: 'its values make no name of a sequence' };
  try {
    return { what, name: sequenceName([id, ...parts].join('/')), largest: BigInt(largest) };
  } catch (error) {
    return { what, problem: error.message };
  }
}

function toText(value) {
  const number = toNumber(value);
  if (typeof value === 'string' || isWhole(number)) return String(number);
  return value?.toHexString?.(); // of an ObjectId
}

// A BigInt of a Long; anything else as it is.
function toNumber(value) {
  return value?._bsontype === 'Long' ? BigInt(value.toString()) : value;
}

function isWhole(value) {
  return (typeof value === 'bigint' || Number.isInteger(value)) && value >= 0;
}

// The names of collections and fields may both have dots.
async function split(database, where, shown) {
  const all = await database.listCollections({}, { nameOnly: true, authorizedCollections: true }).toArray();
  const names = all.map(({ name }) => name);
  const found = names.filter((name) => where.startsWith(`${name}.`));
  if (found.length === 1) return [found[0], where.slice(found[0].length + 1)];
  if (found.length > 1) throw new Error(`'${where}' may be a field of ${found.join(' or ')}`);
  const [collection] = where.split('.');
  throw new Error(messageOf(`there is no collection '${collection}' in ${shown}`, 'COLLECTION.FIELD',
    didYouMean(collection, names)));
}

async function withDatabase({ driverUrl }, signal, use) {
  const mongodb = loadDriver([process.cwd()]);
  if (mongodb === undefined) {
    throw new Error(messageOf('the package mongodb cannot be loaded',
      'it, or mongoose, to be installed in the working directory', 'run npm install mongodb there'));
  }
  const client = new mongodb.MongoClient(driverUrl);
  const stop = () => client.close(true).catch(() => {});
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect();
    return await use(client.db());
  } finally {
    await stop();
  }
}

module.exports = { readField, readPackage };
