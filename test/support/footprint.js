'use strict';

// What a process takes up, for the tests that look for leaks. Such a process runs by LEAK_CHECK_FLAGS.

const fs = require('node:fs');
const { setImmediate: turnOfTheLoop } = require('node:timers/promises');

// A small young generation and, by $MALLOC_ARENA_MAX, one heap for all threads: else the memory of a process
// without any leak still grows for a long time.
const LEAK_CHECK_FLAGS = ['--expose-gc', '--max-semi-space-size=1'];
const LEAK_CHECK_ENV = { MALLOC_ARENA_MAX: '1' };

/** Frees what nothing refers to: native memory, too, which goes when the collector's finalizers have run. */
async function collectGarbage() {
  global.gc();
  await turnOfTheLoop();
}

/** { memory, heap } in bytes: all of it, and JavaScript's objects; { files, threads } that are open. */
async function footprint() {
  for (let i = 0; i < 5; i++) await collectGarbage();
  return {
    memory: process.memoryUsage.rss(),
    heap: process.memoryUsage().heapUsed,
    files: fs.readdirSync('/proc/self/fd').length,
    threads: fs.readdirSync('/proc/self/task').length,
  };
}

module.exports = { LEAK_CHECK_ENV, LEAK_CHECK_FLAGS, collectGarbage, footprint };
