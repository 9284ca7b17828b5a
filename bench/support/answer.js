'use strict';

const { once } = require('node:events');

/** The next message of a child process, which must not end before. */
async function answer(child) {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(([code, by]) => {
        throw new Error(`a process of the measurement ended early (${by ?? `exit code ${code}`})`);
      }),
    ]);
  } finally {
    waiting.abort();
  }
}

module.exports = { answer };
