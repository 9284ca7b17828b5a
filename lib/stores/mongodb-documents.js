'use strict';

// The documents of counters in MongoDB as records (see ruled-store.js), and the statements that find and
// change them. Native instances and the blog's programs use the same documents.

// Which fields of a document belong to which kind: native/stores/mongo/kind_fields.h has the same table.
const KINDS = {
  plain: { marks: ['index'], also: ['indexReturned', 'indexAdvanced'], isInIds: true },
  dated: {
    marks: ['count', 'prefix'], also: ['name', 'making', 'countReturned', 'countAdvanced'], isInIds: true,
  },
  cyclic: { marks: ['val', 'maxval'], also: [] },
  'time-stamped': { marks: ['slot'], also: ['digits', 'timeZone'] },
  pruned: { marks: ['pruned'], also: [], isInIds: true },
};
const COUNTING = Object.keys(KINDS).filter((kind) => kind !== 'pruned');
const ALL_FIELDS = Object.values(KINDS).flatMap(({ marks, also }) => [...marks, ...also]);
const PROJECTION = Object.fromEntries(ALL_FIELDS.map((field) => [field, 1]));
const PERIODS = ['hour', 'day', 'month', 'year'];
const IDENTITY = ['name', 'prefix']; // fields that say which dated counter a document is
const DOCUMENT = Symbol('document'); // of a record that was read
const has = (document, field) => Object.hasOwn(document, field);

function fieldsOf(kind) {
  const [value] = KINDS[kind].marks;
  return { value, returned: `${value}Returned`, advanced: `${value}Advanced` };
}

function identity({ kind, name, prefix }) {
  if (kind === 'pruned') return { _id: `${name}:pruned` };
  if (kind !== 'dated') return { _id: name };
  return name === '' ? { prefix: BigInt(prefix), name: { $exists: false } } : { _id: `${name}:${prefix}` };
}

// The one atomic update or removal for compareAndSet(). `document`: what was read, if there is one.
function statementOf(key, document, next) {
  const { marks, also } = KINDS[key.kind];
  const own = [...marks, ...also].filter((field) => key.kind !== 'dated' || !IDENTITY.includes(field));
  const query = identity(key);
  for (const field of own) {
    query[field] = document !== undefined && has(document, field)
      ? { $eq: document[field] } : { $exists: false };
  }
  if (next === undefined) {
    const others = ALL_FIELDS.filter((field) => !own.includes(field) && !IDENTITY.includes(field));
    if (!others.some((field) => has(document, field))) {
      const alone = Object.fromEntries(others.map((field) => [field, { $exists: false }]));
      return { deletes: [{ q: { ...query, ...alone }, limit: 1 }] };
    }
    const fields = Object.fromEntries([...own, ...IDENTITY].map((field) => [field, 1]));
    return { updates: [{ q: query, u: { $unset: fields } }] };
  }
  if (document === undefined) return { updates: [{ q: query, u: creation(key, next), upsert: true }] };
  const removed = own.filter((field) => has(document, field) && next[field] === undefined);
  const set = key.kind === 'pruned' ? marksToSet(next) : fieldsToSet(next);
  const unset = key.kind === 'pruned' ? [] : removed;
  const [value] = marks;
  const isKept = isGrowing(key) && document.making === undefined && decoded(document[value]) === next[value];
  if (isKept && Object.keys(set).length + unset.length > 1) {
    // A change of the other fields remains right while others raise the value, which they do all the time.
    query[value] = { $gte: document[value], $type: ['int', 'long'], $not: { $type: 'array' } };
    delete set[value];
  }
  const u = {};
  if (Object.keys(set).length > 0) u.$set = set;
  if (unset.length > 0) u.$unset = Object.fromEntries(unset.map((field) => [field, 1]));
  return { updates: [{ q: query, u }] };
}

// As a pipeline, which can make an ObjectId of a text. Texts are not taken for fields in it: $literal.
function creation(key, next) {
  const fields = { ...fieldsToSet(next) };
  if (key.kind === 'pruned') {
    for (const field of Object.keys(fields)) delete fields[field];
    fields.pruned = Object.fromEntries(PERIODS.filter((period) => next[period] !== undefined)
      .map((period) => [period, next[period]]));
    if (key.name === '') fields.prefix = 'pruned';
    else fields.name = { $literal: key.name };
  }
  if (key.kind === 'dated') {
    if (key.name === '') fields._id = `:${key.prefix}`;
    else Object.assign(fields, { name: { $literal: key.name }, prefix: BigInt(key.prefix) });
    if (next.making !== undefined) fields.making = { $toObjectId: next.making };
  }
  return [{ $set: fields }];
}

const isGrowing = ({ kind }) => kind === 'plain' || kind === 'dated';

function fieldsToSet(next) {
  const { digits, making, ...fields } = next;
  if (digits !== undefined) fields.digits = Number(digits); // an int32, as the native store writes it
  return fields;
}

function marksToSet(next) {
  const given = PERIODS.filter((period) => typeof next[period] === 'bigint');
  return Object.fromEntries(given.map((period) => [`pruned.${period}`, next[period]]));
}

function recordIn({ kind }, document) {
  const { marks, also } = KINDS[kind];
  const record = {};
  for (const field of [...marks, ...also]) {
    if (has(document, field) && !IDENTITY.includes(field)) record[field] = decoded(document[field]);
  }
  if (document.timeZone === null) delete record.timeZone;
  Object.defineProperty(record, DOCUMENT, { value: document });
  return record;
}

function marksIn(document) {
  const { pruned = {} } = document;
  const isObject = typeof pruned === 'object' && pruned !== null && pruned._bsontype === undefined;
  const record = Object.fromEntries(PERIODS.filter((period) => !isObject || has(pruned, period))
    .map((period) => [period, decoded(isObject ? pruned[period] : pruned)]));
  Object.defineProperty(record, DOCUMENT, { value: document });
  return record;
}

// A value of the driver as core takes it: native/addon/records.h.
function decoded(value) {
  if (Array.isArray(value)) return value.map(decoded);
  switch (value?._bsontype) {
    case 'Int32':
    case 'Long':
      return BigInt(value.toString());
    case 'Double':
      return Number(value);
    case 'ObjectId':
      return { found: `the ObjectId ${value}`, id: String(value) };
    case 'Decimal128':
      return { found: `the decimal128 ${value}`, roughly: Number(value.toString()) };
    default:
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return { found: `the boolean ${value}` };
  if (value === null) return { found: 'the value null' };
  if (value instanceof Date) return { found: `the date ${value.toISOString()}` };
  return { found: 'a value of another type' };
}

function holdsDated({ _id, name, prefix }) {
  return typeof name === 'string' && prefix !== undefined && _id === `${name}:${prefix}`;
}

function mayBeShared(document) {
  const isByName = COUNTING.filter((kind) => kind !== 'dated').flatMap((kind) => KINDS[kind].marks)
    .some((field) => has(document, field));
  return isByName || holdsDated(document) || document._id === `${document.name}:pruned`;
}

// What finds the documents of counters of these kinds. Plain ones may have lost their field.
function listed(kinds) {
  const fields = kinds.flatMap((kind) => KINDS[kind].marks).map((field) => ({ [field]: { $exists: true } }));
  return { $or: kinds.includes('plain') ? [{ _id: { $type: 'string' } }, ...fields] : fields };
}

// The key of the counter of this kind in a document, or undefined.
function keyIn(kind, document) {
  const { _id, name } = document;
  if (kind === 'dated') {
    const prefix = Number(document.prefix);
    const isPeriod = Number.isInteger(prefix) && /^(..){1,4}$/.test(String(prefix));
    if (has(document, 'making') || !isPeriod) return undefined;
    if (name === undefined) return has(document, 'count') ? { kind, name: '', prefix } : undefined;
    return name !== '' && holdsDated(document) ? { kind, name, prefix } : undefined;
  }
  if (typeof _id !== 'string') return undefined;
  const isOfOther = ALL_FIELDS.some((field) => !KINDS.plain.also.includes(field) && has(document, field));
  const isHere = KINDS[kind].marks.some((field) => has(document, field));
  return isHere || (kind === 'plain' && !isOfOther) ? { kind, name: _id } : undefined;
}

/** The record that a document holds for the key; undefined if it holds none of that kind. */
function toRecord(key, document) {
  const { marks, also } = KINDS[key.kind];
  if (![...marks, ...also].some((field) => has(document, field))) return undefined;
  if (key.kind === 'pruned') return marksIn(document);
  const isOurs = key.kind !== 'dated' || key.name === '' || holdsDated(document) || has(document, 'count');
  return isOurs ? recordIn(key, document) : undefined;
}

module.exports = {
  COUNTING, DOCUMENT, KINDS, PROJECTION, fieldsOf, identity, keyIn, listed, mayBeShared, recordIn,
  statementOf, toRecord,
};
