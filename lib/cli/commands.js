'use strict';

/**
 * The commands, in the order of the help. Each has
 * - `usage`, for messages, and `synopsis`, `summary`, `section` and `json`, its parts of the help;
 * - `flags`, by name: a flag with a `value` takes one;
 * - `mostOperands`: how many arguments it takes that are no flags;
 * - `read(operands, values)`: what the command line asks for;
 * - `needsNoStore`: `run` gets none;
 * - `run(store, request, { output, signal, warn })`: does what `read` returned.
 */
module.exports = {
  next: require('./next'),
  list: require('./list'),
  advance: require('./advance'),
  adopt: require('./adopt'),
  prune: require('./prune'),
  schema: require('./schema'),
};
