'use strict';

const { performance } = require('node:perf_hooks');
const { clock } = require('../../lib/clock');

const toMs = (time) => (typeof time === 'number' ? time : Date.parse(time));

/**
 * From here on the clock that sequences read stands still at `time`: ms since 1970, or a text for
 * Date.parse(). In a suite this is the clock of that file alone, since each has its own copy of the package.
 */
function setClock(time) {
  const ms = toMs(time);
  clock.now = () => ms;
}

/** The same for a clock that runs. */
function startClock(time) {
  const offset = toMs(time) - performance.now();
  clock.now = () => offset + performance.now();
}

module.exports = { setClock, startClock };
