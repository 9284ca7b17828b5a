'use strict';

const { fork } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const autocannon = require('autocannon');
const { measure } = require('./support/rounds');
const { withSqliteUrl } = require('./support/stores');

// Many short rounds instead of few long ones: what else the two cores do changes from one second to the next.
const PARTS = 16;

const WITHOUT = 'without: ++id';
const WITH = 'await nextId(), default options, SQLite';

/** Starts support/express-server.js, with `args`, as Express recommends for production. */
async function serve(...args) {
  const child = fork(path.join(__dirname, 'support/express-server.js'), args, {
    execArgv: [], env: { ...process.env, NODE_ENV: 'production' },
  });
  const [port] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

// Requests a second. The load comes from this process, which does nothing else meanwhile, over as many
// connections as autocannon opens by default. Every `sampleInt` ms it looks whether the time is over.
async function load(url, ms) {
  const result = await autocannon({ url, duration: ms / 1000, sampleInt: 100 });
  const { start, finish, errors, non2xx } = result;
  if (errors + non2xx > 0) throw new Error(`${errors} errors, ${non2xx} answers that are not 2xx`);
  return (result['2xx'] / (finish - start)) * 1000;
}

module.exports = {
  question: 'What does `await nextId()` in the handler cost an Express service?',
  run: ({ rounds, amount }) => withSqliteUrl(async (url) => {
    const ms = amount(4000 / PARTS);
    const servers = { [WITHOUT]: await serve(), [WITH]: await serve(url) };
    const figures = await measure({
      [WITHOUT]: () => load(servers[WITHOUT].url, ms),
      [WITH]: () => load(servers[WITH].url, ms),
    }, PARTS * rounds);
    for (const server of Object.values(servers)) await server.close();
    return [{
      unit: 'requests a second', better: 'more', baseline: WITHOUT, figures,
      goals: [{ row: WITH, of: WITHOUT, least: 0.98 }],
    }];
  }),
};
