'use strict';

const { once } = require('node:events');

const LINES_A_WRITE = 4096; // some 64 KiB

/** Writes text to a stream no faster than its reader takes it. */
class Output {
  #stream;
  #signal;
  #failure;

  /** `signal` aborts a write() that waits for the reader; it rejects with an AbortError. */
  constructor(stream, signal) {
    this.#stream = stream;
    this.#signal = signal;
    stream.on('error', (error) => {
      this.#failure ??= error;
    });
  }

  /** Whether the reader has closed its end: what `| head` does. */
  get readerIsGone() {
    return this.#failure?.code === 'EPIPE';
  }

  /** Resolves when the stream has room for more. */
  async write(text) {
    if (this.#failure) throw this.#failure;
    if (!this.#stream.write(text)) await once(this.#stream, 'drain', { signal: this.#signal });
  }

  /** Resolves when everything has been written. */
  async flush() {
    this.#signal.throwIfAborted();
    await new Promise((resolve, reject) => {
      this.#signal.addEventListener('abort', () => reject(this.#signal.reason), { once: true });
      this.#stream.write('', (error) => (error ? reject(error) : resolve()));
    });
    if (this.#failure) throw this.#failure;
  }
}

/** `name` as an argument: it is left out for counters without a name. */
function given(name) {
  return name === undefined ? [] : [name];
}

/** A number, BigInt or id for JSON. Numbers that many readers of JSON would round become strings. */
function toJson(id) {
  if (id === undefined) return null;
  if (typeof id === 'string') return id;
  return id > Number.MAX_SAFE_INTEGER ? String(id) : Number(id);
}

async function writeLines(output, lines, onWritten = () => {}) {
  for (let i = 0; i < lines.length; i += LINES_A_WRITE) {
    const some = lines.slice(i, i + LINES_A_WRITE);
    await output.write(`${some.join('\n')}\n`);
    onWritten(i + some.length);
  }
}

module.exports = { Output, given, toJson, writeLines };
