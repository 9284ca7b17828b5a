'use strict';

module.exports = {
  testMatch: ['<rootDir>/test/js/**/*.test.js'],
  testTimeout: 60_000,
};
