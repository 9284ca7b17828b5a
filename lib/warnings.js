'use strict';

const { escaped } = require('./errors');

const given = new Set();

/** Warns the operator of the process, by a process warning with a stable `code`; of the same thing once. */
function warnOnce(code, message, thing = message) {
  const key = `${code} ${thing}`;
  if (given.has(key)) return;
  given.add(key);
  process.emitWarning(escaped(message), { code });
}

module.exports = { warnOnce };
