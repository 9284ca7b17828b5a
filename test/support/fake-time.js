'use strict';

// Processes whose clock is wrong, by libfaketime: native code, too, sees what it shows. Only the time of day
// is wrong, not the steady clock that measures waiting times.

const fs = require('node:fs');
const path = require('node:path');

const LIBRARY = 'faketime/libfaketime.so.1';

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
  return { LD_PRELOAD: findLibrary(), FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}

// Debian and its kin have a folder for each architecture in /usr/lib.
function findLibrary() {
  const folders = fs.readdirSync('/usr/lib').map((name) => path.join('/usr/lib', name));
  const found = [...folders, '/usr/lib', '/usr/lib64', '/usr/local/lib']
    .map((folder) => path.join(folder, LIBRARY))
    .find((library) => fs.existsSync(library));
  if (found !== undefined) return found;
  throw new Error('the tests need libfaketime (Debian, Ubuntu: apt install libfaketime)');
}

module.exports = { clockOffAsIn, clockOffBy };
