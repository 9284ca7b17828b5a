'use strict';

const { setTimeout: sleep } = require('node:timers/promises');

/** Waits until `condition()` holds. The test's own time limit is the only one. */
async function until(condition) {
  while (!(await condition())) await sleep(5);
}

module.exports = { until };
