'use strict';

const { createCipheriv } = require('node:crypto');

const ROUNDS = 10;
const BLOCK = 16; // bytes

// `x` modulo `m`, exact for integers from -2^53 to 2^53. The operator % takes several times as long.
const modulo = (x, m) => x - Math.floor(x / m) * m;

/**
 * FF1 of NIST SP 800-38G, radix 10, for texts of 6 to 15 digits: a permutation of the numbers below
 * 10^digits.
 *
 * A text is split into two halves, which are encrypted in turns: each round adds to one half a pseudorandom
 * number made of the other one. That number is the AES-CBC-MAC of the lengths, the tweak, the round and the
 * other half. Only the last block depends on round and half, and at these lengths (the standard's b <= 4 and
 * d = 8) its first 8 bytes are the number. So a round costs one AES block, and many texts share one call.
 */
class Ff1 {
  #cipher;
  #moduli; // of even and odd rounds: 10^(digits of the half)
  #carries; // 2^32 modulo these, the nearest to 0
  #base; // the last block before AES, without round and half
  #halfBytes; // b in the standard
  #blocks = Buffer.alloc(0);

  /**
   * @param {KeyObject} key of AES-128, 192 or 256
   * @param {number} digits 6 to 15
   * @param {Buffer} tweak any length
   */
  constructor(key, digits, tweak) {
    const [u, v] = [Math.floor(digits / 2), Math.ceil(digits / 2)];
    this.digits = digits;
    this.#cipher = createCipheriv(`aes-${key.symmetricKeySize * 8}-ecb`, key, null).setAutoPadding(false);
    this.#moduli = [10 ** u, 10 ** v];
    this.#carries = this.#moduli.map((m) => modulo(2 ** 32 + m / 2, m) - m / 2);
    this.#halfBytes = Math.ceil(Math.ceil(v * Math.log2(10)) / 8);
    const head = Buffer.from([1, 2, 1, 0, 0, 10, 10, u, 0, 0, 0, digits, 0, 0, 0, 0]);
    head.writeUInt32BE(tweak.length, 12);
    const padding = modulo(-tweak.length - this.#halfBytes - 1, BLOCK);
    const input = Buffer.concat([head, tweak, Buffer.alloc(padding + 1 + this.#halfBytes)]);
    this.#base = Buffer.alloc(BLOCK);
    for (let at = 0; at < input.length; at += BLOCK) {
      if (at > 0) this.#base = this.#cipher.update(this.#base);
      for (let i = 0; i < BLOCK; i++) this.#base[i] ^= input[at + i];
    }
  }

  /** The texts of `size` numbers: `first`, `first + step`, … All must be integers from 0 to 10^digits - 1. */
  encrypt(first, step, size) {
    const [left, right] = [new Float64Array(size), new Float64Array(size)];
    const [, unit] = this.#moduli;
    for (let i = 0; i < size; i++) {
      const number = first + i * step;
      left[i] = Math.floor(number / unit);
      right[i] = number - left[i] * unit;
    }
    for (let round = 0; round < ROUNDS; round++) this.#run(round, left, right, 1);
    return this.#toTexts(left, right);
  }

  /** The number of which `text` was made. */
  decrypt(text) {
    const [, unit] = this.#moduli;
    const number = Number(text);
    const left = Float64Array.of(modulo(number, unit));
    const right = Float64Array.of(Math.floor(number / unit));
    for (let round = ROUNDS - 1; round >= 0; round--) this.#run(round, left, right, -1);
    return right[0] * unit + left[0];
  }

  // One round: [left, right] become [right, left ± number made of right].
  #run(round, left, right, sign) {
    const size = left.length;
    const m = this.#moduli[round % 2];
    const carry = this.#carries[round % 2];
    const made = this.#numbersOf(round, right);
    for (let i = 0; i < size; i++) {
      const high = modulo(made.getUint32(i * BLOCK), m);
      const number = modulo(high * carry + made.getUint32(i * BLOCK + 4), m);
      const sum = modulo(left[i] + sign * number, m);
      left[i] = right[i];
      right[i] = sum;
    }
  }

  // A view of blocks that begin with the pseudorandom numbers, of 8 bytes.
  #numbersOf(round, halves) {
    const size = halves.length;
    if (this.#blocks.length < size * BLOCK) this.#blocks = Buffer.alloc(size * BLOCK);
    const blocks = this.#blocks.subarray(0, size * BLOCK);
    const input = new DataView(blocks.buffer, blocks.byteOffset, blocks.length);
    const base = Buffer.from(this.#base);
    base[BLOCK - 1 - this.#halfBytes] ^= round;
    const words = [0, 4, 8, 12].map((at) => base.readInt32BE(at));
    for (let i = 0; i < size; i++) {
      input.setInt32(i * BLOCK, words[0]);
      input.setInt32(i * BLOCK + 4, words[1]);
      input.setInt32(i * BLOCK + 8, words[2]);
      input.setInt32(i * BLOCK + 12, words[3] ^ halves[i]);
    }
    const output = this.#cipher.update(blocks);
    return new DataView(output.buffer, output.byteOffset, output.length);
  }

  // All digits are written into one buffer, which is several times as fast as padStart().
  #toTexts(left, right) {
    const size = left.length;
    const { digits } = this;
    const half = Math.floor(digits / 2);
    const bytes = Buffer.allocUnsafe(size * digits);
    for (let i = 0; i < size; i++) {
      writeDigits(bytes, i * digits, i * digits + half, left[i]);
      writeDigits(bytes, i * digits + half, (i + 1) * digits, right[i]);
    }
    const all = bytes.latin1Slice();
    return Array.from({ length: size }, (_, i) => all.slice(i * digits, (i + 1) * digits));
  }
}

function writeDigits(bytes, begin, end, number) {
  let rest = number | 0;
  for (let at = end - 1; at >= begin; at--) {
    const next = (rest / 10) | 0;
    bytes[at] = 48 + rest - next * 10;
    rest = next;
  }
}

module.exports = { Ff1 };
