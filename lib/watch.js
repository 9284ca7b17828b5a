'use strict';

const { channel } = require('node:diagnostics_channel');
const { debuglog } = require('node:util');

const { steadyNow } = require('./clock');
const { escaped, show } = require('./errors');

// Reports events to the channels of node:diagnostics_channel (see index.d.ts), and as text with
// NODE_DEBUG=nextid. Without listeners, a refill creates one `origin`, a call that waits makes one check, and
// other calls do nothing.
//
// An `origin` is { store, sequence, kind }: the URL without credentials, the name and the kind.

const refills = channel('nextid:refill');
const waits = channel('nextid:wait');
const errors = channel('nextid:error');
const debug = debuglog('nextid');
const isLogging = debug.enabled; // kept, since it is slow to ask and does not change

/** As debuglog(): names cannot forge a line. */
function log(format, ...values) {
  if (isLogging) debug(format, ...values.map(escaped));
}

/** A refill has ended after `duration` ms: it reserved so many `numbers`, or there is an `error`. */
function tellOfRefill(origin, duration, numbers, error) {
  if (error === undefined) {
    if (isLogging) log('%s: %s reserved in %d ms', title(origin), count(numbers), rounded(duration));
    if (refills.hasSubscribers) refills.publish({ ...origin, duration, numbers });
  } else {
    const ms = rounded(duration);
    if (isLogging) log('%s: a refill failed after %d ms: %s', title(origin), ms, words(error));
    if (errors.hasSubscribers) errors.publish({ ...origin, duration, error });
  }
}

/** To be asked before a call that may have to wait: for watchWait(), or undefined if nobody watches. */
function waitBegins() {
  return isLogging || waits.hasSubscribers ? steadyNow() : undefined;
}

/** Returns `promise`, of a call that waits for `numbers` numbers, and reports how it ends. */
function watchWait(origin, began, numbers, promise) {
  return promise.then((value) => {
    tellOfWait(origin, steadyNow() - began, numbers);
    return value;
  }, (error) => {
    tellOfWait(origin, steadyNow() - began, numbers, error);
    throw error;
  });
}

function tellOfWait(origin, duration, numbers, error) {
  if (isLogging) {
    const end = error === undefined ? '' : ` and failed: ${words(error)}`;
    log('%s: a call for %s waited %d ms%s', title(origin), count(numbers), rounded(duration), end);
  }
  if (waits.hasSubscribers) waits.publish({ ...origin, duration, numbers, error });
}

function tellOfOpening(origin) {
  if (isLogging) log('%s: opened in %s', title(origin), origin.store);
}

/** `closed` is the end of close(). */
function watchClosing(origin, closed, stats) {
  if (!isLogging) return;
  closed.then(() => {
    const { returned, lost } = stats();
    log('%s: closed; %s returned, %d lost', title(origin), count(returned), lost);
  });
}

function title({ sequence, kind }) {
  return sequence === '' ? `the ${kind} sequence without a name` : `sequence '${sequence}' (${kind})`;
}

function count(numbers) {
  return numbers === 1 ? '1 number' : `${numbers} numbers`;
}

// What a call was aborted with may be anything.
function words(error) {
  return error instanceof Error ? `${error.code ?? error.name}: ${error.message}` : show(error);
}

function rounded(ms) {
  return Math.round(ms * 100) / 100;
}

module.exports = { log, tellOfOpening, tellOfRefill, waitBegins, watchClosing, watchWait };
