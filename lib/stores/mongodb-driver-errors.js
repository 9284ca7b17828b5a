'use strict';

// What errors of the package mongodb mean. The codes are those of the server's error_codes.yml;
// native/stores/mongo/mongo_errors.cpp sorts them in the same way.

const { NextIdError, messageOf } = require('../errors');
const { withoutPasswords } = require('./custom');

const DUPLICATES = new Set([11000, 11001]);
const DEADLOCK = 16908292; // of PostgreSQL, as FerretDB passes it on
const BUSY = /conflicting key value|deadlock detected|duplicate key value|create metadata database sentinel/;
// FerretDB says this, or NamespaceNotFound, where many make the same new collection at once.
const NOT_MADE = /Unable to create the specified collection/;
const SAME_KEYS = /could not create (exclusion constraint|unique index)/;
const DENIES_ACCESS = new Set([11, 13, 18, 334, 8000]);
const NO_USE_WAITING = new Set([
  2, 9, 14, 17, 20, 53, 59, 61, 66, 72, 73, 79, 100, 115, 121, 166, 167, 238, 303, 322, 323, 10334, 13297,
  40414, 40415,
]);
// The server refused before it did anything.
const UNTOUCHED = new Set([24, 26, 112, 10058, 10107, 13435, 13436]);
// The driver sent nothing.
const UNSENT = new Set([
  'MongoServerSelectionError', 'MongoNotConnectedError', 'MongoTopologyClosedError',
  'MongoWaitQueueTimeoutError', 'MongoPoolClearedError', 'MongoPoolClosedError',
]);

/** Whether others were at the same document. Nothing was written then. */
function isConflict(error) {
  const code = Number(error.code);
  const message = error.errmsg ?? error.message ?? '';
  if (DUPLICATES.has(code) || code === DEADLOCK) return true;
  // FerretDB passes on what PostgreSQL says, as an internal error.
  return code === 1 && BUSY.test(message);
}

/** Whether the connection to the server was lost, or none could be made. */
function isDisconnect({ name }) {
  return UNSENT.has(name) || /^MongoNetwork/.test(name);
}

/** Whether a unique index cannot be made because of the documents that are there. */
function blamesDocuments(error) {
  return DUPLICATES.has(Number(error.code)) || SAME_KEYS.test(error.message);
}

/** What the addon takes for an error of a command: { code, class, message, name, said, number }. */
function classify(error, isWrite, server) {
  if (error instanceof NextIdError) {
    const isFinal = error.code !== 'ERR_NEXTID_STORE_UNAVAILABLE';
    return { code: error.code, class: isFinal ? 'final' : 'passing', message: error.message };
  }
  const unconfirmed = error.result?.writeConcernError;
  const number = Number(unconfirmed?.code ?? error.code) || 0;
  const said = withoutPasswords(String(unconfirmed?.errmsg ?? error.message ?? error));
  const [code, errorClass, problem, expected, remedy] = sort(error, number, isWrite, unconfirmed);
  return {
    code: `ERR_NEXTID_${code}`,
    class: errorClass,
    message: messageOf(`${server} ${problem} (${said.replace(/[. ]+$/, '')})`, expected, remedy),
    name: 'MongoError', said, number,
  };
}

function sort({ name, message }, number, isWrite, unconfirmed) {
  if (unconfirmed && !NO_USE_WAITING.has(number)) {
    return ['STORE_UNAVAILABLE', 'doubtful', 'made a change that a failover may undo',
      'a majority of the replica set to confirm it', 'check that a majority of its members is up'];
  }
  if (DENIES_ACCESS.has(number)) {
    return ['ACCESS_DENIED', 'final', 'denied access', 'a user who may find, insert, update and remove',
      'check the user of the connection'];
  }
  if (NO_USE_WAITING.has(number)) {
    return ['STORE_INVALID', 'final', 'cannot keep a counter', 'a collection for counters',
      "check the database and the collection's rules"];
  }
  if (UNSENT.has(name)) {
    return ['STORE_UNAVAILABLE', 'passing', 'cannot be reached', 'a connection',
      'check that it is running and that the connection is open'];
  }
  if (!isWrite || UNTOUCHED.has(number) || (number === 1 && NOT_MADE.test(message))) {
    return ['STORE_UNAVAILABLE', 'passing', 'cannot serve just now', 'an answer', 'trying again may help'];
  }
  return ['STORE_UNAVAILABLE', 'doubtful', 'may or may not have made a change', 'an answer',
    'no number of that request is used'];
}

module.exports = { blamesDocuments, classify, isConflict, isDisconnect };
