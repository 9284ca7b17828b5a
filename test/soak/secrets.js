'use strict';

const { inspect } = require('node:util');

const SHORTEST = 4; // characters; a shorter one would be found anywhere

/** What is secret in a URL: its password, as it is written there and as it is meant. */
function secretsOf(url) {
  const { password } = URL.canParse(url) ? new URL(url) : {};
  if (!password) return [];
  return [password, decodeURIComponent(password)].filter(({ length }) => length >= SHORTEST);
}

/** Whether one of `secrets` is in what a program may print of `value`: an error, an object, or a text. */
function shows(secrets, value) {
  if (secrets.length === 0) return false;
  const texts = [String(value), value?.stack, inspect(value, { depth: Infinity, showHidden: true })];
  return texts.some((text) => text && secrets.some((secret) => text.includes(secret)));
}

module.exports = { secretsOf, shows };
