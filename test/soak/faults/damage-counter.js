'use strict';

const { atRandom, rest } = require('../at-random');
const { givenToAll, knownCounters, noteCounters } = require('../mend');

// What becomes of the next number, of which all processes were given `given` and more. As by a backup,
const restored = (given, random) => BigInt(Math.floor(random() * Number(given + 1n)));
const deleted = () => undefined;
const damaged = () => 'damaged';

async function plain({ fixture, url, givenOf }, change) {
  const next = change(givenOf('orders'));
  if (next === undefined) await fixture.remove(url, 'orders');
  else await fixture.write(url, 'orders', next);
}

async function dated({ fixture, url, prefix, givenOf }, change) {
  const next = change(givenOf(`invoices-${prefix}`));
  if (next === undefined) await fixture.removeDated(url, 'invoices');
  else await fixture.writeDated(url, 'invoices', { [prefix]: Number(next) - 1 });
}

const WAYS = [[plain, restored], [plain, deleted], [plain, damaged], [dated, restored], [dated, deleted]];

/** A counter is set back, deleted or damaged while processes use it; mended as docs/operations.md says. */
module.exports = atRandom({
  name: 'counter restored, deleted or damaged',
  pause: [500, 3000],
  refusals: ['ERR_NEXTID_SEQUENCE_MISSING', 'ERR_NEXTID_SEQUENCE_REWOUND', 'ERR_NEXTID_COUNTER_INVALID'],
  ways: WAYS,
  async bringAbout({ fleet, fixture, url, folder, began, random, signal, way: [damage, how] }) {
    await fleet.withSteadyOnly(async (processes) => {
      const prefix = await knownCounters(processes, began);
      const mend = await noteCounters({ fixture, url, folder });
      const givenOf = (counter) => givenToAll(folder, counter, processes);
      await damage({ fixture, url, prefix, givenOf }, (given) => how(given, random));
      await rest(500 + random() * 3000, signal); // on MongoDB it is refused after two seconds
      await mend();
    });
    return true;
  },
});
