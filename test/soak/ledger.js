'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { check } = require('./checker');
const { journalsIn } = require('./journal');
const { KINDS, SEQUENCES } = require('./sequences');

/**
 * What is known of the counters of a store between rounds. In a round processes take ids and write journals;
 * after it, with all processes gone, the journals are checked and deleted. So a soak of any length needs room
 * for the journals of one round. Where one round leaves a counter, and its returned ranges, is the `start` of
 * the next: an id that comes again in a later round is below it and in none of them.
 */
class Ledger {
  #fixture;
  #url;
  #began;
  #left = new Map(); // counter → { end, returned } after the last round

  /** @param {number} began in ms since 1970, before the first id was taken */
  constructor(fixture, url, began) {
    this.#fixture = fixture;
    this.#url = url;
    this.#began = began;
  }

  /** A folder for the journals of a round. */
  newFolder() {
    return fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-soak-'));
  }

  /**
   * Checks the journals of a round, and deletes them if nothing is wrong.
   * @returns {Promise<object[]>} a report of checker.js for each counter that was used, with `sequence` and
   *   `counter`, their names, `isDense`, and `folder` where the journals are kept
   */
  async close(folder) {
    const journals = journalsIn(folder);
    const reports = [];
    for (const { name, kind } of SEQUENCES) {
      const { counters, first, isDense } = KINDS[kind];
      const found = new Map(await counters(this.#fixture, this.#url, name));
      const used = [...journals.keys()].filter((counter) => counter.split('-')[0] === name);
      for (const counter of new Set([...used, ...found.keys()])) {
        const before = this.#left.get(counter) ?? { end: first(this.#began) };
        const after = found.get(counter) ?? before;
        this.#left.set(counter, after);
        const report = check({
          journals: journals.get(counter) ?? [],
          start: before.end, returnedBefore: before.returned,
          end: after.end, returnedAfter: after.returned,
        });
        reports.push({ sequence: name, counter, isDense, folder, ...report });
      }
    }
    if (!reports.some(isFaulty)) fs.rmSync(folder, { recursive: true });
    return reports;
  }
}

/** Whether a report of the checker shows that something is broken. */
function isFaulty({ duplicates, disorders, belowStart, pastCounter }) {
  return [duplicates, disorders, belowStart, pastCounter].some(({ count }) => count > 0);
}

module.exports = { Ledger, isFaulty };
