'use strict';

/** What the machine's clock shows, in ms since 1970. An object, so that tests can set it. */
const clock = { now: () => Date.now() };

module.exports = { clock };
