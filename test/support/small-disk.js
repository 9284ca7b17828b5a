'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

/** A disk of so many MB, mounted at `folder`, which must be there. Needs 'mount', see needs.js. */
class SmallDisk {
  constructor(folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-')), megabytes = 1) {
    this.folder = folder;
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'small', folder]);
  }

  /** Leaves not a page free. */
  fill() {
    const file = fs.openSync(this.#filler, 'w');
    try {
      for (;;) fs.writeSync(file, Buffer.alloc(4096));
    } catch (error) {
      if (error.code !== 'ENOSPC') throw error;
    } finally {
      fs.closeSync(file);
    }
  }

  makeRoom() {
    fs.rmSync(this.#filler);
  }

  /** REQUIRES: nobody has a file open for writing. */
  makeReadOnly() {
    execFileSync('mount', ['-o', 'remount,ro', this.folder]);
  }

  makeWritable() {
    execFileSync('mount', ['-o', 'remount,rw', this.folder]);
  }

  remove() {
    execFileSync('umount', ['--lazy', this.folder]);
    fs.rmdirSync(this.folder);
  }

  get #filler() {
    return path.join(this.folder, 'filler');
  }
}

module.exports = { SmallDisk };
