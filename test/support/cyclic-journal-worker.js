'use strict';

// Takes ids of a cyclic sequence and appends them to a file, one per line, until it is killed.
// Job: { url, name, options, together, file }
//   together   how many calls are made at once

const fs = require('node:fs');
const { open } = require('../..');
const { job, startSignal } = require('./child');

async function main() {
  const { url, name, options, together, file } = job;
  const sequence = open(url).sequence(name, options);
  await startSignal();
  for (;;) {
    const calls = Array.from({ length: together }, () => sequence.nextId());
    const ids = (await Promise.all([...calls, sequence.nextIds(3)])).flat();
    fs.appendFileSync(file, `${ids.join('\n')}\n`);
  }
}

main();
