'use strict';

// The options `format`, `series` and `encrypt` of the kinds that count. The default kind uses this file,
// so it loads what these options need only when they are given.

const { numberUpTo, seriesOption } = require('../formats/series');

const SERIES_FLAG = {
  value: 'I/N', type: 'series', help: 'only ids that leave the remainder I when divided by N, such as 1/3',
};

/** The flags of `next` for these options, without --format. */
const COUNT_FLAGS = {
  series: SERIES_FLAG,
  encrypt: { value: 'D:FILE', type: 'encrypt', help: 'encrypts the count as D digits, with the key in FILE' },
};

/** The options of a kind whose ids may be numbers, checked. */
function countOptions({ format, ...others }) {
  if (format !== undefined) {
    const { CountFormat } = require('../formats/count-format');
    void new CountFormat(format);
  }
  return { format, ...seriesAndEncrypt(others) };
}

/** The options `series` and `encrypt`, checked. */
function seriesAndEncrypt({ series, encrypt }) {
  return {
    series: seriesOption(series),
    encrypt: encrypt === undefined ? undefined : require('../formats/encryption').encryptOption(encrypt),
  };
}

/** The last number of a counter whose ids are at most `largest`, a BigInt, and can be encrypted. */
function lastNumber({ series, encrypt }, largest) {
  const most = encrypt === undefined ? largest : 10n ** BigInt(encrypt.digits) - 1n;
  return numberUpTo(series, most < largest ? most : largest);
}

module.exports = { COUNT_FLAGS, SERIES_FLAG, countOptions, lastNumber, seriesAndEncrypt };
