'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { inspect } = require('node:util');
const vm = require('node:vm');

const { parseSource } = require('../../lib/stores');
const { refuseOtherNames } = require('../../lib/stores/sqlite-windows');

const VALUE = { name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' };

function errorOf(url) {
  try {
    parseSource(url);
  } catch (error) {
    return error;
  }
  throw new Error('it was accepted');
}

function expectRefused(url, ...words) {
  const error = errorOf(url);
  expect(error).toMatchObject(VALUE);
  for (const word of words) expect(error.message).toContain(word);
}

describe('sqlite:', () => {
  test.each([
    'ids.db', './ids.db', '../ids.db', 'a folder/ids.db', '100%25.db', 'a:b@c.db', 'é.db', '/var/lib/ids.db',
  ])('the path %p is taken literally and made absolute', (file) => {
    const absolute = path.resolve(file);
    expect(parseSource(`sqlite:${file}`)).toEqual({
      store: 'sqlite', path: absolute, shown: `sqlite:${absolute}`,
    });
  });

  test.each([
    ['sqlite:', 'no path', 'sqlite:ids.db'],
    ['sqlite:///tmp/ids.db', '//', "expected 'sqlite:/tmp/ids.db'"],
    ['sqlite:////tmp/ids.db?mode=ro', '//', "expected 'sqlite:/tmp/ids.db'"],
    ['sqlite:///', '//', "expected 'sqlite:ids.db'"],
    [`sqlite:///${'x'.repeat(101)}`, '//', "expected 'sqlite:ids.db'"],
    ['sqlite://data/ids.db', '//', "expected 'sqlite:data/ids.db' (in the work", "or 'sqlite:/data/ids.db'"],
    ['sqlite://root:hunter2', '//', "expected 'sqlite:ids.db'"],
    ['sqlite::memory:', 'same numbers again', 'temporary'],
    ['sqlite:ids.db?mode=ro', 'no options'],
    ['sqlite:ids#1.db', 'no options'],
    ['sqlite:ids\0.db', 'NUL'],
    ['sqlite:ids.db\n', 'line end'],
    ['sqlite:\ud83d.db', 'not text'],
    ['sqlite:data/', 'a folder'],
    ['sqlite:undefined', "is 'undefined'", 'environment variable set'],
    ['sqlite:/data/null', "is 'null'", 'environment variable set'],
    [new URL('sqlite:/var/lib/a b.db'), 'a URL object', '%', 'as a string'],
  ])('%p is refused', expectRefused);

  describe('on Windows', () => {
    test.each([
      'C:\\data\\ids.db', 'C:\\data\\com10.db', 'C:\\a. b\\Büro 日本.db', 'C:\\data\\null.db',
      '\\\\server\\share\\ids.db',
    ])('the path %p names a file', (file) => expect(() => refuseOtherNames(file)).not.toThrow());

    test.each([
      ['C:\\data\\NUL', "'NUL', a device"], ['C:\\nul.db', 'a device'], ['C:\\Com1 .txt', 'a device'],
      ['C:\\ids.db:stream', 'cannot have'], ['C:\\C:\\ids.db', 'cannot have'], ['C:\\a|b.db', 'cannot have'],
      ['C:\\data\\ids.db.', 'a dot or a blank'], ['C:\\data\\ids.db ', 'a dot or a blank'],
    ])('the path %p does not', (file, words) => expect(() => refuseOtherNames(file)).toThrow(words));
  });

  test('a URL object names the same file', () => {
    for (const url of ['sqlite:ids.db', 'sqlite:../ids.db', 'sqlite:/var/lib/ids.db']) {
      expect(parseSource(new URL(url))).toEqual(parseSource(url));
    }
  });
});

describe('mongodb:', () => {
  test.each([
    ['mongodb://localhost/shop', 'mongodb://localhost/shop'],
    ['mongodb://localhost:27018/shop', 'mongodb://localhost:27018/shop'],
    ['mongodb://a,b:1,c.example.com:65535/shop', 'mongodb://a,b:1,c.example.com:65535/shop'],
    ['mongodb://my_mongo/shop', 'mongodb://my_mongo/shop'],
    ['mongodb://b\u00fccher.example:27017/shop', 'mongodb://b\u00fccher.example:27017/shop'],
    ['mongodb://127.0.0.1/shop', 'mongodb://127.0.0.1/shop'],
    ['mongodb://[::1],[fe80::1%25eth0]:1/shop', 'mongodb://[::1],[fe80::1%25eth0]:1/shop'],
    ['mongodb://%2Ftmp%2Fmongodb-27017.sock/shop', 'mongodb://%2Ftmp%2Fmongodb-27017.sock/shop'],
    ['mongodb://root@localhost/shop', 'mongodb://localhost/shop'],
    ['mongodb://root:@localhost/shop', 'mongodb://localhost/shop'],
    ['mongodb://root:hunter2@localhost/shop', 'mongodb://localhost/shop'],
    ['mongodb://r%40t:hun%2Fter%3A2@a:1,b/shop', 'mongodb://a:1,b/shop'],
    ['mongodb://root:h!u$n&t\'e(r)*+,;=2@a/shop', 'mongodb://a/shop'],
    ['mongodb+srv://root:hunter2@cluster.example.com/shop', 'mongodb+srv://cluster.example.com/shop'],
    ['mongodb://localhost/sh%C3%B6p', 'mongodb://localhost/sh%C3%B6p'],
    ['mongodb://localhost/shop?tls=true&wTimeoutMS=2', 'mongodb://localhost/shop'],
    ['mongodb://localhost/shop?readPreferenceTags=dc:ny&READPREFERENCETAGS=', 'mongodb://localhost/shop'],
    ['mongodb://localhost/shop?tlsCertificateKeyFilePassword=a=b%26c', 'mongodb://localhost/shop'],
  ])('%p is passed on as it is and shown without credentials', (url, shown) => {
    const collections = { collection: 'ids', countersCollection: 'counters' };
    const secrets = expect.any(Array);
    expect(parseSource(url)).toEqual({
      store: 'mongodb', url, driverUrl: url, ...collections, secrets, shown,
    });
  });

  test('a URL object is understood, also one of another realm', () => {
    const url = 'mongodb://root:hunt%40er2@localhost:27018/shop?tls=true&collection=numbers';
    const OtherUrl = vm.runInNewContext('class URL { get [Symbol.toStringTag]() { return "URL"; } }; URL');
    const objects = [new URL(url), Object.assign(new OtherUrl(), { href: url })];
    for (const object of objects) expect(parseSource(object)).toEqual(parseSource(url));
  });

  test.each([
    ['w=1', ['w']], ['w=2', ['w']], ['W=backup', ['w']], ['safe=true', ['safe']],
    ['journal=false', ['journal']], ['j=false', ['journal']], ['writeConcern=1', ['w']],
    ['readConcernLevel=majority', ['readConcernLevel']], ['readconcernlevel=available', ['readConcernLevel']],
    ['w=1&tls=true&journal=false', ['w', 'journal']],
    ['w=majority&journal=true&readConcernLevel=local&retryWrites=false&readPreference=secondary', undefined],
    ['readConcernLevel=linearizable&wTimeoutMS=1', undefined],
  ])('of the options %p some make duplicates possible: %p', (options, names) => {
    const { weaknesses } = parseSource(`mongodb://root:hunter2@localhost/shop?${options}`);
    const named = weaknesses?.map((sentence) => /^the option '(\w+)' .*; leave it out$/.exec(sentence)[1]);
    expect(named).toEqual(names);
  });

  test.each([
    ['?collection=numbers', '', 'numbers'],
    ['?tls=true&collection=numbers&wTimeoutMS=2', '?tls=true&wTimeoutMS=2', 'numbers'],
    ['?collection=a%2Fb%20%C3%A9%26', '', 'a/b é&'],
    ['?COLLECTION=numbers&wtimeoutms=5', '?wtimeoutms=5', 'numbers'],
    ['?collection=my.system.ids', '', 'my.system.ids'],
    ['?', '', 'ids', 'counters'],
    ['?tls=true&', '?tls=true', 'ids', 'counters'],
  ])('the collection is taken out of %p', (options, rest, collection, countersCollection = collection) => {
    expect(parseSource(`mongodb://root:hunter2@localhost/shop${options}`)).toEqual({
      store: 'mongodb',
      url: `mongodb://root:hunter2@localhost/shop${rest}`,
      driverUrl: `mongodb://root:hunter2@localhost/shop${rest}`,
      collection,
      countersCollection,
      secrets: ['hunter2'],
      shown: 'mongodb://localhost/shop',
    });
  });

  test.each([
    ['timeoutMS=800', 'socketTimeoutMS=800'],
    ['timeoutMS=0', ''],
    ['TIMEOUTms=800&tls=true', 'tls=true&socketTimeoutMS=800'],
    ['timeoutMS=800&SocketTimeoutMS=900', 'SocketTimeoutMS=900'],
    ['SocketTimeoutMS=900&timeoutMS=800', 'SocketTimeoutMS=900'],
    ['J=true&wtimeout=5&writeConcern=majority', 'journal=true&wTimeoutMS=5&w=majority'],
    ['maxConnecting=2', '', 'maxConnecting=2', ['maxConnecting']],
    ['FAMILY=4&w=majority&monitorCommands=true', 'w=majority', 'w=majority&FAMILY=4&monitorCommands=true',
      ['family', 'monitorCommands']],
    ['useNewUrlParser=true&useUnifiedTopology=true&tls=true', 'tls=true', 'tls=true',
      ['useNewUrlParser', 'useUnifiedTopology']],
    ['raw=true&poolSize=5&keepAlive=true', '', '', ['raw', 'poolSize', 'keepAlive']],
  ])('of the options %p libmongoc gets %p', (options, native, driver = native, ignored = undefined) => {
    const urlWith = (query) => `mongodb://localhost/shop${query && '?'}${query}`;
    const parsed = parseSource(urlWith(options));
    expect(parsed).toMatchObject({ url: urlWith(native), driverUrl: urlWith(driver), shown: urlWith('') });
    expect(parsed.ignored).toEqual(ignored);
  });

  test('every option of the package mongodb that a URL can have is known', () => {
    const { OPTIONS } = require('mongodb/lib/connection_string.js');
    // Objects and functions, and what is passed on to TLS sockets; the path of the URL names the database.
    const inCode = ['auth', 'dbName', 'driverInfo', 'fieldsAsRaw', 'mongodbLogComponentSeverities', 'name',
      'pkFactory', 'readConcern', 'runtimeAdapters', 'serverApi', 'srvHostValidator', '__skipPingOnConnect'];
    const names = Object.keys(OPTIONS)
      .filter((name) => OPTIONS[name].type !== 'any' && !inCode.includes(name));
    const messageOf = (name) => {
      try {
        parseSource(`mongodb://localhost/shop?${name}=1`);
      } catch (error) {
        return error.message;
      }
      return '';
    };
    expect(names.length).toBeGreaterThan(60);
    expect(names.filter((name) => messageOf(name).includes('unknown option'))).toEqual([]);
  });

  test('the package mongodb takes the URL meant for it', () => {
    const { MongoClient } = require('mongodb');
    const { driverUrl } = parseSource('mongodb://localhost/shop?useNewUrlParser=true&maxConnecting=3&j=true' +
      '&useUnifiedTopology=true&family=4&timeoutMS=800&monitorCommands=true');
    expect(new MongoClient(driverUrl).options).toMatchObject({
      family: 4, maxConnecting: 3, monitorCommands: true, socketTimeoutMS: 800, dbName: 'shop',
    });
  });

  const hasModule = fs.existsSync(path.join(require('../../lib/addon').folder, 'nextid_mongo.node'));
  (hasModule ? test : test.skip)('NODE_DEBUG=nextid tells which options are ignored', () => {
    const { spawnSync } = require('node:child_process');
    const code = "require('.').open('mongodb://me:hunter2@127.0.0.1:1/shop?family=4&poolSize=5').close()";
    const env = { ...process.env, NODE_DEBUG: 'nextid', NEXTID_MONGODB: '' };
    const cwd = path.join(__dirname, '../..');
    const { stderr } = spawnSync(process.execPath, ['-e', code], { cwd, env, encoding: 'utf8' });
    expect(stderr.match(/127\.0\.0\.1:1\/shop: ignored, .*: family, poolSize\n/g)).toHaveLength(1);
    expect(stderr).not.toContain('hunter2');
  });

  test.each([
    ['mongodb://localhost/shop', []],
    ['mongodb://root@localhost/shop', []],
    ['mongodb://root:@localhost/shop', []],
    ['mongodb://root:hunter2@localhost/shop', ['hunter2']],
    ['mongodb://root:%68unter%2A@localhost/shop', ['%68unter%2A', 'hunter*', 'hunter%2A', 'hunter%2a']],
    ['mongodb://root:p%40s%c3%b6@a/b', ['p%40s%c3%b6', 'p@s\u00f6', 'p%40s%C3%B6']],
    ['mongodb://root:(x)@a/b', ['(x)', '%28x%29']],
    ['mongodb://a/b?TLSCertificateKeyFilePassword=x=y', ['x=y', 'x%3Dy', 'x%3dy']],
    ['mongodb://me:1@a/b?sslClientCertificateKeyPassword=2', ['1', '2']],
    ['mongodb://a/b?authMechanismProperties=', []],
    ['mongodb://a/b?authMechanismProperties=SERVICE_NAME:a,service_realm:b,X:c,Y:,Z:d', ['c', 'd']],
    ['mongodb://a/b?authMechanismProperties=SERVICE_NAME%3Aa%2CX%3ac%2cY:d', ['c', 'd']],
    ['mongodb://a/b?authMechanismProperties=X:a:b,c', ['a:b', 'a%3Ab', 'a%3ab', 'c']],
    ['mongodb://a/b?authMechanismProperties=hunter2', ['hunter2']],
    ['mongodb://a/b?appName=a&replicaSet=b&authSource=c&tlsCAFile=d', []],
  ])('%p has the secrets %p', (url, secrets) => {
    expect(parseSource(url).secrets).toEqual(secrets);
  });

  test.each([
    ['mongodb:localhost/shop', 'mongodb://'],
    ['mongodb:/localhost/shop', 'mongodb://'],
    ['mongodb://', 'no host'],
    ['mongodb:///shop', 'no host'],
    ['mongodb:///tmp/mongodb.sock/shop', 'no host', '%2F'],
    ['mongodb://@localhost/shop', 'no user name'],
    ['mongodb://:hunter2@localhost/shop', 'no user name'],
    ['mongodb://root:hunt@er2@localhost/shop', 'percent-encoded'],
    ['mongodb://root:hunt:er2@localhost/shop', 'percent-encoded'],
    ['mongodb://root:hunt/er2@localhost/shop', 'percent-encoded'],
    ['mongodb://root:hunt%er2@localhost/shop', 'percent-encoded'],
    ['mongodb://root:hunt/er2@localhost/shop', '%2F'],
    ['mongodb://root:hunt\\er2@localhost/shop', 'percent-encoded', '%5C'],
    ['mongodb://ro\\ot:hunter2@localhost/shop', '%5C'],
    ['mongodb://root\\:hunter2@localhost/shop', '%5C'],
    ['mongodb://root:12,hunter2#localhost/shop', 'percent-encoded'],
    ['mongodb://localhost', 'no database', 'mongodb://localhost/shop'],
    ['mongodb://localhost/', 'no database', 'mongodb://localhost/shop'],
    ['mongodb://localhost?w=1', 'no database', 'mongodb://localhost/shop'],
    ['mongodb://localhost/?collection=ids', 'no database'],
    ['mongodb://localhost:/shop', 'port'],
    ['mongodb://localhost:0/shop', "port of 'localhost:0'", 'from 1 to 65535'],
    ['mongodb://root:hunter2@a,[::1]:99999/shop', "port of '[::1]:99999'"],
    ['mongodb://localhost:undefined/shop', "port of 'localhost:undefined'"],
    ['mongodb://localhost:65536/shop', "port of 'localhost:65536'"],
    ['mongodb://localhost:+1/shop', 'port', 'host'],
    ['mongodb://::1/shop', 'host'],
    ['mongodb://[::1%20x]/shop', 'host'],
    ['mongodb://a,/shop', 'host'],
    ['mongodb://a;b/shop', 'host'],
    ['mongodb://%2Ftmp%2Fmongodb.sock:1/shop', 'host'],
    ['mongodb+srv://cluster.example.com:27017/shop', 'without a port'],
    ['mongodb+srv://a.example.com,b.example.com/shop', 'one host'],
    ['mongodb+srv://localhost/shop', 'two dots'],
    ['mongodb://localhost/a/b', 'database'],
    ['mongodb://localhost/a.b', 'database'],
    ['mongodb://localhost/a%20b', 'database'],
    ['mongodb://localhost/a$b', 'database'],
    ['mongodb://localhost/a%00b', 'database'],
    ['mongodb://localhost/a%2Fb', 'database'],
    ['mongodb://localhost/a%b', 'database', '%'],
    ['mongodb://localhost/shop#ids', 'database', '#'],
    ['mongodb://localhost/local', 'not replicated'],
    ['mongodb://localhost/shop\n', 'line ends'],
    ['mongodb://local host/shop', '%20'],
    ['mongodb://localhost/\ud83d', 'control characters'],
  ])('%p is refused', expectRefused);

  test.each([
    ['colection=a', "'colection'", "did you mean 'collection'?"],
    ['collections=a', "did you mean 'collection'?"],
    ['%63ollection=a', "did you mean 'collection'?"],
    ['retryWrite=true', "did you mean 'retryWrites'?"],
    ['wtimeouts=5', "did you mean 'wTimeoutMS'?"],
    ['maxConecting=5', "did you mean 'maxConnecting'?"],
    ['zebra=5', "'zebra'", 'libmongoc', 'the package mongodb', 'leave it out'],
    ['readConcern=local', "did you mean 'readConcernLevel'?"],
    ['maxConnecting=2&MAXCONNECTING=2', "'maxConnecting'", 'twice'],
    ['j=true&journal=true', "'journal'", 'twice'],
    ['family', "'family'", 'family=VALUE'],
    ['PROXYHOST=a&proxyPort=1', "'proxyHost'", 'without the proxy', 'open(new MongoClient(url))'],
    ['proxyPort=1080', "'proxyPort'", 'without the proxy'],
    ['proxyUsername=me', "'proxyUsername'", 'without the proxy'],
    ['proxyPassword=hunter2', "'proxyPassword'", 'without the proxy'],
    ['autoEncryption=a', "'autoEncryption'", 'without encryption', 'open(new MongoClient(url))'],
    ['tlsCRLFile=a', "'tlsCRLFile'", 'revoked'],
    ['servername=a', "'servername'", 'TLS server name'],
    ['srvAllowedHostsSuffix=a.b.c', "'srvAllowedHostsSuffix'", 'DNS'],
    ['=a', "''"],
    ['w', "'w'", 'w=VALUE'],
    ['collection', "'collection'", 'collection=VALUE'],
    ['collection=', 'collection', 'name'],
    ['collection=a&Collection=a', "'collection'", 'twice'],
    ['tls=true&TLS=true', "'tls'", 'twice'],
    ['collection=a$b', '$', "'a$b'"],
    ['collection=a%00b', 'NUL'],
    ['collection=system.ids', "'system.'"],
    ['collection=.ids', 'dot'],
    ['collection=a%b', '%25'],
    ['w=1;collection=a', '&', '%3B'],
    ['w=1?collection=a', '%3F'],
    ['w=1#a', '%23'],
    ['appName=a@b', '%40'],
    ['appName=a\\&w=0', "'appName'", '%5C'],
  ])('the option %p is refused', (options, ...words) => {
    expectRefused(`mongodb://localhost/shop?${options}`, ...words);
  });
});

test('no password is shown, however malformed the URL is', () => {
  // What a person who does not know of percent-encoding may write.
  const passwords = ['hunter2', ...[...'@:/?#[]%\\$&;=, \n\0'].flatMap((character) => [
    `hunter2${character}`, `${character}hunter2`, `hunter2${character}hunter2`, `hunter2${character}@hunter2`,
  ])];
  const inFull = passwords.flatMap((password) => [
    `mongodb://root:${password}@localhost`,
    `mongodb://root:${password}@localhost/shop`,
    `mongodb://root:${password}@localhost/shop?colection=a`,
    `mongodb://root:${password}@localhost:99999/shop`,
    `mongodb://root:${password}@/shop`,
    `mongodb+srv://root:${password}@localhost/shop`,
    `mongodb://root\uff1a${password}\uff20localhost/shop`, // as a Japanese or Chinese keyboard types : and @
    `mongodb:root:${password}@localhost/shop`,
    `mongdb://root:${password}@localhost/shop`,
    `sqlite:///root:${password}@localhost/shop`,
    `sqlite://root:${password}`,
    `root:${password}@localhost/shop`,
    `//root:${password}@localhost/shop`,
    `mongodb://localhost?tlsCertificateKeyFilePassword=${password}`,
    `mongodb://localhost/shop?tlsCertificateKeyFilePassword=${password}&colection=a`,
    `mongodb://localhost/shop?TLSCERTIFICATEKEYFILEPASSWORD=${password}&tls`,
    `mongodb://localhost/shop?authMechanismProperties=AWS_SESSION_TOKEN:${password}&w`,
    `mongodb://localhost/shop?tlsCertificateKeyFilPassword=${password}`,
    `mongodb://localhost/shop?proxyPassword=${password}`,
    `mongodb://localhost/shop?proxyHost=a&PROXYPASSWORD=${password}&colection=a`,
    `mongodb://localhost/shop?proxyPasword=${password}&w`,
  ]);
  inFull.push('mongodb://root:12,hunter2#localhost/shop');
  const withoutHost = passwords.filter((password) => !password.includes('@')).flatMap((password) => [
    `mongodb://root:x${password}`, `mongodb://root:x${password}/shop`,
  ]);

  const everythingShown = (url) => {
    try {
      return parseSource(url).shown;
    } catch (error) {
      return inspect(error);
    }
  };
  expect([...inFull, ...withoutHost].filter((url) => everythingShown(url).includes('hunter2'))).toEqual([]);
});

describe('other URLs', () => {
  test.each([
    ['mongdb://root:hunter2@localhost/shop', "'mongdb:'", "did you mean 'mongodb:'?"],
    ['MongoDB://localhost/shop', "did you mean 'mongodb:'?"],
    ['sqlite3:ids.db', "did you mean 'sqlite:'?"],
    ['redis://localhost/shop', "'redis:'", 'sqlite:', 'mongodb:', 'mongodb+srv:', 'postgres:', 'mysql:'],
    ['postgre://localhost/shop', "did you mean 'postgres:'?"],
    ['localhost:27017/shop', "'localhost:'", 'mongodb:'],
    ['ids.db', "'ids.db'", 'sqlite:ids.db'],
    ['C:\\data\\ids.db', "'C:'", "did you mean 'sqlite:C:'?"],
    ['undefined', "is 'undefined'", 'environment variable set'],
    ['', 'is empty: expected', 'sqlite:ids.db', 'environment variable'],
    [undefined, 'is undefined: expected', 'sqlite:ids.db', 'environment variable', '$NEXTID_STORE'],
    [new URL('file:///ids.db'), "'file:'"],
  ])('%p is refused', expectRefused);

  const object = { href: 'mongodb://root:hunter2@localhost/shop' };
  test.each([[null, 'null'], [5, '5'], [object, 'an object']])(
    '%p is not a string', (url, shown) => {
      const error = errorOf(url);
      expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
      expect(error.message).toContain(shown);
      expect(error.message).not.toContain('hunter2');
    },
  );
});

describe('objects', () => {
  const f = () => {};
  const clientOf = (version) => ({
    db: f, startSession: f, options: { hosts: ['db1:27017'], metadata: { driver: { version } } },
  });
  const connectionOf = (version) => ({ asPromise: f, getClient: f, base: { version } });

  test.each([
    ['an object', {}], ['an array', []], ['a function', f], ['an instance of Promise', Promise.resolve()],
    ['an instance of Map', new Map()],
  ])('%s is no store: the error lists what open() takes', (shown, object) => {
    const error = errorOf(object);
    expect(error).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
    expect(error.message).toBe(`the store is ${shown}: expected a URL such as 'sqlite:ids.db', ` +
      "'mongodb://host/database', 'postgres://host/database' or 'mysql://host/database', " +
      'a connection of Mongoose, a MongoClient, a Db, a Pool of pg, the sql of postgres, ' +
      "a pool of mysql2, 'memory:' or " +
      'an object with read(), compareAndSet() and list()');
  });

  test.each([
    [{ read: f, list: f }, 'no method compareAndSet()', 'read(), compareAndSet() and list()'],
    [{ compareAndSet: f }, 'no method read() and no method list()'],
    [{ createConnection: f, connection: connectionOf('9.0.0') }, 'open(mongoose.connection)'],
    [clientOf('5.9.2'), 'version 5.9.2 of the package mongodb', 'version 6', 'npm install mongodb@latest'],
    [{ command: f, collection: f, client: clientOf('4.0.0') }, 'npm install mongodb@latest'],
    [connectionOf('7.8.0'), 'version 7.8.0 of the package mongoose', 'npm install mongoose@latest'],
  ])('%p is refused', expectRefused);

  test.each([
    [clientOf('6.0.0'), 'mongodb-driver', 'mongodb://db1:27017'],
    [clientOf(undefined), 'mongodb-driver', 'mongodb://db1:27017'],
    [connectionOf('8.0.0'), 'mongodb-driver', 'a connection of Mongoose'],
    [{ read: f, compareAndSet: f, list: f }, 'custom', 'custom store'],
  ])('%p is a store', (object, store, shown) => {
    expect(parseSource(object)).toMatchObject({ store, shown });
  });
});
