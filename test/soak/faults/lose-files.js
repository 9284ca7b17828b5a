'use strict';

const { execFile } = require('node:child_process');
const fs = require('node:fs');
const { promisify } = require('node:util');
const { atRandom, rest } = require('../at-random');
const { knownCounters, noteCounters, outgrown } = require('../mend');
const { KINDS } = require('../sequences');

const run = promisify(execFile);
const COMPANIONS = ['-wal', '-shm'];

// What belongs to the file is deleted, as if it were left-overs.
const without = (companion) => async (file, wait) => {
  fs.rmSync(file + companion, { force: true });
  await wait();
};

const WAYS = {
  /** All are moved away, and put back. */
  async away(file, wait) {
    const files = ['', ...COMPANIONS].map((end) => file + end).filter((each) => fs.existsSync(each));
    for (const each of files) fs.renameSync(each, `${each}.away`);
    await wait();
    for (const each of files) fs.renameSync(`${each}.away`, each);
  },
  journal: without('-wal'),
  index: without('-shm'),
  /** A copy of a moment ago takes its place. */
  async copy(file, wait, isOutgrown) {
    fs.rmSync(`${file}.copy`, { force: true });
    await run('sqlite3', ['-cmd', '.timeout 30000', file, `VACUUM INTO '${file}.copy'`]);
    if (!await isOutgrown()) return;
    fs.renameSync(`${file}.copy`, file);
    for (const end of COMPANIONS) fs.rmSync(file + end, { force: true });
    await wait();
  },
};

/** Files are moved away, deleted or replaced while processes have them open. */
module.exports = atRandom({
  name: 'files replaced, deleted or moved while open',
  pause: [500, 3000],
  stores: ['sqlite'],
  alone: true,
  // The others are not mended. A cyclic counter that is set back cannot be told from one that went round, and
  // periods or scopes are set back that no process has in use.
  leavesOut: Object.keys(KINDS).filter((kind) => !['plain', 'dated', 'time-stamped'].includes(kind)),
  refusals: ['ERR_NEXTID_SEQUENCE_MISSING', 'ERR_NEXTID_SEQUENCE_REWOUND'],
  ways: Object.values(WAYS),
  async bringAbout({ fleet, fixture, url, folder, began, random, signal, way }) {
    await fleet.withSteadyOnly(async (processes) => {
      const prefix = await knownCounters(processes, began);
      const mend = await noteCounters({ fixture, url, folder });
      const wait = () => rest(1000 + random() * 2000, signal);
      const isOutgrown = () => outgrown({ fixture, url, folder, began, signal }, processes, prefix);
      await way(url.slice('sqlite:'.length), wait, isOutgrown);
      await mend();
    });
    return true;
  },
});
