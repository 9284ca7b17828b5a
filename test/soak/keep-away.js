'use strict';

const { lockFile } = require('../support/outages');

/**
 * Keeps a store from answering: the file is locked by another program; the server refuses connections, or
 * accepts them and says nothing. Resolves with what ends that, to be called and awaited.
 */
async function keepAway({ url, proxy }, random) {
  if (!proxy) return lockFile(url);
  if (random() < 0.5) {
    await proxy.refuse();
    return () => proxy.accept();
  }
  proxy.blackhole();
  return async () => proxy.restore();
}

module.exports = { keepAway };
