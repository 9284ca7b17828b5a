'use strict';

// Runs the measurements that are named on the command line, or all of them, one after the other.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const HELPERS = ['run', 'rounds'];
const all = fs.readdirSync(__dirname).map((file) => path.parse(file).name)
  .filter((name) => !HELPERS.includes(name));
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !all.includes(name));
if (unknown !== undefined) {
  console.error(`there is no measurement ${unknown}; there are: ${all.join(', ')}`);
  process.exit(2);
}
for (const name of wanted.length > 0 ? wanted : all) {
  const { status } = spawnSync(process.execPath, [path.join(__dirname, name)], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  console.log();
}
