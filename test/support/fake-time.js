'use strict';

// Processes whose clock is wrong, by libfaketime: native code, too, sees what it shows. Only the time of day
// is wrong, not the steady clock that measures waiting times. Tests that use this need 'faketime': see
// needs.js.

const { fakeTimeLibrary } = require('./needs');

/** What is to be added to the environment of a process whose clock is to be off by, say, '+1h' or '-90s'. */
function clockOffBy(offset) {
  return { ...preload(), FAKETIME: offset };
}

/** The same where `file` says by how much, at each moment; `cached`: within a second, and much faster. */
function clockOffAsIn(file, { cached = false } = {}) {
  const reading = cached ? { FAKETIME_CACHE_DURATION: '1' } : { FAKETIME_NO_CACHE: '1' };
  return { ...preload(), FAKETIME_TIMESTAMP_FILE: file, ...reading };
}

function preload() {
  return { LD_PRELOAD: fakeTimeLibrary(), FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

module.exports = { clockOffAsIn, clockOffBy };
