'use strict';

const { availableParallelism } = require('node:os');

module.exports = {
  testMatch: ['<rootDir>/test/js/**/*.test.js'],
  testTimeout: 60_000,
  maxWorkers: 2 * availableParallelism(), // much of a test is waiting, for a lock, a server or a clock
};
