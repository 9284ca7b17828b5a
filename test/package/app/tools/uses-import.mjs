// As uses-require.js, by import.

import process from 'node:process';
import { NextIdError, open } from 'nextid';
import callbackInterface from 'nextid/callback';
import { metrics } from 'nextid/prometheus';

const ids = open(process.argv[2]);
const given = await ids.sequence('orders').nextIds(3);
const shown = metrics(ids).includes('nextid_');
await ids.close();
process.stdout.write(`${JSON.stringify({ given, shown, others: [typeof NextIdError, typeof callbackInterface] })}\n`);
