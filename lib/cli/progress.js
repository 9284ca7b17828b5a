'use strict';

const PAUSE = 100; // ms between two updates

/** A line that shows how far a long run is, on a terminal only. */
class Progress {
  #stream;
  #shownAt = 0;

  constructor(stream) {
    this.#stream = stream;
  }

  show(done, total) {
    if (!this.#stream.isTTY || Date.now() - this.#shownAt < PAUSE) return;
    this.#shownAt = Date.now();
    this.#stream.write(`\r${done} of ${total} (${Math.floor((done / total) * 100)}%)\x1b[K`);
  }

  clear() {
    if (this.#shownAt > 0) this.#stream.write('\r\x1b[K');
  }
}

module.exports = { Progress };
