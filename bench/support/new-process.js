'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');

// V8's room for new objects grows in steps, up to 43 MB: one that comes just then is not of what is measured.
const STEADY = ['--max-semi-space-size=1'];

/**
 * Calls a function in a process of its own, where nothing was done before that memory could be taken for.
 * @param {string} file a module
 * @param {string} name of a function that it exports
 * @param {unknown[]} parameters as JSON can carry them
 * @returns what the function returns, or its Promise resolves with
 */
async function inNewProcess(file, name, ...parameters) {
  const execArgv = [...process.execArgv, ...STEADY];
  const child = fork(__filename, [file, name, JSON.stringify(parameters)], { execArgv });
  let result;
  child.on('message', (message) => {
    result = message;
  });
  const [code, signal] = await once(child, 'close');
  if (result === undefined) throw new Error(`${name}() failed (${signal ?? `exit code ${code}`})`);
  return result.value;
}

/** The memory of this process, in bytes, without what the garbage collector can do without. */
function memory() {
  globalThis.gc();
  return process.memoryUsage().rss;
}

// Before the rest: in the new process, what it requires requires this.
module.exports = { inNewProcess, memory };

async function main([file, name, parameters]) {
  const value = await require(file)[name](...JSON.parse(parameters));
  process.send({ value }, () => process.disconnect());
}

if (require.main === module) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(error);
    process.exit(1);
  });
}
