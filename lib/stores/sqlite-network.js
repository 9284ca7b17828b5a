'use strict';

const fs = require('node:fs');
const path = require('node:path');

const { warnOnce } = require('../warnings');

// What statfs(2) says on Linux. FUSE and 9p may be local; the warning says what matters then.
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'], [0x517b, 'SMB'], [0xff534d42, 'CIFS'], [0xfe534d42, 'SMB2'], [0x65735546, 'FUSE'],
  [0x01021997, '9p'], [0x00c36400, 'Ceph'], [0x0bd00bd0, 'Lustre'], [0x5346414f, 'AFS'], [0x6b414653, 'AFS'],
  [0x01161970, 'GFS2'], [0x7461636f, 'OCFS2'], [0x47504653, 'GPFS'], [0x786f4256, 'VirtualBox'],
]);

const fileSystems = new Map(); // folder → one of them or undefined

/** Warns, a little later, where the file of an SQLite store seems to be on a network file system. */
function warnOfNetworkFileSystem(file) {
  const folder = path.dirname(file);
  if (fileSystems.has(folder)) {
    warn(file, fileSystems.get(folder));
    return;
  }
  const report = (fileSystem) => {
    fileSystems.set(folder, fileSystem);
    warn(file, fileSystem);
  };
  // Not statfsSync(): where a server hangs, so would the event loop. After an error, SQLite will say what is
  // wrong with the folder.
  if (process.platform === 'win32') {
    // Resolves the letter of a network drive too.
    fs.realpath.native(folder, (error, real) => {
      if (!error) report(real.startsWith('\\\\') ? 'SMB' : undefined);
    });
  } else {
    fs.statfs(folder, (error, facts) => {
      if (!error) report(NETWORK_FILE_SYSTEMS.get(facts.type >>> 0));
    });
  }
}

function warn(file, fileSystem) {
  if (fileSystem === undefined) return;
  const mayBeLocal = ['FUSE', '9p'].includes(fileSystem);
  warnOnce('NEXTID_NETWORK_FILE_SYSTEM',
    `the store sqlite:${file} is on ${fileSystem}, ${mayBeLocal ? 'perhaps ' : ''}a network file system: ` +
      'machines that use it at the same time can be given the same ids; move it to a local disk, or use a ' +
      `database server${mayBeLocal ? ' (if only one machine can use it, all is well)' : ''}`);
}

module.exports = { warnOfNetworkFileSystem };
