'use strict';

const fs = require('node:fs');
const { createSecretKey } = require('node:crypto');
const { isUint8Array } = require('node:util/types');

const { show, wrongType, wrongValue } = require('../errors');
const { integer, isPlainObject, readOptions } = require('../validators');
const { Ff1 } = require('./ff1');

const WHAT = "the option 'encrypt.key'";
const FORMS = "a Uint8Array of 16, 24 or 32 bytes, as many in hexadecimal digits, or { file: 'PATH' }";
const LENGTHS = [16, 24, 32]; // bytes
const FEWEST_DIGITS = 6; // FF1 demands at least a million texts
const MOST_DIGITS = 15;

/** The option `encrypt`, checked, with the key as a KeyObject: nothing prints that. */
function encryptOption(encrypt) {
  // A message with its value could show a key.
  if (!isPlainObject(encrypt)) throw wrongType("the option 'encrypt'", '{ key, digits }', typeof encrypt);
  const { key, digits } = readOptions(encrypt, ['key', 'digits'], 'encryption');
  integer("the option 'encrypt.digits'", digits, FEWEST_DIGITS, MOST_DIGITS);
  return Object.freeze({ key: createSecretKey(bytesOf(key)), digits });
}

// No message shows what may be a key.
function bytesOf(key) {
  if (isUint8Array(key)) return checked(key, WHAT);
  if (typeof key === 'string') return checked(fromHex(key) ?? Buffer.alloc(0), WHAT);
  if (!isPlainObject(key)) throw wrongType(WHAT, FORMS, typeof key);
  const { file } = readOptions(key, ['file'], 'a key', WHAT);
  if (typeof file !== 'string') throw wrongType("the option 'encrypt.key.file'", 'a path', typeof file);
  if (fromHex(file) !== undefined) throw wrongValue("the option 'encrypt.key.file' is a key", 'a path');
  const content = readKeyFile(file);
  return checked(fromHex(content.latin1Slice().trim()) ?? content, `the key file ${show(file)}`);
}

function readKeyFile(file) {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw wrongValue(`the key file ${show(file)} cannot be read (${error.code})`, FORMS);
  }
}

function fromHex(text) {
  const isHex = /^[0-9a-f]*$/i.test(text) && LENGTHS.includes(text.length / 2);
  return isHex ? Buffer.from(text, 'hex') : undefined;
}

function checked(bytes, what) {
  if (LENGTHS.includes(bytes.length)) return bytes;
  throw wrongValue(`${what} has a wrong length or form`, FORMS,
    "make a key with: node -p \"crypto.randomBytes(16).toString('hex')\"");
}

/** The cipher of the sequence `name`. `prefix` is the period of a dated one: each has ids of its own. */
function cipherOf({ key, digits }, name, prefix) {
  const tweak = prefix === undefined ? name : `${name}\0${prefix}`; // no name has a NUL character
  return new Ff1(key, digits, Buffer.from(tweak));
}

module.exports = { cipherOf, encryptOption };
