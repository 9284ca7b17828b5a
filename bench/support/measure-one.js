'use strict';

// The child process of run.js: makes the measurement that its argument names and sends what it found.

const { roundsOf } = require('./report');

const SERVERS = {
  mongodbUrl: 'MONGODB_URL', postgresUrl: 'NEXTID_TEST_POSTGRES_URL', mysqlUrl: 'NEXTID_TEST_MYSQL_URL',
};
const QUICK = { rounds: 2, share: 1 / 200, isQuick: true };
const FULL = { rounds: 7, share: 1, isQuick: false };

async function main() {
  const [name, quick] = process.argv.slice(2);
  const { question, needs, run } = require(`../${name}`);
  const urls = Object.fromEntries(
    Object.entries(SERVERS).map(([key, variable]) => [key, process.env[variable] || undefined]));
  if (needs === 'mongodb' && urls.mongodbUrl === undefined) return { skipped: '$MONGODB_URL is not set' };
  const { rounds, share, isQuick } = quick === undefined ? FULL : QUICK;
  const amount = (n) => Math.ceil(n * share);
  const tables = await run({ rounds, amount, isQuick, ...urls });
  return {
    node: process.version, question,
    tables: tables.map((table) => ({ ...table, rounds: roundsOf(table.figures) })),
  };
}

main().then((result) => process.send(result, () => process.disconnect()), (error) => {
  console.error(error);
  process.exit(1);
});
