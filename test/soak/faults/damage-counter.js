'use strict';

const { atRandom, rest } = require('../at-random');
const { knownCounters, noteCounters } = require('../mend');
const { flyingHour } = require('../sequences');

const WAYS = {
  /** To what it was some time ago, as a backup does. */
  restored: (next, random) => next - BigInt(Math.floor(random() * Number(next))),
  deleted: () => undefined,
  damaged: () => 'damaged', // plain ones only
};

const COUNTERS = {
  async orders({ fixture, url }, change) {
    const next = change(BigInt(await fixture.read(url, 'orders')));
    if (next === undefined) await fixture.remove(url, 'orders');
    else await fixture.write(url, 'orders', next);
  },
  async invoices({ fixture, url, began }, change) {
    const { prefix } = flyingHour(began);
    const { [prefix]: count } = await fixture.readDated(url, 'invoices');
    const next = change(BigInt(count) + 1n);
    if (next === undefined) await fixture.removeDated(url, 'invoices');
    if (typeof next === 'bigint') await fixture.writeDated(url, 'invoices', { [prefix]: Number(next) - 1 });
  },
};

/** A counter is set back, deleted or damaged while processes use it, and mended as README says. */
module.exports = atRandom({
  name: 'counter restored, deleted or damaged',
  pause: [500, 3000],
  refusals: ['ERR_NEXTID_SEQUENCE_MISSING', 'ERR_NEXTID_SEQUENCE_REWOUND', 'ERR_NEXTID_COUNTER_INVALID'],
  async bringAbout({ fleet, fixture, url, began, random, signal }) {
    const oneOf = (values) => values[Math.floor(random() * values.length)];
    const damage = oneOf(Object.values(COUNTERS));
    const way = oneOf(Object.values(WAYS));
    await fleet.withSteadyOnly(async (processes) => {
      await knownCounters(processes, began);
      const mend = await noteCounters(fixture, url);
      await damage({ fixture, url, began }, (next) => way(next, random));
      await rest(500 + random() * 1000, signal);
      await mend();
    });
    return true;
  },
});
