'use strict';

const { atRandom, rest } = require('../at-random');
const { knownCounters, noteCounters } = require('../mend');

// What becomes of the next number. As by a backup of some time ago,
const restored = (next, random) => next - BigInt(Math.floor(random() * Number(next)));
const deleted = () => undefined;
const damaged = () => 'damaged';

async function plain({ fixture, url }, change) {
  const next = change(BigInt(await fixture.read(url, 'orders')));
  if (next === undefined) await fixture.remove(url, 'orders');
  else await fixture.write(url, 'orders', next);
}

async function dated({ fixture, url, prefix }, change) {
  const { [prefix]: count } = await fixture.readDated(url, 'invoices');
  const next = change(BigInt(count) + 1n);
  if (next === undefined) await fixture.removeDated(url, 'invoices');
  else await fixture.writeDated(url, 'invoices', { [prefix]: Number(next) - 1 });
}

const WAYS = [[plain, restored], [plain, deleted], [plain, damaged], [dated, restored], [dated, deleted]];

/** A counter is set back, deleted or damaged while processes use it, and mended as README says. */
module.exports = atRandom({
  name: 'counter restored, deleted or damaged',
  pause: [500, 3000],
  refusals: ['ERR_NEXTID_SEQUENCE_MISSING', 'ERR_NEXTID_SEQUENCE_REWOUND', 'ERR_NEXTID_COUNTER_INVALID'],
  ways: WAYS,
  async bringAbout({ fleet, fixture, url, folder, began, random, signal, way: [damage, how] }) {
    await fleet.withSteadyOnly(async (processes) => {
      const prefix = await knownCounters(processes, began);
      const mend = await noteCounters({ fixture, url, folder });
      await damage({ fixture, url, prefix }, (next) => how(next, random));
      await rest(500 + random() * 1000, signal);
      await mend();
    });
    return true;
  },
});
