'use strict';

const { Progress } = require('./progress');

// As many ids are taken at a time as were printed already, between these two: a short run is one reservation
// of just what it needs, a long one is fast, and a reader that stops early makes few ids go unread.
const SMALLEST_BATCH = 1024;
const LARGEST_BATCH = 16_384;
const LINES_A_WRITE = 4096; // some 64 KiB

/** Prints `count` ids of the sequence `name`. */
async function next(store, { name, count, start, json }, { output, signal }) {
  // Step 1: a refill asks for what its waiters need if that is more, and so for no number too many.
  const sequence = store.sequence(name, { start, step: 1, bigint: true });
  // On a terminal the ids themselves show the progress.
  const progress = new Progress(process.stdout.isTTY ? {} : process.stderr, count);
  const toLine = json ? (id) => JSON.stringify({ name, id: toJson(id) }) : String;
  try {
    for (let done = 0; done < count;) {
      const batch = Math.min(count - done, Math.max(SMALLEST_BATCH, Math.min(done, LARGEST_BATCH)));
      const ids = await sequence.nextIds(batch, { signal });
      for (let i = 0; i < ids.length; i += LINES_A_WRITE) {
        const lines = ids.slice(i, i + LINES_A_WRITE).map(toLine);
        await output.write(`${lines.join('\n')}\n`);
        progress.show(done + i + lines.length);
      }
      done += batch;
    }
  } finally {
    progress.clear();
  }
}

/** Prints the counters of the store. */
async function list(store, { json }, { output, warn }) {
  const counters = await store.list();
  if (json) {
    const rows = counters.map((counter) => ({ ...counter, next: toJson(counter.next) }));
    await output.write(`${JSON.stringify(rows)}\n`);
  } else if (counters.length === 0) {
    warn(`there are no counters in ${store.url}`);
  } else {
    await output.write(toTable(counters));
  }
}

/** Moves the counter of `name` up to `next` and prints where it stands. */
async function advance(store, { name, next, json }, { output, warn }) {
  const standsAt = await store.advance(name, next);
  if (BigInt(standsAt) > next) warn(`the counter stands higher than ${next} already; it was left as it is`);
  await output.write(`${json ? JSON.stringify({ name, next: toJson(standsAt) }) : standsAt}\n`);
}

function toJson(number) {
  if (number === undefined) return null;
  return number > Number.MAX_SAFE_INTEGER ? String(number) : Number(number);
}

function toTable(counters) {
  const rows = counters.map(({ name, kind, next, problem }) => [
    printable(name), kind, String(next ?? '-'), problem === undefined ? '' : printable(problem),
  ]);
  const titles = ['NAME', 'KIND', 'NEXT', rows.some((row) => row[3] !== '') ? 'PROBLEM' : ''];
  const [nameWidth, kindWidth, nextWidth] =
    titles.map((_, column) => Math.max(...[titles, ...rows].map((row) => row[column].length)));
  return [titles, ...rows].map(([name, kind, next, problem]) => (
    `${name.padEnd(nameWidth)}  ${kind.padEnd(kindWidth)}  ${next.padStart(nextWidth)}  ${problem}`.trimEnd()
  )).join('\n').concat('\n');
}

// A name that would end the line or command the terminal is shown as a JSON string.
function printable(text) {
  return /\p{C}/u.test(text) ? JSON.stringify(text).replace(/\p{C}/gu, toEscape) : text;
}

function toEscape(character) {
  return `\\u{${character.codePointAt(0).toString(16)}}`;
}

module.exports = { advance, list, next };
