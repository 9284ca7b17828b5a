'use strict';

const AT_A_TIME = 1000;

/**
 * Takes ids by nextIds(), and uses each of them.
 * @param {import('../..').Sequence<number>} sequence
 * @param {number} ids how many at least
 * @returns {Promise<number>} how many
 */
async function takeInBulk(sequence, ids) {
  let taken = 0;
  let sum = 0;
  for (; taken < ids; taken += AT_A_TIME) {
    for (const id of await sequence.nextIds(AT_A_TIME)) sum += id;
  }
  if (!(sum >= taken)) throw new Error(`${taken} ids cannot have the sum ${sum}`);
  return taken;
}

module.exports = { takeInBulk };
