'use strict';

// Servers that do not let us in, or are none. Each error has a code and says what is wrong, what was expected
// and what to do. No password is ever shown.

const { execFile } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const path = require('node:path');
const { inspect, promisify } = require('node:util');
const { open } = require('../..');
const { describeMongo } = require('../support/stores');

const CLI = path.join(__dirname, '..', '..', 'lib', 'cli.js');

describe('a URL of an unknown kind', () => {
  test.each([
    ['postgres://user:hush@db/shop', /one of sqlite:, mongodb: and mongodb\+srv:, not 'postgres:'/],
    ['mongo://user:hush@db/shop', /'mongo:'; did you mean 'mongodb:'\?/],
    ['ids.db', /begins with sqlite: or mongodb:\/\/, as in .*; received 'ids\.db'/],
  ])('%s', (url, message) => {
    expect(() => open(url)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE' }));
    expect(() => open(url)).toThrow(message);
    expect(() => open(url)).not.toThrow(/hush/);
  });
});

// What the calls that reach the store reject with.
async function errorsOf(ids, options) {
  const orders = ids.sequence('orders', options);
  const calls = [ids.list(), orders.nextId(), orders.nextIds(2), orders.reserve(2), ids.advance('orders', 5)];
  const outcomes = await Promise.allSettled(calls);
  return outcomes.map(({ reason }) => reason);
}

describeMongo('a server', () => {
  const SECRET = 'p@ss/w:rd%2?';
  const encoded = encodeURIComponent(SECRET);
  const SOON = 'connectTimeoutMS=500&socketTimeoutMS=500&serverSelectionTimeoutMS=500';

  const at = (variable) => new URL(process.env[variable]).host;
  const plain = () => at('MONGODB_URL');
  const withLogin = () => at('NEXTID_TEST_MONGODB_AUTH_URL');
  const withTls = () => at('NEXTID_TEST_MONGODB_TLS_URL');
  const user = () => encodeURIComponent(process.env.NEXTID_TEST_MONGODB_USER ?? 'nobody');

  const UNAVAILABLE = 'ERR_NEXTID_STORE_UNAVAILABLE';
  const DENIED = 'ERR_NEXTID_ACCESS_DENIED';
  const rows = {
    'with a wrong password': {
      url: () => `mongodb://${user()}:${encoded}@${withLogin()}/shop`,
      code: DENIED,
      message: /mongodb:\/\/[\w.]+:\d+\/shop refused the login: .* Check the user name, the password/,
    },
    'with an unknown user': {
      url: () => `mongodb://stranger:${encoded}@${withLogin()}/shop`,
      code: DENIED,
      message: /refused the login: .* Check the user name, the password/,
    },
    'that wants a login and gets none': {
      url: () => `mongodb://${withLogin()}/shop`,
      code: DENIED,
      message: /denied access to shop\.ids: .* Log in, by user:password@ in the URL/,
    },
    'on an unknown host': {
      url: () => `mongodb://${user()}:${encoded}@no-such-host.invalid/shop`,
      code: UNAVAILABLE,
      message: /no-such-host\.invalid.* cannot be reached: .*Check .* that the URL names its host/,
    },
    'of an unknown cluster (mongodb+srv)': {
      url: () => `mongodb+srv://${user()}:${encoded}@no.such-cluster.invalid/shop`,
      code: UNAVAILABLE,
      message: /no\.such-cluster\.invalid.* cannot be reached: .*Check .* that the URL names its host/,
    },
    'on a port where nobody listens': {
      url: () => `mongodb://${user()}:${encoded}@127.0.0.1:1/shop`,
      code: UNAVAILABLE,
      message: /127\.0\.0\.1:1\/shop cannot be reached: .*Check that it is running/,
    },
    'whose certificate nobody vouches for': {
      url: () => `mongodb://${user()}:${encoded}@${withTls()}/shop?tls=true`,
      code: UNAVAILABLE,
      message: /cannot be reached: .*(TLS|certificate).*tlsCAFile=FILE/,
    },
    'that speaks TLS where the URL does not': {
      url: () => `mongodb://${user()}:${encoded}@${withTls()}/shop`,
      code: UNAVAILABLE,
      message: /cannot be reached: .*Check that it is running/,
    },
    'that does not speak TLS where the URL does': {
      // Such a server may wait for what it takes for the rest of a message.
      url: () => `mongodb://${user()}:${encoded}@${plain()}/shop?tls=true&${SOON}`,
      code: UNAVAILABLE,
      message: /cannot be reached: .*Check that it is running/,
    },
    'that speaks HTTP': {
      url: async () => {
        const server = http.createServer((_, response) => response.end('hello'));
        server.listen(0, '127.0.0.1');
        server.unref();
        await once(server, 'listening');
        return `mongodb://${user()}:${encoded}@127.0.0.1:${server.address().port}/shop`;
      },
      code: UNAVAILABLE,
      message: /cannot be reached: .*Check that it is running/,
    },
  };

  function expectNoSecret(text) {
    for (const secret of [SECRET, encoded, encoded.toLowerCase()]) expect(text).not.toContain(secret);
  }

  async function runCli(args, env) {
    try {
      await promisify(execFile)(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } });
      throw new Error('it did not fail');
    } catch ({ code, stdout, stderr }) {
      return { code, stdout, stderr };
    }
  }

  test.each(Object.entries(rows))('%s', async (_, { url, code, message }) => {
    const storeUrl = await url();
    const ids = open(storeUrl);
    const errors = await errorsOf(ids, { timeout: 1500 });
    const [ofList, ofNextId] = errors;
    expect(ofList).toMatchObject({ name: 'NextIdError', code });
    expect(ofList.message).toMatch(message);
    // A waiter hopes for a server to come back, but not for another password.
    expect(ofNextId.code).toBe(code === UNAVAILABLE ? 'ERR_NEXTID_TIMEOUT' : code);
    expect(ofNextId.message).toMatch(message);
    expect(ofNextId.cause).toMatchObject({ name: 'MongoError', message: expect.any(String) });

    const orders = ids.sequence('orders');
    for (const value of [...errors, ids, orders, orders.stats()]) {
      expectNoSecret(inspect(value, { showHidden: true, depth: 10, getters: true }));
      expectNoSecret([value, value.message, value.stack, value.cause?.stack, JSON.stringify(value)].join('\n'));
    }
    expectNoSecret(ids.url);
    await ids.close();

    const { code: exitCode, stdout, stderr } = await runCli(['list', '--store', storeUrl]);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`nextid: ${ofList.message} [${code}]`);
    expectNoSecret(stderr);
  });

  const commands = [['next', 'orders'], ['advance', 'orders', '5']];
  test.each(commands)('with a wrong password: nextid %s does not show it', async (...command) => {
    const env = { NEXTID_STORE: rows['with a wrong password'].url() };
    const { code, stdout, stderr } = await runCli(command, env);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/refused the login: .* \[ERR_NEXTID_ACCESS_DENIED\]\n {2}cause: MongoError: /);
    expectNoSecret(stderr);
  });
});
