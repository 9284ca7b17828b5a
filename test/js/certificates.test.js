'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const tls = require('node:tls');
const { authoritiesFile, withAuthorities } = require('../../lib/stores/mongodb-certificates');
const { runProgram } = require('../support/run-program');

describe('withAuthorities', () => {
  const HOST = 'mongodb://localhost/shop';
  const complete = (url) => withAuthorities(url, () => '/etc/ca file.pem');
  const NAMED = 'tlsCAFile=%2Fetc%2Fca%20file.pem';

  test.each([
    [`${HOST}?tls=true`, `${HOST}?tls=true&${NAMED}`],
    [`${HOST}?w=1&SSL=true`, `${HOST}?w=1&SSL=true&${NAMED}`],
    [`${HOST}?tlsAllowInvalidHostnames=true`, `${HOST}?tlsAllowInvalidHostnames=true&${NAMED}`],
    ['mongodb+srv://a.b.c/shop', `mongodb+srv://a.b.c/shop?${NAMED}`],
  ])('names the authorities in %s', (url, expected) => {
    expect(complete(url)).toBe(expected);
  });

  test.each([
    HOST, `${HOST}?tls=false`, `${HOST}?tls=true&tlsCAFile=mine.pem`, `${HOST}?ssl=true&TLSCAFILE=mine.pem`,
    `${HOST}?tls=true&sslCertificateAuthorityFile=mine.pem`, 'mongodb+srv://a.b.c/shop?tls=false',
  ])('leaves %s as it is', (url) => {
    expect(complete(url)).toBe(url);
  });

  test('leaves it to OpenSSL where the environment says so', () => {
    expect(withAuthorities(`${HOST}?tls=true`, () => undefined)).toBe(`${HOST}?tls=true`);
  });
});

describe('authoritiesFile', () => {
  const given = process.env;
  const { SSL_CERT_FILE, SSL_CERT_DIR, ...environment } = given;
  let folder;
  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-'));
    process.env = { ...environment };
  });
  afterEach(() => {
    fs.rmSync(folder, { recursive: true });
    process.env = given;
  });

  test('is the first that is there and not empty', () => {
    const files = ['missing', 'empty', 'first', 'second'].map((name) => path.join(folder, name));
    fs.writeFileSync(files[1], '');
    fs.writeFileSync(files[2], 'x');
    fs.writeFileSync(files[3], 'y');
    expect(authoritiesFile(files)).toBe(files[2]);
  });

  test.each(['SSL_CERT_FILE', 'SSL_CERT_DIR'])('is what OpenSSL finds by itself, with $%s', (name) => {
    process.env[name] = '/somewhere';
    expect(authoritiesFile()).toBeUndefined();
  });

  test('holds those of Node where there are none, for this user alone, until the process ends', async () => {
    const program = (module) => {
      const { statSync, readFileSync } = require('node:fs');
      const { authoritiesFile: find } = require(module);
      const file = find([]);
      console.log(JSON.stringify({
        file, again: find([]), mode: statSync(file).mode & 0o777, text: readFileSync(file, 'utf8'),
      }));
    };
    const module = require.resolve('../../lib/stores/mongodb-certificates');
    const { stdout, code } = await runProgram(program, [module]);
    expect(code).toBe(0);
    const { file, again, mode, text } = JSON.parse(stdout);
    expect(again).toBe(file);
    expect(mode).toBe(0o600);
    expect(text).toBe(tls.rootCertificates.join('\n'));
    expect(fs.existsSync(path.dirname(file))).toBe(false);
  });
});
