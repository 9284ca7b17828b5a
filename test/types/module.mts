// The package imported by an ES module.

import { open, NextIdError, type Sequence } from 'nextid';
import callback from 'nextid/callback';

const store = open('sqlite:ids.db');
const orders: Sequence<number> = store.sequence('orders');
console.log(await orders.nextId(), new NextIdError('closed', { code: 'ERR_NEXTID_CLOSED' }).code);
callback('sqlite:ids.db').init_id('orders', (error, idstatus) => console.log(error, idstatus._id));
