'use strict';

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/**
 * Measures peers side by side: each runs once a round, in turn, so that what disturbs the machine disturbs
 * all of them. The first round warms up and does not count.
 * @param {Record<string, () => Promise<number>>} peers each does some work and returns how many ids it was
 * @returns {Promise<Record<string, number[]>>} ids a second, by round
 */
async function measure(peers, rounds) {
  const figures = Object.fromEntries(Object.keys(peers).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(peers)) {
      const start = performance.now();
      const ids = await run();
      if (round > 0) figures[name].push((ids / (performance.now() - start)) * 1000);
    }
  }
  return figures;
}

/**
 * Prints a line for each peer: the median, and the ratio to the peer `against`, of which the median and the
 * extremes over the rounds.
 */
function print(figures, against) {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  for (const [name, row] of Object.entries(figures)) {
    const ratios = row.map((value, round) => value / figures[against][round]);
    const [middle, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map(readable);
    const figure = readable(median(row)).padStart(12);
    console.log(`${name.padEnd(width)} ${figure} ids/s   ratio ${middle} (${least}–${most})`);
  }
}

function readable(value) {
  const digits = value < 10 ? { maximumFractionDigits: 2 } : { maximumSignificantDigits: 3 };
  return value.toLocaleString('en', digits);
}

module.exports = { measure, print };
