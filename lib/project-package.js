'use strict';

const { NextIdError, messageOf } = require('./errors');

/**
 * A package of the service's own: nextid depends on none. `least` is the oldest major version, `what` what it
 * is for, such as 'for postgres: URLs'.
 */
function ofProject(name, least, what) {
  const paths = [process.cwd(), require.main?.path, __dirname].filter(Boolean);
  let found;
  try {
    found = require.resolve(name, { paths });
  } catch {
    throw unsupported(`the package ${name} is not installed`, `it, ${what}`, `run npm install ${name}`);
  }
  const version = versionOf(name, paths);
  if (Number.parseInt(version, 10) < least) {
    throw unsupported(`the package ${name} is of version ${version}`, `version ${least} or newer, ${what}`,
      `run npm install ${name}@latest`);
  }
  return require(found);
}

function versionOf(name, paths) {
  try {
    return require(require.resolve(`${name}/package.json`, { paths })).version;
  } catch {
    return undefined; // it does not tell
  }
}

function unsupported(...words) {
  return new NextIdError(messageOf(...words), { code: 'ERR_NEXTID_STORE_UNSUPPORTED' });
}

module.exports = { ofProject };
