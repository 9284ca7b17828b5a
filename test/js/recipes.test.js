'use strict';

// Each page of docs/recipes/ runs as it stands there, with the real frameworks of test/recipes.

const fs = require('node:fs');
const net = require('node:net');
const { once } = require('node:events');
const path = require('node:path');
const { text } = require('node:stream/consumers');
const { setTimeout: sleep } = require('node:timers/promises');
const { PYTHON, needs } = require('../support/needs');
const { lockFile } = require('../support/outages');
const { ROOT, recipeOf } = require('../support/pages');
const { Recipe, post } = require('../support/recipe');
const { connectTo } = require('../support/sql-connection');
const { PostgresFixture } = require('../support/sql-stores');
const { MongoFixture, sqlite } = require('../support/stores');
const { until } = require('../support/until');

const PAGES = fs.readdirSync(path.join(ROOT, 'docs', 'recipes')).filter((page) => page !== 'README.md');
const LISTENS = /listens on port (\d+)/;

let recipe;
let letGo; // of the lock of the recipe's store

async function unlock() {
  const end = letGo;
  letGo = undefined;
  await end?.();
}

afterEach(async () => {
  await unlock();
  await recipe?.remove();
  recipe = undefined;
});

function expectDistinct(ids) {
  expect(ids.every(Number.isInteger)).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
}

/** Orders so many times, 10 at once; resolves to the ids. */
async function order(port, count) {
  const ids = [];
  let begun = 0;
  const client = async () => {
    while (begun++ < count) {
      const { status, body } = await post(port, '/orders');
      expect(status).toBe(201);
      ids.push(body.id);
    }
  };
  await Promise.all(Array.from({ length: 10 }, client));
  return ids;
}

/** Sets the counter back; the service must answer 500 once it has no numbers left in memory, and live on. */
async function expectBroken(port) {
  const { status } = await post(port, '/orders');
  expect(status).toBe(201);
  sqlite(path.join(recipe.folder, 'ids.db'), 'UPDATE counters SET next = 1');
  const answers = [];
  for (let i = 0; i < 40; i++) answers.push(await post(port, '/orders'));
  expect(answers.at(-1)).toMatchObject({ status: 500 });
}

/** Locks the recipe's store, which exists from then on. */
async function lock() {
  await recipe.counter();
  letGo = await lockFile(recipe.store);
}

/** Lets the calls of a file wait this long only, in ms. */
function shortenTimeout(file, timeout) {
  const source = fs.readFileSync(path.join(recipe.folder, file), 'utf8');
  const parts = source.split("sequence('orders')");
  expect(parts).toHaveLength(2);
  recipe.write(file, parts.join(`sequence('orders', { timeout: ${timeout} })`));
}

/** The store is locked at the start: the answer is 503, and an id when the lock is gone. */
async function expectPatience(file, start, portOf, end) {
  shortenTimeout(file, 300);
  await lock();
  const service = await start();
  const port = await portOf(service);
  expect(await post(port, '/orders')).toMatchObject({ status: 503 });
  await service.says(/ERR_NEXTID_TIMEOUT/);
  await unlock();
  await until(async () => (await post(port, '/orders')).status < 300);
  await service.stop(end);
}

/** SIGTERM while ready() waits for a locked store: a clean end. */
async function expectCleanStop(start, portOf, end) {
  await lock();
  const service = await start();
  await portOf(service);
  await service.stop(end);
  expect(service.output).not.toContain('ERR_NEXTID');
}

/** A port that a server listens on. */
async function usedPort() {
  const server = net.createServer().listen(0);
  await once(server, 'listening');
  return { server, port: String(server.address().port) };
}

/** A port that nobody listens on. */
async function freePort() {
  const { server, port } = await usedPort();
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether nobody listens on a port. */
function isRefused(port) {
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', () => resolve(true));
  });
}

test.each(PAGES)('%s: each block is a file, commands, or marked as not run', (page) => {
  expect(() => recipeOf(page)).not.toThrow();
});

test('the index names each page', () => {
  const index = fs.readFileSync(path.join(ROOT, 'docs', 'recipes', 'README.md'), 'utf8');
  const named = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page);
  expect(named.toSorted()).toEqual(PAGES.toSorted());
});

describe('express-cluster.md', () => {
  const WORKER = /worker (\d+) listens on port (\d+)/;

  const run = (workers, env = {}) => recipe.start('node', ['server.js'], { WORKERS: workers, ...env });
  const portOf = async (service) => (await service.says(WORKER))[0][1];

  beforeEach(() => {
    recipe = new Recipe('express-cluster.md', { packages: ['express'] });
  });

  test('one worker: SIGTERM returns the unused numbers', async () => {
    const service = run('1');
    const [[, port]] = await service.says(WORKER);
    expect(await order(port, 3)).toEqual(expect.arrayContaining([1, 2, 3]));
    expect(await recipe.counter()).toBeGreaterThan(4);
    await service.stop();
    expect(await recipe.counter()).toBe(4);
  });

  test('two workers: one that is killed is replaced, no id comes twice, all end', async () => {
    const service = run('2');
    const [[first, port], [second]] = await service.says(WORKER, 2);
    const ids = await order(port, 100);
    process.kill(Number(first), 'SIGKILL');
    await service.says(/ended \(SIGKILL\)/);
    ids.push(...await order(port, 100));
    const [, , [third]] = await service.says(WORKER, 3);
    ids.push(...await order(port, 100));
    expectDistinct(ids);
    expect(await recipe.counter()).toBeGreaterThan(Math.max(...ids));
    await service.stop();
    for (const pid of [first, second, third]) expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });

  test('a worker that gets SIGTERM twice, as from systemd, ends its requests first', async () => {
    const service = run('1');
    const [[worker, port]] = await service.says(WORKER);
    const client = net.connect(Number(port), '127.0.0.1');
    const request = 'POST /orders HTTP/1.1\r\nHost: shop\r\n';
    client.write(`${request}\r\n${request}`); // one, and the beginning of a second one
    await once(client, 'data');
    process.kill(Number(worker), 'SIGTERM');
    await until(() => isRefused(port));
    process.kill(Number(worker), 'SIGTERM');
    await sleep(100); // a worker that does not expect it has ended by now
    client.end('Connection: close\r\n\r\n');
    expect(await text(client)).toContain('201 Created');
    await service.stop();
    expect(await recipe.counter()).toBe(3);
  });

  test('a port in use: workers are tried again and reserve nothing', async () => {
    const { server, port } = await usedPort();
    const service = run('1', { PORT: port });
    await service.says(/ended \(1\)/, 2);
    await service.stop();
    server.close();
    expect(service.output).toContain('EADDRINUSE');
    expect(await recipe.counter()).toBeUndefined();
  });

  needs('sqlite3').test('a counter set back: the answer is 500, and the service lives on', async () => {
    const service = run('1', { NODE_ENV: 'production' }); // Express prints no error if it is 'test'
    await expectBroken(await portOf(service));
    await service.stop();
    expect(service.output).toContain('ERR_NEXTID_SEQUENCE_REWOUND');
  });

  needs('sqlite3').test('a store that hangs at the start: the answer is 503, then an id', () => (
    expectPatience('server.js', () => run('1'), portOf)));

  needs('sqlite3').test('SIGTERM while ready() waits', () => expectCleanStop(() => run('1'), portOf));

  test('a store that does not work: workers end, and are tried again', async () => {
    const service = run('1', { NEXTID_STORE: `sqlite:${recipe.folder}` });
    await service.says(/ended \(1\)/, 2);
    await service.stop();
    expect(service.output).toContain('ERR_NEXTID_STORE_INVALID');
  });
});

test('jest.md: its tests pass, in two files at once', async () => {
  recipe = new Recipe('jest.md', { packages: ['jest'] });
  fs.symlinkSync('../jest/bin/jest.js', path.join(recipe.folder, 'node_modules', '.bin', 'jest'));
  recipe.write('package.json', '{}');
  recipe.write('others.test.js', fs.readFileSync(path.join(recipe.folder, 'orders.test.js'), 'utf8'));
  expect(await recipe.runCommands()).toMatch(/^Tests: +8 passed, 8 total$/m);
});

needs('etcd').test('own-store.md: nextid/store-tests pass on etcd, also with several processes', async () => {
  const [client, peer] = [await freePort(), await freePort()].map((port) => `http://127.0.0.1:${port}`);
  recipe = new Recipe('own-store.md', { env: { ETCD_URL: client, NODE_TEST_CONTEXT: undefined } });
  const etcd = recipe.start('etcd', [
    '--data-dir', path.join(recipe.folder, 'etcd'),
    '--listen-client-urls', client, '--advertise-client-urls', client, '--listen-peer-urls', peer,
    '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`,
  ]);
  await etcd.says(/ready to serve client requests/);
  const output = await recipe.runCommands();
  expect(output).toMatch(/ids are unique among several processes/);
  expect(output).toMatch(/^. fail 0$/m);
  expect(output).toMatch(/^\[ 1, 2, 3 \]$/m);
});

needs('mongodb', 'recipes').describe('mongoose.md', () => {
  const fixture = new MongoFixture();
  afterAll(() => fixture.stop());

  test.each([['8', 'mongoose8'], ['9', 'mongoose']])('Mongoose %s', async (version, folder) => {
    recipe = new Recipe('mongoose.md', { others: { mongoose: folder } });
    const url = fixture.freshUrl();
    const output = await recipe.run('node', ['example.js'], { MONGODB_URL: url });
    expect(output).toBe('1 [ 2, 3 ]\n[ 1, 2, 3, 4, 5 ]\n');
    expect(await fixture.read(url, 'orders')).toBe(6);
  });
});

// test/package does what its Dockerfile says.
describe('docker.md: its service', () => {
  const run = (env = {}) => recipe.start('node', ['server.js'], env);
  const portOf = async (service) => (await service.says(LISTENS))[0][0];

  beforeEach(() => {
    recipe = new Recipe('docker.md');
  });

  test('SIGTERM returns the unused numbers', async () => {
    const service = run();
    expect(await post(await portOf(service), '/orders')).toEqual({ status: 200, body: { id: 1 } });
    await service.stop();
    expect(await recipe.counter()).toBe(2);
  });

  needs('sqlite3').test('a store that hangs at the start: the answer is 503, then an id', () => (
    expectPatience('server.js', run, portOf)));

  needs('sqlite3').test('SIGTERM while ready() waits', () => expectCleanStop(run, portOf));

  test('a store that does not work: it ends with 1', async () => {
    const service = run({ NEXTID_STORE: `sqlite:${recipe.folder}` });
    expect(await service.ended).toBe(1);
    expect(service.output).toContain('ERR_NEXTID_STORE_INVALID');
  });
});

needs('recipes').describe('fastify.md', () => {
  const AT = /listening at http:\/\/127\.0\.0\.1:(\d+)/;
  const run = (env = {}) => recipe.start('node', ['server.js'], env);
  const portOf = async (service) => (await service.says(AT))[0][0];

  beforeEach(() => {
    recipe = new Recipe('fastify.md', { others: ['fastify', 'fastify-plugin'] });
  });

  test('SIGTERM returns the unused numbers', async () => {
    const service = run();
    expectDistinct(await order(await portOf(service), 30));
    await service.stop();
    expect(await recipe.counter()).toBe(31);
  });

  needs('sqlite3').test('a counter set back: the answer is 500, and the service lives on', async () => {
    const service = run();
    await expectBroken(await portOf(service));
    await service.stop();
    expect(service.output).toContain('ERR_NEXTID_SEQUENCE_REWOUND');
  });

  needs('sqlite3').test('a store that hangs at the start: the answer is 503, then an id', () => (
    expectPatience('ids.js', run, portOf)));

  needs('sqlite3').test('SIGTERM while ready() waits', () => expectCleanStop(run, portOf));

  test('a port in use: it ends with 1 and reserves nothing', async () => {
    const { server, port } = await usedPort();
    const service = run({ PORT: port });
    expect(await service.ended).toBe(1);
    server.close();
    expect(service.output).toContain('EADDRINUSE');
    expect(await recipe.counter()).toBeUndefined();
  });

  test('a store that does not work: it ends with 1', async () => {
    const service = run({ NEXTID_STORE: `sqlite:${recipe.folder}` });
    expect(await service.ended).toBe(1);
    expect(service.output).toContain('ERR_NEXTID_STORE_INVALID');
  });
});

describe('worker-threads.md', () => {
  async function idsOf(threads) {
    recipe = new Recipe('worker-threads.md');
    const output = await recipe.run('node', ['main.js'], { THREADS: threads });
    return output.match(/\d+/g).map(Number);
  }

  test('ids of four threads are distinct', async () => {
    const ids = await idsOf('4');
    expect(ids).toHaveLength(400);
    expectDistinct(ids);
  });

  test('a thread returns unused numbers', async () => {
    expect(await idsOf('1')).toHaveLength(100);
    expect(await recipe.counter('rows')).toBe(101);
  });
});

describe('python.md', () => {
  const numbers = (text) => text.replace(/^nextid: .*$/gm, '').trim().split(/\s+/).map(Number);
  const upTo = (last) => Array.from({ length: last }, (_, i) => 1 + i);

  /** Both at once, again and again: no number comes twice. */
  async function expectShared(python, file, store) {
    const env = { NEXTID_STORE: store };
    const outputs = await Promise.all(Array.from({ length: 4 }, (_, i) => (i % 2 === 0
      ? recipe.run(python, [file], env)
      : recipe.run('nextid', ['next', 'labels', '--count', '100'], env))));
    const ids = outputs.flatMap(numbers);
    expect(ids).toHaveLength(220);
    expectDistinct(ids);
  }

  needs('python3').test('SQLite', async () => {
    recipe = new Recipe('python.md');
    expect(numbers(await recipe.runCommands())).toEqual([1, ...upTo(11)]);
    await expectShared('python3', 'labels.py', `sqlite:${path.join(recipe.folder, 'labels.db')}`);
  });

  needs('mongodb', 'pymongo').test('MongoDB', async () => {
    const fixture = new MongoFixture();
    recipe = new Recipe('python.md');
    const store = fixture.freshUrl();
    const env = { NEXTID_STORE: store };
    await expect(recipe.run(PYTHON, ['labels_mongodb.py'], env)).rejects.toThrow('LookupError');
    await recipe.run('nextid', ['advance', 'labels', '1'], env);
    expect(numbers(await recipe.run(PYTHON, ['labels_mongodb.py'], env))).toEqual(upTo(10));
    await expectShared(PYTHON, 'labels_mongodb.py', store);
    await fixture.stop();
  });
});

needs('postgres', 'recipes').describe('on PostgreSQL', () => {
  const fixture = new PostgresFixture();
  let env;

  beforeEach(async () => {
    env = { DATABASE_URL: await fixture.freshDatabase() };
  });

  afterAll(() => fixture.stop());

  test.each([
    ['sequelize.md', ['sequelize', 'pg'], 'orders'],
    ['typeorm.md', ['typeorm', 'pg', 'reflect-metadata'], 'orders'],
    ['drizzle.md', ['drizzle-orm', 'pg'], 'orders'],
    ['knex.md', ['knex', 'pg'], 'customers'],
  ])('%s', async (page, others, name) => {
    recipe = new Recipe(page, { others });
    expect(await recipe.run('node', ['example.js'], env)).toBe('1 [ 2, 3 ]\n');
    expect(await recipe.counter(name, env.DATABASE_URL)).toBe(4);
    expect(await fixture.run(`SELECT id FROM ${name} ORDER BY id`, env.DATABASE_URL))
      .toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  test('prisma.md', async () => {
    recipe = new Recipe('prisma.md', {
      packages: ['typescript'], others: ['@prisma', '@types', 'pg', 'prisma'],
    });
    for (const [name, file] of [['prisma', 'prisma/build/index.js'], ['tsc', 'typescript/bin/tsc']]) {
      fs.symlinkSync(`../${file}`, path.join(recipe.folder, 'node_modules', '.bin', name));
    }
    recipe.write('package.json', '{ "type": "module" }');
    // `generate` does not run the schema engine, but would download it.
    await recipe.runCommands({ PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' });
    expect(await recipe.run('node', ['dist/example.js'], env)).toBe('1 [ 2, 3 ]\n');
    expect(await recipe.counter('orders', env.DATABASE_URL)).toBe(4);
  });
});

describe('gapless-invoices.md', () => {
  // In a database of its own.
  async function expectGapless(kind, server, env) {
    const name = `nextid_recipe_${process.pid}`;
    const url = new URL(server);
    url.pathname = `/${name}`;
    const connection = await connectTo(kind, server);
    await connection.query(`CREATE DATABASE ${name}`);
    try {
      recipe = new Recipe('gapless-invoices.md', { packages: ['pg', 'mysql2'] });
      const output = await recipe.run('node', ['example.js'], { DATABASE_URL: url.href, ...env });
      const numbers = [1, 2, 3, 4].map((count) => `INV-${new Date().getFullYear()}-0000${count}`);
      expect(output).toBe(`${numbers[0]}\nrolled back\n${numbers.slice(1).join(' ')}\n`);
    } finally {
      await connection.query(`DROP DATABASE ${name}`);
      await connection.end();
    }
  }

  needs('postgres').test('PostgreSQL', () => (
    expectGapless('postgres', process.env.NEXTID_TEST_POSTGRES_URL, {})));

  needs('mysql').test('MariaDB', () => (
    expectGapless('mysql', process.env.NEXTID_TEST_MYSQL_URL, { INVOICES: './invoices-mysql' })));
});

needs('recipes').describe('nestjs.md', () => {
  const run = () => recipe.start('node', ['dist/main.js']);
  const portOf = async (service) => (await service.says(LISTENS))[0][0];

  beforeEach(() => {
    recipe = new Recipe('nestjs.md', {
      packages: ['typescript', '@types'],
      others: ['@nestjs', 'reflect-metadata', 'rxjs'],
    });
    fs.symlinkSync('../typescript/bin/tsc', path.join(recipe.folder, 'node_modules', '.bin', 'tsc'));
  });

  async function compiled() {
    await recipe.runCommands();
    return run();
  }

  // NestJS sends SIGTERM to itself again, without a handler.
  test('SIGTERM returns the unused numbers; with a port in use there are none', async () => {
    const service = await compiled();
    const port = await portOf(service);
    expectDistinct(await order(port, 30));
    const second = recipe.start('node', ['dist/main.js'], { PORT: port, NEXTID_STORE: 'sqlite:second.db' });
    expect(await second.ended).toBe(1);
    expect(second.output).toContain('EADDRINUSE');
    expect(await recipe.counter('orders', `sqlite:${path.join(recipe.folder, 'second.db')}`)).toBeUndefined();
    await service.stop('SIGTERM');
    expect(await recipe.counter()).toBe(31);
  });

  needs('sqlite3').test('a counter set back: the answer is 500, and the service lives on', async () => {
    const service = await compiled();
    await expectBroken(await portOf(service));
    await service.stop('SIGTERM');
  });

  needs('sqlite3').test('a store that hangs at the start: the answer is 503, then an id', () => (
    expectPatience('ids.module.ts', compiled, portOf, 'SIGTERM')));

  needs('sqlite3').test('SIGTERM while ready() waits', () => expectCleanStop(compiled, portOf, 'SIGTERM'));
});
