'use strict';

// postgres: and mysql: URLs.

const { nearest, show, wrongValue } = require('../errors');
const { identifier } = require('../validators');

const OWN = ['table', 'schema'];

/**
 * Removes our own options `table` and `schema` from the URL of a server. Returns { shown, driverUrl, table,
 * schema }: for errors, without credentials and options; for the driver.
 */
function readSqlUrl(url, server) {
  const [, scheme, rest] = /^([a-z]+):\/\/(.*)$/s.exec(url) ?? [];
  if (scheme === undefined) {
    const [, given] = /^([a-z]+):/.exec(url);
    throw wrongValue(`the ${server} URL has no '//' after '${given}:'`, `${given}://host/database`);
  }
  if (/\s|[^ -~\xa0-\uffff]/.test(rest) || !rest.isWellFormed()) {
    throw wrongValue(`the ${server} URL has spaces, line ends or control characters`, 'none of them',
      'percent-encode those that belong to it (a space is %20)');
  }
  const [, authority, tail] = /^([^/?#]*)(.*)$/.exec(rest);
  if (tail.includes('@') || tail.includes('#')) {
    throw wrongValue(`the ${server} URL has a reserved character that is not encoded`,
      'user and password percent-encoded', "encode '/' as %2F, '?' as %3F, '#' as %23 and '@' as %40");
  }
  decoded(authority, server);
  // Drivers throw errors that show the whole URL.
  if (!URL.canParse(url)) {
    throw wrongValue(`the ${server} URL cannot be read`, `${scheme}://user:password@host:port/database`);
  }
  const [, database, query = ''] = /^([^?]*)\??(.*)$/.exec(tail);
  // Without it, a driver takes one named like its user: instances with other users would count elsewhere.
  if (!/^\/[^/]/.test(database)) {
    throw wrongValue(`the ${server} URL names no database`, `${scheme}://host/database`);
  }
  const hosts = authority.slice(authority.lastIndexOf('@') + 1);
  const own = {};
  const others = query.split('&').filter((pair) => {
    const [, name, value] = /^(table|schema)=(.*)$/.exec(pair) ?? [];
    if (name === undefined) {
      refuseMisspelt(decoded(pair.split('=')[0], server), server);
      return pair !== '';
    }
    if (own[name] !== undefined) throw wrongValue(`the ${server} URL has the option '${name}' twice`, 'one');
    own[name] = identifier(`the option '${name}' of the URL`, decoded(value, server));
    return false;
  });
  const driverUrl = `${scheme}://${authority}${database}${others.length > 0 ? `?${others.join('&')}` : ''}`;
  return { shown: `${scheme}://${hosts}${database}`, driverUrl, ...own };
}

// Drivers ignore options that they do not know: the counters would be in another table, and ids come twice.
function refuseMisspelt(name, server) {
  const meant = nearest(name, OWN) ?? OWN.find((own) => new RegExp(`^${own}|${own}$`, 'i').test(name));
  if (meant === undefined) return;
  throw wrongValue(`the ${server} URL has the option ${show(name)}`,
    `${meant}=NAME, or an option of the driver`, `did you mean '${meant}'?`);
}

function decoded(value, server) {
  try {
    return decodeURIComponent(value);
  } catch {
    throw wrongValue(`the ${server} URL has a % that begins no percent-encoded character`, 'such as %25');
  }
}

// In an open transaction, a reservation could be rolled back after its ids were given.
function refuseSingle(what, expected) {
  throw wrongValue(`the store is ${what}, whose open transaction could take ids back that are in use`,
    expected);
}

module.exports = { readSqlUrl, refuseSingle };
