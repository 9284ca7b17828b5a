'use strict';

// Asks for ids by require. The tools' tests and the bundle are made of it.

const { open, NextIdError } = require('nextid');
const callbackInterface = require('nextid/callback');
const { metrics } = require('nextid/prometheus');

async function firstIds(url) {
  const ids = open(url);
  const given = await ids.sequence('orders').nextIds(3);
  const shown = metrics(ids).includes('nextid_');
  await ids.close();
  return { given, shown, others: [typeof NextIdError, typeof callbackInterface] };
}

module.exports = { firstIds };

if (require.main === module) {
  firstIds(process.argv[2]).then((result) => console.log(JSON.stringify(result)));
}
