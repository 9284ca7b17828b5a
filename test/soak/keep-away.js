'use strict';

const { lockFile } = require('../support/outages');

/** What a server does that is away: it refuses connections, or accepts them and says nothing. */
const WAYS_TO_BE_AWAY = ['refuse', 'blackhole'];

/**
 * Keeps a store from answering: the file is locked by another program, or the server is away in one of the
 * ways. Resolves with what ends that, to be called and awaited.
 */
async function keepAway({ url, proxy, fixture }, way) {
  if (!proxy) return lockFile(url);
  if (fixture.isSql) {
    const method = way === 'refuse' ? 'refuse' : 'hang';
    await proxy[method](true);
    return () => proxy[method](false);
  }
  if (way === 'refuse') {
    await proxy.refuse();
    return () => proxy.accept();
  }
  proxy.blackhole();
  return async () => proxy.restore();
}

module.exports = { WAYS_TO_BE_AWAY, keepAway };
