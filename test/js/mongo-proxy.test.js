'use strict';

const { EventEmitter, once } = require('node:events');
const net = require('node:net');
const { BSON, Double, MongoClient } = require('mongodb');
const { startMongoProxy } = require('../support/mongo-proxy');
const { readMessages, decode, encodeReply, replyHeader } = require('../support/mongo-wire');

let server;
let proxy;
const clients = [];

beforeEach(async () => {
  server = await startFakeServer();
  proxy = await startMongoProxy({ host: '127.0.0.1', port: server.port });
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await proxy.close();
  await server.close();
});

describe('with nothing asked of it', () => {
  test('a driver works through it as it would without', async () => {
    const ids = connectDriver().db('shop').collection('ids');
    expect(await reserve(ids)).toBe(1);
    expect(await reserve(ids)).toBe(2);
  });

  test('a URL through it keeps all but the address', () => {
    const at = `127.0.0.1:${proxy.port}`;
    expect(proxy.url()).toBe(`mongodb://${at}/?directConnection=true`);
    expect(proxy.url('shop?w=1')).toBe(`mongodb://${at}/shop?w=1&directConnection=true`);
    expect(proxy.through('mongodb://us%40er:p%2Fw@db.example:1/shop?directConnection=false&w=1'))
      .toBe(`mongodb://us%40er:p%2Fw@${at}/shop?directConnection=true&w=1`);
    expect(proxy.through('mongodb://db.example')).toBe(`mongodb://${at}/?directConnection=true`);
  });

  test('requests are counted by command until the counts are reset', async () => {
    const ids = connectDriver().db('shop').collection('ids');
    await reserve(ids);
    await reserve(ids);
    expect(proxy.count('findAndModify')).toBe(2);
    expect(proxy.count('insert')).toBe(0);
    proxy.resetCounts();
    await reserve(ids);
    expect(proxy.count('findAndModify')).toBe(1);
  });

  test('messages are told apart however their bytes arrive', async () => {
    const client = await connect();
    const [first, second, third] = [1, 2, 3].map((id) => opMsg(id, { ping: 1, n: id }));
    client.write(Buffer.concat([first, second, third.subarray(0, 7)]));
    expect((await client.next()).responseTo).toBe(1);
    expect((await client.next()).responseTo).toBe(2);
    expect(proxy.count('ping')).toBe(2);
    client.write(third.subarray(7, 30));
    client.write(third.subarray(30));
    expect((await client.next()).responseTo).toBe(3);
  });

  test('every byte of a message is passed on, of kinds it does not know too', async () => {
    const OP_COMPRESSED = 2012;
    const message = withHeader(9, OP_COMPRESSED, Buffer.from('whatever a compressor makes of it'));
    const client = await connect();
    client.write(message);
    expect((await server.received()).equals(message)).toBe(true);
    client.write(opMsg(10, { ping: 1 }));
    await client.next();
    expect(server.commands).toEqual(['ping']);
  });

  test('the hello of old drivers is understood', async () => {
    const client = await connect();
    client.write(opQuery(5, { isMaster: 1 }));
    const reply = await client.next();
    expect(reply).toMatchObject({ responseTo: 5, opCode: 1, body: { isWritablePrimary: true } });
    expect(proxy.count('isMaster')).toBe(1);
  });

  test('the documents of a sequence section are part of the body', async () => {
    let seen;
    proxy.onRequest = (command, body) => { seen = body; };
    const client = await connect();
    const documents = [{ _id: 'a' }, { _id: 'b' }];
    client.write(opMsg(1, { insert: 'ids' }, { sequence: ['documents', documents], checksum: true }));
    await client.next();
    expect(seen).toEqual({ insert: 'ids', documents });
  });

  test('each reply of a streamed hello belongs to its request', async () => {
    const seen = [];
    proxy.onReply = (command, body, reply) => { seen.push([command, body.stream, reply.n]); };
    const client = await connect();
    client.write(opMsg(1, { hello: 1, stream: 3 }));
    const replies = [await client.next(), await client.next(), await client.next()];
    expect(replies.map((reply) => reply.moreToCome)).toEqual([true, true, false]);
    expect(seen).toEqual([['hello', 3, 1], ['hello', 3, 2], ['hello', 3, 3]]);
  });

  test('a client that leaves closes its connection to the server', async () => {
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    await client.next();
    client.destroy();
    await server.connectionClosed();
  });

  test('a request that wants no reply arrives though its client leaves at once', async () => {
    const client = net.connect(proxy.port, '127.0.0.1');
    client.end(opMsg(1, { insert: 'ids' }, { moreToCome: true }));
    await server.connectionClosed();
    expect(server.commands).toEqual(['insert']);
  });

  test('a server that is gone cuts its clients, and one that is not there cuts them at once', async () => {
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    await client.next();
    await server.close();
    expect(await client.next()).toBeUndefined();
    expect(await (await connect()).next()).toBeUndefined();
  });
});

describe('a request', () => {
  test('drop-connection: the server never sees it, the client sees a cut, the next one works', async () => {
    proxy.onRequest = firstOnly('findAndModify', 'drop-connection');
    const ids = connectDriver().db('shop').collection('ids');
    await expect(reserve(ids)).rejects.toMatchObject({ name: 'MongoNetworkError' });
    expect(server.commands).not.toContain('findAndModify');
    expect(await reserve(ids)).toBe(1);
  });

  test('cut-within: the server sees half of it', async () => {
    proxy.onRequest = firstOnly('ping', 'cut-within');
    const message = opMsg(1, { ping: 1, padding: 'x'.repeat(100) });
    const client = await connect();
    client.write(message);
    expect(await client.next()).toBeUndefined();
    await server.connectionClosed();
    expect(server.bytes).toEqual(message.subarray(0, message.length / 2));
  });

  test('swallow: it is never answered, and its connection stays open', async () => {
    proxy.onRequest = firstOnly('ping', 'swallow');
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    client.write(opMsg(2, { ping: 1 }));
    expect((await client.next()).responseTo).toBe(2);
    expect(server.commands).toEqual(['ping']);
  });

  test('delay: those behind it wait too', async () => {
    proxy.onRequest = firstOnly('ping', { delay: 50 });
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    client.write(opMsg(2, { hello: 1 }));
    expect((await client.next()).responseTo).toBe(1);
    expect((await client.next()).responseTo).toBe(2);
    expect(server.commands).toEqual(['ping', 'hello']);
  });

  test('it waits for an async rule, and reaches the server though the client has left', async () => {
    let open;
    const gate = new Promise((resolve) => { open = resolve; });
    const asked = new Promise((resolve) => {
      proxy.onRequest = (command) => { resolve(command); return gate; };
    });
    const client = await connect();
    client.write(opMsg(1, { findAndModify: 'ids' }));
    await asked;
    client.destroy();
    await once(client.socket, 'close');
    expect(server.commands).toEqual([]);
    const answered = new Promise((resolve) => { proxy.onReply = resolve; });
    open('forward');
    expect(await answered).toBe('findAndModify');
    await server.connectionClosed();
  });

  test('bytes: it arrives in pieces, and whole', async () => {
    proxy.onRequest = () => ({ bytes: 1 });
    const client = await connect();
    const message = opMsg(1, { ping: 1 });
    client.write(message);
    await client.next();
    expect(server.bytes).toEqual(message);
    expect(server.chunks).toBeGreaterThan(5);
  });

  test('reply: the proxy answers, the server never sees it', async () => {
    proxy.onRequest = firstOnly('findAndModify', { reply: { ok: 0, code: 10107, errmsg: 'not primary' } });
    const ids = connectDriver().db('shop').collection('ids');
    await expect(reserve(ids)).rejects.toMatchObject({ code: 10107 });
    expect(server.commands).not.toContain('findAndModify');
  });

  test('reply: it does not get between the bytes of another reply', async () => {
    proxy.onReply = () => ({ bytes: 1, reply: { padding: 'x'.repeat(2000) } });
    proxy.onRequest = firstOnly('hello', { reply: { ok: 1 } });
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    await until(() => client.chunks > 0);
    client.write(opMsg(2, { hello: 1 }));
    expect((await client.next()).responseTo).toBe(1);
    expect((await client.next()).responseTo).toBe(2);
  });

  test('reply: a hello of old drivers is answered in their format', async () => {
    const body = { ok: 1, maxWireVersion: 3 };
    proxy.onRequest = () => ({ reply: body });
    const client = await connect();
    client.write(opQuery(5, { isMaster: 1 }));
    expect(await client.next()).toMatchObject({ opCode: 1, responseTo: 5, body });
  });

  test('the rule knows which connection it comes from and can cut it', async () => {
    proxy.onRequest = (command, body, connection) => {
      if (connection.id === 1) connection.cut();
    };
    const [first, second] = [await connect(), await connect()];
    first.write(opMsg(1, { ping: 1 }));
    expect(await first.next()).toBeUndefined();
    second.write(opMsg(2, { ping: 1 }));
    expect((await second.next()).responseTo).toBe(2);
  });
});

describe('a reply', () => {
  test('drop-connection: the server has carried it out, the client sees a cut', async () => {
    proxy.onReply = firstOnly('findAndModify', 'drop-connection');
    const ids = connectDriver().db('shop').collection('ids');
    await expect(reserve(ids)).rejects.toMatchObject({ name: 'MongoNetworkError' });
    expect(await reserve(ids)).toBe(2);
  });

  test('cut-within: the client gets half of it', async () => {
    proxy.onReply = firstOnly('ping', 'cut-within');
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    expect(await client.next()).toBeUndefined();
    expect(client.bytes.length).toBe(Math.floor(client.bytes.readInt32LE(0) / 2));
  });

  test('swallow: it never comes, and the connection stays open', async () => {
    proxy.onReply = firstOnly('ping', 'swallow');
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    client.write(opMsg(2, { ping: 1 }));
    expect((await client.next()).responseTo).toBe(2);
    expect(server.commands).toEqual(['ping', 'ping']);
  });

  test('delay: those behind it wait too', async () => {
    proxy.onReply = firstOnly('ping', { delay: 50 });
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    client.write(opMsg(2, { ping: 1 }));
    expect((await client.next()).responseTo).toBe(1);
    expect((await client.next()).responseTo).toBe(2);
  });

  test('bytes: it arrives in pieces, and the driver puts them together', async () => {
    proxy.onReply = () => ({ bytes: 1 });
    const ids = connectDriver().db('shop').collection('ids');
    expect(await reserve(ids)).toBe(1);
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    expect((await client.next()).body.ok).toBe(1);
    expect(client.chunks).toBeGreaterThan(5);
  });

  test('reply: the client gets another document, numbers keep their types', async () => {
    const writeConcernError = { code: 64, errmsg: 'waiting timed out' };
    proxy.onReply = (command, request, reply) => ({
      reply: { ...reply, writeConcernError, double: new Double(1) },
    });
    const client = await connect();
    client.write(opMsg(7, { findAndModify: 'ids', update: { $inc: { index: 5n } } }));
    const { responseTo, message } = await client.next();
    const body = BSON.deserialize(message.subarray(21), { promoteValues: false });
    expect(responseTo).toBe(7);
    expect(body.value.index).toEqual(BSON.Long.fromBigInt(5n));
    expect(body.double).toEqual(new Double(1));
    expect(Number(body.writeConcernError.code)).toBe(64);
  });

  test('latency holds every reply back', async () => {
    const [slow, quick] = [await connect(), await connect()];
    const replyHeld = new Promise((resolve) => { proxy.onReply = () => resolve(); });
    proxy.latency = 3_600_000;
    slow.write(opMsg(1, { ping: 1 }));
    await replyHeld;
    await new Promise(setImmediate); // the rule comes before the latency
    proxy.latency = 0;
    quick.write(opMsg(2, { ping: 1 }));
    expect((await quick.next()).responseTo).toBe(2);
    expect(slow.bytes.length).toBe(0);
  });
});

describe('the server as a whole', () => {
  test('blackhole: old and new connections are silent; restore cuts them, and new ones work', async () => {
    const old = await connect();
    old.write(opMsg(1, { ping: 1 }));
    await old.next();
    proxy.blackhole();
    const fresh = await connect();
    old.write(opMsg(2, { ping: 1 }));
    fresh.write(opMsg(3, { ping: 1 }));
    await until(() => proxy.count('ping') === 3);
    proxy.restore();
    expect(await old.next()).toBeUndefined();
    expect(await fresh.next()).toBeUndefined();
    expect(server.commands).toEqual(['ping']);
    const after = await connect();
    after.write(opMsg(4, { ping: 1 }));
    expect((await after.next()).responseTo).toBe(4);
  });

  test.each([
    ['forward'], ['drop-connection'],
  ])('blackhole: a reply on its way is lost, rules are not asked (%s)', async (action) => {
    let open;
    const asked = new Promise((resolve) => {
      proxy.onReply = () => {
        resolve();
        return new Promise((release) => { open = release; });
      };
    });
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    await asked;
    proxy.blackhole();
    proxy.onRequest = () => { throw new Error('a rule was asked'); };
    open(action);
    await seeRequests(client, 5);
    proxy.restore();
    expect(await client.next()).toBeUndefined();
    expect(client.bytes.length).toBe(0);
  });

  test('blackhole: a client does not learn that the server left', async () => {
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    await client.next();
    proxy.blackhole();
    await server.close();
    await seeRequests(client, 5);
    proxy.restore();
    expect(await client.next()).toBeUndefined();
  });

  test('refuse: connections are cut and refused; accept: the same port works again', async () => {
    const old = await connect();
    const { port } = proxy;
    await proxy.refuse();
    await proxy.refuse();
    expect(await old.next()).toBeUndefined();
    await expect(connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.accept();
    await proxy.accept();
    expect(proxy.port).toBe(port);
    const ids = connectDriver().db('shop').collection('ids');
    expect(await reserve(ids)).toBe(1);
  });
});

describe('a mistake in a test', () => {
  test('a rule that throws cuts the connection, and close() tells', async () => {
    proxy.onRequest = () => { throw new Error('oops'); };
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    expect(await client.next()).toBeUndefined();
    await expect(proxy.close()).rejects.toThrow('oops');
  });

  test.each([
    ['drop'], [{}], [{ delay: -1 }], [{ bytes: 0 }], [{ reply: 1 }], [{ dealy: 1 }], [7], [null],
  ])('an unknown action, %j, is refused by name', async (action) => {
    proxy.onReply = () => action;
    const client = await connect();
    client.write(opMsg(1, { ping: 1 }));
    expect(await client.next()).toBeUndefined();
    await expect(proxy.close()).rejects.toThrow(/a rule returned .*; expected undefined or one of 'forward'/);
  });

  test('a client that does not speak MongoDB is cut, and close() tells', async () => {
    const client = await connect();
    client.write('GET / HTTP/1.1\r\nHost: nowhere\r\n\r\n');
    expect(await client.next()).toBeUndefined();
    await expect(proxy.close()).rejects.toThrow('not a MongoDB message');
  });
});

// A server of a few commands. It streams the replies to {hello: 1, stream: n}.
async function startFakeServer() {
  const events = new EventEmitter();
  const sockets = new Set();
  const listener = net.createServer(async (socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      fake.chunks += 1;
      fake.bytes = Buffer.concat([fake.bytes, chunk]);
    });
    for await (const message of readMessages(socket)) {
      const request = decode(message);
      if (request.body) serve(socket, request);
      events.emit('received', message);
    }
    sockets.delete(socket);
    events.emit('connection closed');
  });
  const fake = {
    commands: [], // in the order they were carried out
    bytes: Buffer.alloc(0),
    chunks: 0,
    received: async () => (await once(events, 'received'))[0],
    connectionClosed: () => once(events, 'connection closed'),
    close: async () => {
      if (!listener.listening) return;
      const closed = once(listener, 'close');
      listener.close();
      sockets.forEach((socket) => socket.destroy());
      await closed;
    },
  };
  let index = 0n;

  function serve(socket, request) {
    const command = Object.keys(request.body)[0];
    fake.commands.push(command);
    const header = replyHeader(request);
    if (request.body.stream) {
      let responseTo = request.requestId;
      for (let n = 1; n <= request.body.stream; n++) {
        const more = { requestId: 100 + n, responseTo, moreToCome: n < request.body.stream };
        socket.write(encodeReply({ n, ok: 1 }, { ...header, ...more }));
        responseTo = 100 + n;
      }
      return;
    }
    if (command === 'findAndModify') index += BigInt(request.body.update?.$inc.index ?? 0);
    socket.write(encodeReply(replyTo(command), header));
  }

  function replyTo(command) {
    if (command === 'findAndModify') return { value: { _id: 'orders', index }, ok: 1 };
    const isHello = /^(hello|ismaster)$/i.test(command);
    return isHello ? { isWritablePrimary: true, minWireVersion: 0, maxWireVersion: 21, ok: 1 } : { ok: 1 };
  }

  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  fake.port = listener.address().port;
  return fake;
}

function connectDriver() {
  const client = new MongoClient(proxy.url('shop?serverSelectionTimeoutMS=5000'));
  clients.push(client);
  return client;
}

async function reserve(ids) {
  const increment = { $inc: { index: 1 } };
  const document = await ids.findOneAndUpdate({ _id: 'orders' }, increment, { returnDocument: 'after' });
  return document.index;
}

// A client of bare messages: next() is the next reply taken apart, undefined when the connection has ended.
async function connect() {
  const socket = net.connect(proxy.port, '127.0.0.1');
  await once(socket, 'connect');
  const client = {
    socket,
    bytes: Buffer.alloc(0),
    chunks: 0,
    write: (bytes) => socket.write(bytes),
    destroy: () => socket.destroy(),
    close: () => socket.destroy(),
    next: async () => {
      const { value } = await upcoming;
      upcoming = messages.next();
      return value && { message: value, ...decode(value) };
    },
  };
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    client.chunks += 1;
    client.bytes = Buffer.concat([client.bytes, chunk]);
  });
  const messages = readMessages(socket);
  let upcoming = messages.next();
  clients.push(client);
  return client;
}

// A rule for the first message of this command; the others are forwarded.
function firstOnly(wanted, action) {
  let done = false;
  return (command) => {
    if (done || command !== wanted) return undefined;
    done = true;
    return action;
  };
}

// The proxy is still reading what this client sends.
async function seeRequests(client, n) {
  for (let sent = 1; sent <= n; sent++) {
    client.write(opMsg(1000 + sent, { hello: 1 }));
    await until(() => proxy.count('hello') === sent);
  }
}

async function until(condition) {
  while (!condition()) await new Promise((resolve) => { setTimeout(resolve, 1); });
}

function opMsg(id, body, { sequence, checksum, moreToCome } = {}) {
  const parts = [];
  if (sequence) {
    const [name, documents] = sequence;
    const bson = documents.map((document) => BSON.serialize(document));
    const content = Buffer.concat([Buffer.from(`${name}\0`), ...bson]);
    parts.push(Buffer.from([1]), int32(content.length + 4), content);
  }
  parts.push(Buffer.from([0]), BSON.serialize(body));
  if (checksum) parts.push(int32(0));
  const flags = (checksum ? 1 : 0) | (moreToCome ? 2 : 0);
  return withHeader(id, 2013, Buffer.concat([int32(flags), ...parts]));
}

function opQuery(id, body) {
  const query = [int32(0), Buffer.from('admin.$cmd\0'), int32(0), int32(-1), BSON.serialize(body)];
  return withHeader(id, 2004, Buffer.concat(query));
}

function withHeader(id, opCode, content) {
  return Buffer.concat([int32(16 + content.length), int32(id), int32(0), int32(opCode), content]);
}

function int32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
