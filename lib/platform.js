'use strict';

// Which prebuilt binaries go with the running program: the name of their folder in prebuilds/.

const fs = require('node:fs');

/** Whether the C library is musl, as on Alpine. */
function isMusl() {
  if (process.platform !== 'linux') return false;
  const interpreter = /\/ld-[\w.-]+/.exec(beginningOf(process.execPath));
  if (interpreter !== null) return interpreter[0].startsWith('/ld-musl-');
  return process.report.getReport().header.glibcVersionRuntime === undefined; // takes ten times as long
}

// An executable names its interpreter near its beginning.
function beginningOf(file) {
  const bytes = Buffer.alloc(4096);
  const descriptor = fs.openSync(file);
  try {
    fs.readSync(descriptor, bytes, 0, bytes.length, 0);
  } finally {
    fs.closeSync(descriptor);
  }
  return bytes.toString('latin1');
}

const platform = `${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`;

module.exports = { platform };
