'use strict';

// The option `encrypt`: FF1 of NIST SP 800-38G.

const { execFileSync } = require('node:child_process');
const { createSecretKey, randomBytes } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { inspect } = require('node:util');
const fc = require('fast-check');

const { open } = require('../..');
const { CountFormat } = require('../../lib/formats/count-format');
const { Ff1 } = require('../../lib/formats/ff1');
const { runNextid } = require('../support/run-nextid');
const { describeNativeStores } = require('../support/stores');

// The key of the NIST samples for AES-256. Those for AES-192 and AES-128 are its beginnings.
const KEY = '2B7E151628AED2A6ABF7158809CF4F3CEF4359D8D580AA4F7F036D6F04FC6A94';
const HEX = KEY.slice(0, 32);
const keyOf = (bytes) => Buffer.from(KEY, 'hex').subarray(0, bytes);
const cipher = (digits, tweak = '', bytes = 16) => (
  new Ff1(createSecretKey(keyOf(bytes)), digits, Buffer.from(tweak)));

test.each([
  [1, 16, '', '2433477484'], [2, 16, '9876543210', '6124200773'],
  [4, 24, '', '2830668132'], [5, 24, '9876543210', '2496655549'],
  [7, 32, '', '6657667009'], [8, 32, '9876543210', '1001623463'],
])('FF1 sample %d of NIST: AES with %d bytes, tweak %p', (_, bytes, tweak, text) => {
  const ff1 = cipher(10, tweak, bytes);
  expect(ff1.encrypt(123_456_789, 1, 1)).toEqual([text]);
  expect(ff1.decrypt(text)).toBe(123_456_789);
});

// In a process of its own: in Jest's sandbox it takes ten times as long.
test('all texts of 6 digits occur once', () => {
  const script = `
    const { createSecretKey } = require('node:crypto');
    const { Ff1 } = require('./lib/formats/ff1');
    const ff1 = new Ff1(createSecretKey(Buffer.from('${HEX}', 'hex')), 6, Buffer.from('orders'));
    const seen = new Uint8Array(1_000_000);
    for (let first = 0; first < 1_000_000; first += 1000) {
      for (const text of ff1.encrypt(first, 1, 1000)) seen[Number(text)]++;
    }
    console.log(seen.length, seen.every((times) => times === 1));
  `;
  const cwd = path.join(__dirname, '..', '..');
  expect(execFileSync(process.execPath, ['-e', script], { cwd, encoding: 'utf8' })).toBe('1000000 true\n');
});

test.each([-1, 1_000_000])('a count outside of the digits is refused: %d', (count) => {
  const format = new CountFormat('{count}', { cipher: cipher(6), distance: 1 });
  expect(() => format.write(count)).toThrow(`the count is ${count}: expected 0 to 999999`);
});

test('a text is read back as its number, whatever digits, key, tweak and batch', () => {
  const digits = fc.integer({ min: 6, max: 15 });
  fc.assert(fc.property(digits, fc.string({ maxLength: 40 }), fc.constantFrom(16, 24, 32),
    fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), fc.integer({ min: 1, max: 300 }),
    (n, tweak, bytes, part, step) => {
      const ff1 = cipher(n, tweak, bytes);
      const first = Math.floor(part * (10 ** n - 5 * step - 1));
      const numbers = [0, 1, 2, 3, 4].map((i) => first + i * step);
      const texts = ff1.encrypt(first, step, 5);
      for (const text of texts) expect(text).toMatch(new RegExp(`^[0-9]{${n}}$`));
      expect(texts.map((text) => ff1.decrypt(text))).toEqual(numbers);
      expect(numbers.flatMap((number) => ff1.encrypt(number, 1, 1))).toEqual(texts);
      expect(new Set(texts).size).toBe(5);
    }), { seed: 20140625, numRuns: 300 });
});

test('ids are the same in whatever order counts come, up to the largest', () => {
  const steps = fc.array(fc.constantFrom(3, 3, 3, 3, 6, -3, 300), { minLength: 1, maxLength: 60 });
  fc.assert(fc.property(fc.constantFrom(1, 500_000, 999_700), steps, (start, moves) => {
    const { write } = new CountFormat('A{count}Z', { cipher: cipher(6), distance: 3 });
    let count = start;
    for (const move of moves) {
      count = Math.min(Math.max(count + move, 1), 999_999);
      expect(write(count)).toBe(`A${cipher(6).encrypt(count, 1, 1)}Z`);
    }
    expect(() => write(1_000_000)).toThrow(RangeError);
  }), { seed: 20140625, numRuns: 100 });
});

describeNativeStores('encrypted ids', (fixture) => {
  let url;
  let store;

  beforeEach(() => {
    url = fixture.freshUrl();
    store = open(url);
  });

  afterEach(() => store.close());

  const numbersTo = (n) => Array.from({ length: n }, (_, i) => i + 1);

  test('of a plain sequence: each has the digits, is read back, and comes once', async () => {
    const orders = store.sequence('orders', { encrypt: { key: HEX, digits: 8 } });
    const ids = [await orders.nextId(), orders.tryNextId(), ...await orders.nextIds(1000)];
    for (const id of ids) expect(id).toMatch(/^\d{8}$/);
    expect(ids.map((id) => orders.parse(id).count)).toEqual(numbersTo(1002));
    expect(ids.slice(0, 3)).toEqual(cipher(8, 'orders').encrypt(1, 1, 3));
    const { first, last } = await orders.reserve(100);
    expect(orders.parse(last).count - orders.parse(first).count).toBe(99);
    expect(() => orders.parse('123')).toThrow(/with 8 digits/);
    const others = store.sequence('others', { encrypt: { key: HEX, digits: 8 } });
    expect(await others.nextId()).not.toBe(ids[0]);
  });

  test('with a format, a series, BigInts and a cycle', async () => {
    const options = { encrypt: { key: HEX, digits: 6 }, series: { of: 3, index: 1 }, format: 'A{count:4}' };
    const big = store.sequence('big', { ...options, bigint: true });
    const ids = await big.nextIds(40);
    expect(ids[0]).toMatch(/^A\d{6}$/);
    expect(ids.map((id) => big.parse(id).count)).toEqual(numbersTo(40).map((n) => BigInt(3 * n - 2)));
    const serial = store.sequence('serial', { ...options, cycle: 9 });
    const round = await serial.nextIds(6);
    expect(round.slice(0, 3).map((id) => serial.parse(id).count)).toEqual([1, 4, 7]);
    expect(round.slice(3)).toEqual(round.slice(0, 3));
    expect(() => store.sequence('wide', { ...options, cycle: 10 ** 6 })).toThrow(RangeError);
  });

  test('of a dated sequence: the same count differs from day to day', async () => {
    const tickets = store.sequence('tickets', { period: 'day', encrypt: { key: HEX, digits: 6 } });
    const [first, second] = await tickets.nextIds(2);
    expect(first).toMatch(/^\d{6}-\d{6}$/);
    const { prefix, count } = tickets.parse(first);
    expect([count, tickets.parse(second).count]).toEqual([1, 2]);
    expect(first).toBe(`${prefix}-${cipher(6, `tickets\0${prefix}`).encrypt(1, 1, 1)}`);
    expect(cipher(6, `tickets\0${prefix + 1}`).encrypt(1, 1, 1)).not.toEqual([first.slice(7)]);
    expect(() => tickets.parse('990230-123456')).toThrow(/no day 990230/);
  });

  test('end with the last number that has so many digits', async () => {
    const encrypt = { key: HEX, digits: 6 };
    const orders = store.sequence('orders', { encrypt, start: 999_998 });
    expect((await orders.nextIds(2)).map((id) => orders.parse(id).count)).toEqual([999_998, 999_999]);
    await expect(orders.nextId()).rejects.toMatchObject({
      code: 'ERR_NEXTID_ID_OVERFLOW', message: expect.stringMatching(/below 1000000.* more digits/),
    });
    expect(() => store.sequence('more', { encrypt, start: 1_000_000 })).toThrow(RangeError);
  });

  test('on the command line', async () => {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-')), 'order.key');
    fs.writeFileSync(file, `${HEX}\n`, { mode: 0o600 });
    const { code, stdout } = await runNextid(['next', 'orders', '--encrypt', `8:${file}`, '--store', url]);
    expect([code, stdout]).toEqual([0, `${cipher(8, 'orders').encrypt(1, 1, 1)}\n`]);
    fs.rmSync(path.dirname(file), { recursive: true });
  });
});

describe('keys', () => {
  const store = open('sqlite:never-made.db');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'nextid-'));

  afterAll(async () => {
    await store.close();
    fs.rmSync(folder, { recursive: true });
  });

  const fileWith = (content) => {
    const file = path.join(folder, randomBytes(8).toString('hex'));
    fs.writeFileSync(file, content);
    return { file };
  };

  test.each([16, 24, 32])('of %d bytes are equal in whatever form', (bytes) => {
    const hex = KEY.slice(0, 2 * bytes);
    const sequence = store.sequence(`keys-${bytes}`, { encrypt: { key: keyOf(bytes), digits: 8 } });
    for (const key of [
      hex, hex.toLowerCase(), new Uint8Array(keyOf(bytes)), fileWith(keyOf(bytes)), fileWith(`${hex}\n`),
    ]) {
      expect(store.sequence(`keys-${bytes}`, { encrypt: { key, digits: 8 } })).toBe(sequence);
    }
  });

  // Whatever went wrong, and whatever is printed: no key, and no part of one.
  const expectNoKey = (text) => {
    for (const part of [HEX.slice(0, 8), HEX.slice(-8)]) expect(text.toUpperCase()).not.toContain(part);
  };

  test.each([
    [`${HEX}0`], [HEX.slice(2)], [`${HEX}${HEX}${HEX}`], [Buffer.from(HEX.slice(3))], [[HEX]], [undefined],
    [{ file: HEX }], [fileWith(HEX.slice(1))], [{ file: folder }], [{ file: `${folder}/none` }],
    [{ hex: HEX }], [{ file: 5 }],
  ])('a wrong one is refused (%#)', (key) => {
    for (const encrypt of [{ key, digits: 8 }, key, [key]]) {
      let error;
      try {
        store.sequence('orders', { encrypt });
      } catch (caught) {
        error = caught;
      }
      if (encrypt === undefined) continue;
      expect(error).toBeInstanceOf(TypeError);
      expectNoKey(inspect(error));
    }
  });

  test.each([[5], [16], ['8'], [undefined]])('%p digits are refused', (digits) => {
    expect(() => store.sequence('orders', { encrypt: { key: HEX, digits } })).toThrow(/'encrypt.digits'/);
  });

  test('are not shown by a sequence, nor where options differ', () => {
    const orders = store.sequence('shown', { encrypt: { key: HEX, digits: 8 } });
    expectNoKey(inspect([orders, store], { depth: 9, showHidden: true }));
    expectNoKey(JSON.stringify([orders, store, orders.stats()]));
    for (const [encrypt, difference] of [
      [{ key: KEY, digits: 8 }, 'encrypt with the same key'],
      [{ key: HEX, digits: 9 }, "encrypt: { key: '…', digits: 8 } instead of { key: '…', digits: 9 }"],
    ]) {
      expect(() => store.sequence('shown', { encrypt })).toThrow(expect.objectContaining({
        code: 'ERR_NEXTID_OPTIONS_CONFLICT', message: expect.stringContaining(difference),
      }));
    }
  });

  test('time-stamped sequences have none', () => {
    expect(() => store.sequence('trace', { timestamp: true, encrypt: { key: HEX, digits: 8 } })).toThrow(
      /time-stamped sequence .* has no option 'encrypt'/);
  });
});
