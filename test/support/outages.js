'use strict';

// Ways to keep a store from answering, and to let it answer again. Each takes a fixture of stores.js and has
//   url       the URL of a store that holds nothing yet
//   begin()   from here on the store does not answer
//   end()     it answers again
//   close()   ends it for good; closeOutages() does so with all of them, also where a test has failed

const { spawn } = require('node:child_process');
const { randomInt } = require('node:crypto');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');

const { SQLITE3 } = require('./needs');

const outages = new Set();

async function closeOutages() {
  for (const outage of outages) await outage.close();
  outages.clear();
}

function kept(outage) {
  outages.add(outage);
  return outage;
}

/** Another program holds the lock of a SQLite file, until what this resolves with is called and awaited. */
async function lockFile(url) {
  const [program, ...args] = [...SQLITE3, url.slice('sqlite:'.length)];
  const shell = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  shell.stdin.write(".timeout 30000\nBEGIN EXCLUSIVE;\nSELECT 'locked';\n");
  await once(shell.stdout, 'data');
  return async () => {
    const ended = once(shell, 'exit');
    shell.kill('SIGKILL');
    await ended;
  };
}

/** SQLite: another program holds the lock of the file, and may be killed with it. */
function lockedFile(fixture) {
  const url = fixture.freshUrl();
  let unlock;
  const letGo = async () => {
    await unlock?.();
    unlock = undefined;
  };
  return kept({
    url,
    async begin() {
      unlock = await lockFile(url);
    },
    end: letGo,
    close: letGo,
  });
}

/** SQL: another connection holds a lock on the table. */
function lockedTable(fixture) {
  const url = fixture.freshUrl();
  let unlock;
  const letGo = async () => {
    await unlock?.();
    unlock = undefined;
  };
  return kept({
    url,
    async begin() {
      unlock = await fixture.lock(url);
    },
    end: letGo,
    close: letGo,
  });
}

/** MongoDB: requests stand still on their way to the server until the end. */
async function heldRequests(fixture) {
  let held;
  let letGo = () => {};
  const outage = await behindProxy(fixture, {
    begin: () => {
      held = new Promise((resolve) => {
        letGo = resolve;
      });
    },
    end: () => letGo(),
  });
  outage.proxy.onRequest = async (command) => {
    if (['findAndModify', 'update', 'find'].includes(command)) await held;
  };
  return outage;
}

/** Of a server: connections are cut and new ones refused. */
function refusedConnections(fixture) {
  if (fixture.isSql) {
    return behindTcpProxy(fixture, {
      begin: (proxy) => proxy.refuse(true), end: (proxy) => proxy.refuse(false),
    });
  }
  return behindProxy(fixture, { begin: (proxy) => proxy.refuse(), end: (proxy) => proxy.accept() });
}

/**
 * Of a server: it accepts and never answers. With MongoDB, an attempt gives up after two seconds, not five.
 */
async function hungServer(fixture) {
  if (fixture.isSql) {
    return behindTcpProxy(fixture, {
      begin: (proxy) => proxy.hang(true), end: (proxy) => proxy.hang(false),
    });
  }
  const outage = await behindProxy(fixture, {
    begin: (proxy) => proxy.blackhole(),
    end: (proxy) => proxy.restore(),
  });
  const url = new URL(outage.url);
  for (const name of ['socketTimeoutMS', 'connectTimeoutMS', 'serverSelectionTimeoutMS']) {
    url.searchParams.set(name, 2000);
  }
  return { ...outage, url: url.href };
}

async function behindProxy(fixture, { begin, end }) {
  const { startMongoProxy } = require('./mongo-proxy'); // here: jsdom cannot load the driver that it needs
  const serverUrl = fixture.freshUrl();
  const proxy = await startMongoProxy(await fixture.address());
  return kept({
    url: proxy.through(serverUrl),
    proxy,
    begin: async () => begin(proxy),
    end: async () => end(proxy),
    close: async () => {
      await end(proxy);
      await proxy.close();
    },
  });
}

/**
 * MongoDB: the server is killed with kill -9, and started again. It is a second gateway to the data, of this
 * test alone: other suites go on using the first.
 */
async function killedServer(fixture) {
  const pid = fs.readFileSync(process.env.NEXTID_TEST_MONGODB_GATEWAY_PID_FILE, 'utf8').trim();
  const program = fs.readlinkSync(`/proc/${pid}/exe`);
  const [database] = /[^/?]+(?=\?|$)/.exec(fixture.freshUrl());
  const state = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-gateway-'));
  const port = await freePort();
  const args = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, -1)
    .filter((arg) => !/^--(listen-addr|state-dir)=/.test(arg))
    .concat(`--listen-addr=127.0.0.1:${port}`, `--state-dir=${state}`);

  let server;
  const kill = async () => {
    const ended = server && once(server, 'exit');
    server?.kill('SIGKILL');
    server = undefined;
    await ended;
  };
  const start = async () => {
    server ??= spawn(program, args, { stdio: 'ignore' });
    await listensOn(port);
  };
  const outage = kept({
    url: `mongodb://127.0.0.1:${port}/${database}`,
    begin: kill,
    end: start,
    close: async () => {
      await kill();
      fs.rmSync(state, { recursive: true, force: true });
    },
  });
  await start();
  return outage;
}

// Below the ports of outgoing connections: none may take it while the server is dead.
async function freePort() {
  for (;;) {
    const port = randomInt(10_000, 20_000);
    const listener = net.createServer();
    listener.listen(port, '127.0.0.1');
    const free = await once(listener, 'listening').then(() => true, () => false);
    if (!free) continue;
    listener.close();
    await once(listener, 'close');
    return port;
  }
}

async function listensOn(port) {
  for (;;) {
    const socket = net.connect(port, '127.0.0.1');
    const connected = await once(socket, 'connect').then(() => true, () => false);
    socket.destroy();
    if (connected) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Any TCP server; there is no `proxy` in the outage. */
async function behindTcpProxy(fixture, { begin, end }) {
  const { startProxy } = require('./tcp-proxy');
  const proxy = await startProxy(await fixture.address());
  return kept({
    url: fixture.freshUrl().replace(/:\d+(?=\/)/, `:${proxy.port}`),
    begin: async () => begin(proxy),
    end: async () => end(proxy),
    close: async () => {
      await end(proxy);
      await proxy.close();
    },
  });
}

/** The answers of the store, of any kind, are held back until the end, which must come within 5 s. */
function heldStore(fixture) {
  if (fixture.isSql) return lockedTable(fixture);
  return fixture.kind === 'sqlite' ? lockedFile(fixture) : heldRequests(fixture);
}

module.exports = {
  closeOutages, heldStore, hungServer, killedServer, lockFile, lockedFile, refusedConnections,
};
