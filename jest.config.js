'use strict';

const { availableParallelism } = require('node:os');

module.exports = {
  testMatch: ['<rootDir>/test/js/**/*.test.js'],
  testTimeout: 300_000, // against what hangs: a busy machine may take minutes for the work of seconds
  maxWorkers: 2 * availableParallelism(), // much of a test is waiting, for a lock, a server or a clock
};
