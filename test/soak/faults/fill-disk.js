'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { atRandom, rest } = require('../at-random');

const SIZE = '2m';
const folderOf = (url) => path.dirname(url.slice('sqlite:'.length));

// Writes until nothing more fits.
function fill(file) {
  const filler = fs.openSync(file, 'w');
  try {
    for (let bytes = 4096; bytes > 0;) {
      try {
        if (fs.writeSync(filler, Buffer.alloc(bytes)) === 0) bytes = 0;
      } catch (error) {
        if (error.code !== 'ENOSPC') throw error;
        bytes = Math.floor(bytes / 2);
      }
    }
  } finally {
    fs.closeSync(filler);
  }
}

/** The disk is full, and has room again. */
module.exports = atRandom({
  name: 'disk full',
  pause: [200, 1500],
  stores: ['sqlite'],
  alone: true, // a small disk
  refusals: [],
  needs: () => (process.getuid?.() === 0 ? undefined : 'root, to mount'),
  async prepare({ direct }) {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', folderOf(direct)]);
  },
  async cleanUp({ direct }) {
    execFileSync('umount', ['--lazy', folderOf(direct)]);
  },
  async bringAbout({ url, random, signal }) {
    const filler = path.join(folderOf(url), 'filler');
    fill(filler);
    await rest(random() * 2000, signal);
    fs.rmSync(filler);
    return true;
  },
});
