'use strict';

// Any text as the URL of a store is taken apart or refused as one, and no password shows in what comes of it.

const fc = require('fast-check');
const { inspect } = require('node:util');

const { show } = require('../../lib/errors');
const { parseSource } = require('../../lib/stores');

const CHECKED = { seed: 20140625, numRuns: 1000 };
const SECRET = 'Qx7zKw';

/** What comes of `url`: { target } or { error }, and that it is one of the documented ones. */
function parsed(url) {
  try {
    return { target: parseSource(url) };
  } catch (error) {
    expect(error.name).toBe('TypeError');
    expect(error.code).toMatch(/^ERR_INVALID_ARG_(TYPE|VALUE)$/);
    expect(error.message).not.toBe('');
    return { error };
  }
}

function shown({ target, error }) {
  return error === undefined ? target.shown : `${error.message}\n${error.stack}\n${inspect(error)}`;
}

const reserved = fc.constantFrom(...':/?#[]@%&=;, \n.', '%40');
const word = fc.constantFrom('localhost', 'db', '27017');
const messy = fc.array(fc.oneof(reserved, word, fc.string({ maxLength: 4 })), { maxLength: 8 })
  .map((parts) => parts.join(''));
const scheme = fc.constantFrom(
  'mongodb', 'mongodb+srv', 'MongoDB', 'sqlite', 'mongo', 'postgres', 'mysql', 'http');
const host = fc.constantFrom('localhost', 'a.example.com', '10.0.0.1:27017', 'h1:1,h2:2', '[::1]:27017');

test('anything at all is taken or refused', () => {
  fc.assert(fc.property(fc.oneof(messy, fc.string(), fc.anything(),
    fc.tuple(scheme, fc.constantFrom(':', '://'), messy).map((parts) => parts.join(''))), (url) => {
    const { target } = parsed(url);
    if (target === undefined) return;
    expect(['sqlite', 'mongodb', 'postgres', 'mysql']).toContain(target.store);
    expect(target.shown).not.toContain('?');
  }), CHECKED);
});

test('a password before the last @ is never shown, however the URL is written', () => {
  fc.assert(fc.property(scheme, messy, messy, messy, messy, (used, user, before, after, rest) => {
    const url = `${used}://${user}:${before}${SECRET}${after}@${rest}`;
    expect(shown(parsed(url))).not.toContain(SECRET);
  }), CHECKED);
});

test('a password of a URL that is fine stays in the URL for the driver only', () => {
  const plain = fc.stringMatching(/^[A-Za-z0-9._~-]{0,8}$/);
  const any = fc.string({ unit: 'grapheme', maxLength: 8 });
  fc.assert(fc.property(plain, any, host, (user, password, hosts) => {
    const written = encodeURIComponent(SECRET + password);
    const result = parsed(`mongodb://u${user}:${written}@${hosts}/shop?w=1&collection=c`);
    expect(result.target).toMatchObject({ collection: 'c', shown: `mongodb://${hosts}/shop` });
    expect(result.target.url).toBe(`mongodb://u${user}:${written}@${hosts}/shop?w=1`);
  }), CHECKED);
});

test('of a password no three characters are shown, in none of its forms', () => {
  // No message has any of these characters, nor the codes of these.
  const character = fc.constantFrom(...'QXZ~^\u0436\u2602\u{1f512}');
  const password = fc.string({ unit: character, minLength: 3, maxLength: 12 });
  const hex = (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');
  const writing = fc.constantFrom(encodeURIComponent, hex, (text) => hex(text).toUpperCase(), (text) => text);
  const rest = fc.constantFrom('localhost/shop', 'localhost', 'localhost:0/shop', '/shop', 'a/b.c', 'a/b?x=y',
    'a/b?w', 'a/b?collection=$', 'a/b#', 'a/local', 'a,/b');
  fc.assert(fc.property(password, writing, rest, (secret, write, after) => {
    const written = write(secret);
    const result = parsed(`mongodb://root:${written}@${after}`);
    const encoded = encodeURIComponent(secret);
    const forms = [written, secret, encoded, encoded.replace(/%../g, (code) => code.toLowerCase())];
    if (result.target !== undefined) expect(result.target.secrets).toEqual([...new Set(forms)]);
    const seen = result.error === undefined ? result.target.shown : result.error.message;
    const parts = forms.flatMap((form) => (
      Array.from({ length: form.length - 2 }, (_, i) => form.slice(i, i + 3))));
    expect(parts.filter((part) => seen.includes(part))).toEqual([]);
  }), CHECKED);
});

test('the secret of an option is never shown, however the option is written', () => {
  const option = fc.constantFrom('tlsCertificateKeyFilePassword', 'TLSCERTIFICATEKEYFILEPASSWORD',
    'sslClientCertificateKeyPassword', 'authMechanismProperties', 'proxyPassword');
  const others = fc.array(fc.constantFrom('w=1', 'tls=true', 'tlss=true', 'w', 'collection=$', 'x=%'),
    { maxLength: 3 });
  const value = fc.tuple(messy, messy).map(([before, after]) => `${before}${SECRET}${after}`);
  fc.assert(fc.property(host, option, value, others, others, (hosts, name, secret, first, last) => {
    const options = [...first, `${name}=${secret}`, ...last].join('&');
    expect(shown(parsed(`mongodb://${hosts}/shop?${options}`))).not.toContain(SECRET);
  }), CHECKED);
});

test('a value in a message shows nothing that may be a password', () => {
  fc.assert(fc.property(messy, messy, messy, (user, before, rest) => {
    expect(show(`${user}${before}${SECRET}@${rest}`)).not.toContain(SECRET);
    expect(show(`x://${user}${SECRET}${rest}`)).not.toContain(SECRET);
    expect(show({ url: SECRET })).not.toContain(SECRET);
    expect(show([SECRET])).not.toContain(SECRET);
  }), CHECKED);
});

test('a sqlite: URL names the file as it is written', () => {
  fc.assert(fc.property(fc.oneof(messy, fc.string()), (file) => {
    const { target } = parsed(`sqlite:/tmp/x${file}`);
    if (target === undefined) return;
    expect(file).not.toMatch(/[?#\0]/);
    expect(target.path).toBe(require('node:path').resolve(`/tmp/x${file}`));
    expect(target.shown).toBe(`sqlite:${target.path}`);
  }), CHECKED);
});
