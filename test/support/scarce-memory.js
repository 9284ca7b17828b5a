'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

/**
 * For a process in which memory can run out in the addon, by a library that is compiled into `folder`. Linux
 * only.
 * @returns {object} the environment to start it with; in it `new ScarceMemory()` works
 */
function scarceMemoryEnvironment(folder) {
  const library = path.join(folder, 'scarce-memory.so');
  const source = path.join(__dirname, 'scarce-memory.cpp');
  execFileSync('c++', ['-std=c++20', '-O1', '-shared', '-fPIC', source, '-o', library]);
  const orders = path.join(folder, 'orders');
  fs.writeFileSync(orders, Buffer.alloc(24));
  return { LD_PRELOAD: library, NEXTID_SCARCE_MEMORY: orders };
}

/** The memory of the addon in this process. */
class ScarceMemory {
  #file = fs.openSync(process.env.NEXTID_SCARCE_MEMORY, 'r+');

  /** From now on the addon's allocation number `n` fails; with `gone` all after it do too. */
  runOut(n, gone) {
    this.#write([1n, BigInt(n), gone ? 1n : 0n]);
  }

  /** From now on nothing fails. Returns whether anything did. */
  comeBack() {
    const orders = new BigInt64Array(3);
    fs.readSync(this.#file, orders, 0, 24, 0);
    this.#write([0n, 0n, 0n]);
    return orders[1] <= 0n;
  }

  #write(orders) {
    fs.writeSync(this.#file, new BigInt64Array(orders), 0, 24, 0);
  }
}

module.exports = { ScarceMemory, scarceMemoryEnvironment };
