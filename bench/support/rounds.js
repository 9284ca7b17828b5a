'use strict';

/**
 * Measures peers side by side: each runs once a round, in turn, so that what disturbs the machine disturbs
 * all of them. One round before the first warms up and does not count.
 * @param {Record<string, () => number | Promise<number>>} peers each returns its figure of one round
 * @param {number} rounds
 * @returns {Promise<Record<string, number[]>>} the figures, by peer and round
 */
async function measure(peers, rounds) {
  const figures = Object.fromEntries(Object.keys(peers).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(peers)) {
      globalThis.gc?.(); // what one left behind is not to be cleared away at the cost of the next
      const figure = await run();
      if (round > 0) figures[name].push(figure);
    }
  }
  return figures;
}

/**
 * A peer for measure(): how many a second.
 * @param {() => number | Promise<number>} work does some work and returns how many it was
 */
const perSecond = (work) => async () => {
  const start = performance.now();
  const count = await work();
  return (count / (performance.now() - start)) * 1000;
};

module.exports = { measure, perSecond };
