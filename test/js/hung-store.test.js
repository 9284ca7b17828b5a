'use strict';

// A server that accepts connections and never answers. libuv has four worker threads, and the files, the DNS
// look-ups and the crypto of the service need them too.

const { execFileSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { startProgram } = require('../support/run-program');
const { describeMongo } = require('../support/stores');
const { until } = require('../support/until');

const FOUR_THREADS = { env: { UV_THREADPOOL_SIZE: '4' } };
const FOR_AN_HOUR = '?socketTimeoutMS=3600000&connectTimeoutMS=3600000&serverSelectionTimeoutMS=3600000';

describeMongo('a server that never answers', () => {
  let server;
  let connections; // that are open now
  let mostConnections;
  let folder;
  let child;

  beforeEach(async () => {
    connections = new Set();
    mostConnections = 0;
    server = net.createServer((socket) => {
      connections.add(socket);
      mostConnections = Math.max(mostConnections, connections.size);
      socket.on('close', () => connections.delete(socket));
      socket.on('error', () => {});
      socket.resume();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-hung-'));
  });

  afterEach(async () => {
    child.process.kill('SIGKILL');
    await child.ended;
    server.close();
    fs.rmSync(folder, { recursive: true });
  });

  const url = (options) => `mongodb://127.0.0.1:${server.address().port}/shop${options}`;

  // Two worker threads wait for the server by default, and two do other work; and so on.
  test.each([[undefined, 2, 2], [1, 1, 3], [3, 3, 1]])(
    'maxConcurrentRefills %p: %i worker threads are held, while 50 sequences wait, and %i work',
    async (maxConcurrentRefills, held, free) => {
      // Opening a FIFO holds a worker thread until its other end is opened too, so this takes `free` of them.
      const fifos = Array.from({ length: free - 1 }, (_, i) => path.join(folder, `fifo${i}`));
      for (const fifo of fifos) execFileSync('mkfifo', [fifo]);

      const args = [url(FOR_AN_HOUR), maxConcurrentRefills, fifos];
      child = startProgram(workWhileSequencesWait, args, FOUR_THREADS);
      await until(() => connections.size >= held);
      child.process.send('work');
      const [{ file, address, key }] = await once(child.process, 'message');
      expect(file).toContain('"name": "nextid"');
      expect(address).toMatch(/^(127\.0\.0\.1|::1)$/);
      expect(key).toBe(32);
      expect(connections.size).toBe(held);

      const [outcomes] = await once(child.process, 'message');
      expect(outcomes).toHaveLength(50);
      for (const outcome of outcomes) expect(outcome).toEqual(['ERR_NEXTID_TIMEOUT', expect.any(String)]);
      expect(outcomes[49][1]).toMatch(/'sequence 49'.* 3000 ms.*has not answered/);
      expect(mostConnections).toBe(held);
    },
  );

  test('each attempt is bounded: its thread comes back, and the process ends by itself', async () => {
    child = startProgram(closeAfterTimeouts, [url('')], FOUR_THREADS);
    expect(await child.ended).toEqual({ code: 0, signal: null, stdout: '50 timeouts, closed\n', stderr: '' });
    expect(connections.size).toBe(0);
  });
});

// In a child: 50 sequences wait for 3 s each. At a message does the work of a service.
async function workWhileSequencesWait(url, maxConcurrentRefills, fifos) {
  const { open } = require('nextid');
  const { pbkdf2 } = require('node:crypto');
  const dns = require('node:dns/promises');
  const fs = require('node:fs/promises');
  const { promisify } = require('node:util');

  const ids = open(url, { maxConcurrentRefills: maxConcurrentRefills ?? undefined });
  const calls = Array.from({ length: 50 }, (_, i) => (
    ids.sequence(`sequence ${i}`, { timeout: 3000 }).nextId().catch(({ code, message }) => [code, message])
  ));
  await new Promise((resolve) => process.once('message', resolve));

  const ends = ['r', 'w'].flatMap((mode) => fifos.map((fifo) => fs.open(fifo, mode)));
  for (const file of await Promise.all(ends)) await file.close();
  const [file, { address }, key] = await Promise.all([
    fs.readFile('package.json', 'utf8'),
    dns.lookup('localhost'),
    promisify(pbkdf2)('secret', 'salt', 100_000, 32, 'sha256'),
  ]);
  process.send({ file, address, key: key.length });
  process.send(await Promise.all(calls));
}

// In a child.
async function closeAfterTimeouts(url) {
  const { open } = require('nextid');
  const ids = open(url);
  const sequences = Array.from({ length: 50 }, (_, i) => ids.sequence(`sequence ${i}`, { timeout: 500 }));
  const outcomes = await Promise.allSettled(sequences.map((sequence) => sequence.nextId()));
  const timeouts = outcomes.filter(({ reason }) => reason.code === 'ERR_NEXTID_TIMEOUT');
  await ids.close();
  console.log(`${timeouts.length} timeouts, closed`);
}
