'use strict';

// A test that waits for the end of a sequence's `timeout` makes it short, and a slow machine may need longer
// than that for an answer of the store. These two call again then.

const isTimeout = (error) => error.code === 'ERR_NEXTID_TIMEOUT';

/** Calls until a call is served; resolves to what it gives. Numbers that come late go to the next call. */
async function served(call) {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isTimeout(error)) throw error;
    }
  }
}

/** Calls until a call is rejected with what the store said; resolves to that error. */
async function refusal(call) {
  for (;;) {
    const error = await call().then(
      (result) => Promise.reject(new Error(`served: ${result}`)), (reason) => reason);
    if (!isTimeout(error) || error.cause !== undefined) return error;
  }
}

module.exports = { refusal, served };
