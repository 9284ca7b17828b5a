'use strict';

// Records of counters (see ruled-store.js) as JSON.

/** The text of a record, or undefined for undefined. Large numbers become strings. */
function toText(record) {
  if (record === undefined) return undefined;
  return JSON.stringify(record, (_, value) => {
    if (typeof value !== 'bigint') return value;
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  });
}

/** The record of a text; undefined for a text that is none. */
function toRecord(text) {
  try {
    const record = JSON.parse(text, (name, value) => (name === 'making' ? value : toBigInt(value)));
    return typeof record === 'object' && record !== null ? record : undefined;
  } catch {
    return undefined;
  }
}

function toBigInt(value) {
  const isInteger = Number.isSafeInteger(value) || (typeof value === 'string' && /^-?\d+$/.test(value));
  return isInteger ? BigInt(value) : value;
}

module.exports = { toRecord, toText };
