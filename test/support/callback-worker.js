'use strict';

// A process that takes ids by init_id and next_id and reports { ids }.
// Job: { url, name, count, together, library }
//   together  so many callbacks wait at a time
//   library   'nextid', or 'blog' for the code that nextid/callback replaces

const { MongoClient } = require('mongodb');
const nextidCallback = require('../../lib/callback');
const { blogFleet } = require('./blog-fleet');
const { job, startSignal, report } = require('./child');

const { url, name, count, together, library } = job;
const ids = [];

async function main() {
  const client = new MongoClient(url);
  const { init_id, next_id, close } =
    library === 'nextid' ? nextidCallback(url) : blogFleet(client.db().collection('ids'));
  await startSignal();
  await new Promise((resolve, reject) => {
    init_id(name, (error, idstatus) => {
      if (error) return reject(error);
      let asked = 0;
      const ask = () => {
        if (ids.length === count) resolve();
        if (asked++ >= count) return;
        next_id(idstatus, (error, id) => {
          if (error) return reject(error);
          ids.push(id);
          ask();
        });
      };
      for (let i = 0; i < together; i++) ask();
    });
  });
  await report({ ids });
  await client.close();
  await close?.();
  process.disconnect();
}

main();
