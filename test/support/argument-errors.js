'use strict';

/** Errors of wrong arguments, as [name, code]. */
const TYPE = ['TypeError', 'ERR_INVALID_ARG_TYPE'];
const VALUE = ['TypeError', 'ERR_INVALID_ARG_VALUE'];
const RANGE = ['RangeError', 'ERR_OUT_OF_RANGE'];

/** Expects `call` to throw an error of this name and code, whose message holds all `words`. */
function expectError(call, [name, code], ...words) {
  let error;
  try {
    call();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ name, code });
  for (const word of words) expect(error.message).toContain(word);
}

module.exports = { RANGE, TYPE, VALUE, expectError };
