'use strict';

// Several clients, each of which writes rows with gapless ids. A third of their transactions is rolled back,
// half of these by an error of the database. `dies`: in the middle of a transaction, once half is done.

const { open } = require('../..');
const { clock } = require('../../lib/clock');
const { hangUp, job, report, startSignal } = require('./child');
const { connectTo } = require('./sql-connection');
const { until } = require('./until');

const { kind, server, url, rows, clients, commits, years, dies } = job;

let committed = 0;
let failed = 0;
const ids = open(url);
const invoices = ids.sequence('invoices', { gapless: true });
const receipts = ids.sequence('receipts', { gapless: true, period: 'year', format: '{YYYY}/{count}' });

async function client() {
  const connection = await connectTo(kind, server);
  for (let done = 0; done < commits;) {
    await connection.begin();
    try {
      const transaction = connection.client;
      const invoice = await invoices.nextId({ transaction });
      const year = years[Math.floor(Math.random() * years.length)];
      clock.now = () => Date.UTC(year, 5); // is read at once
      const receipt = await receipts.nextId({ transaction });
      await connection.query(`INSERT INTO ${rows} (invoice, receipt) VALUES (${invoice}, '${receipt}')`);
      if (dies && committed >= clients * commits / 2) process.kill(process.pid, 'SIGKILL');
      const chance = Math.random();
      if (chance < 1 / 6) await connection.query('SELECT * FROM there_is_no_such_table');
      if (chance < 1 / 3) throw new Error('rolled back');
      await connection.commit();
      ++committed;
      ++done;
    } catch (error) {
      // Deadlocks are allowed.
      if (error.code === 'ERR_NEXTID_TRANSACTION_FAILED') ++failed;
      else if (error.code?.startsWith('ERR_')) throw error;
      await connection.rollback();
    }
  }
  await connection.end();
}

async function main() {
  await startSignal();
  await Promise.all(Array.from({ length: clients }, client));
  await until(() => invoices.stats().waiters === 0);
  await ids.close();
  await report({ committed, failed });
  hangUp();
}
main();
