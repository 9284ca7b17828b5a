// Each wrong use must be refused: TypeScript reports an @ts-expect-error with no error below it.

import callback = require('nextid/callback');
import * as client from 'prom-client';
import { NextIdError, open } from 'nextid';
import { metrics, registerMetrics } from 'nextid/prometheus';
import type { Pool as MysqlPool } from 'mysql2';
import type { Pool as PromisePool } from 'mysql2/promise';
import type { Sequence, SequenceStats, Store } from 'nextid';

declare const store: Store;
declare const orders: Sequence;
declare const stats: SequenceStats;
declare const pools: { pg: { query(): void; totalCount: number }; mysql: MysqlPool; promised: PromisePool };

// @ts-expect-error what may be undefined
open(process.env.STORE);
// @ts-expect-error what may be undefined
callback(process.env.STORE);
// @ts-expect-error an object that is no store
open({ url: 'sqlite:ids.db' });
// @ts-expect-error a store without list()
open({ read: () => undefined, compareAndSet: () => true });
// @ts-expect-error a store whose values are numbers
open({ read: () => 5, compareAndSet: () => true, list: () => [] });
// @ts-expect-error a store of its own has no collection
open({ read: () => undefined, compareAndSet: () => true, list: () => [] }, { collection: 'ids' });
// @ts-expect-error a URL names its collection itself
open('mongodb://localhost/shop', { collection: 'ids' });
// @ts-expect-error a URL names its table itself
open('postgres://localhost/shop', { table: 'ids' });
// @ts-expect-error a typo in an option
open('sqlite:ids.db', { maxConcurentRefills: 2 });
// @ts-expect-error a number as text
open('sqlite:ids.db', { maxConcurrentRefills: '2' });

// @ts-expect-error no name
store.sequence();
// @ts-expect-error a name that is a number
store.sequence(5);
// @ts-expect-error a typo in an option
store.sequence('orders', { tiemout: 5 });
// @ts-expect-error a typo in the step
store.sequence('orders', { step: { minimum: 5 } });
// @ts-expect-error a step as text
store.sequence('orders', { step: '10' });
// @ts-expect-error a BigInt step
store.sequence('orders', { step: 10n });
// @ts-expect-error null is not the default
store.sequence('orders', { timeout: null });
// @ts-expect-error ids are BigInts
store.sequence('orders', { bigint: true }) satisfies Sequence<number>;
// @ts-expect-error ids are numbers
store.sequence('orders') satisfies Sequence<bigint>;
// @ts-expect-error no such period
store.sequence('orders', { period: 'week' });
// @ts-expect-error a dated sequence has no start
store.sequence('orders', { period: 'day', start: 5 });
// @ts-expect-error a gapless id without a transaction
store.sequence('invoices', { gapless: true }).nextId();
// @ts-expect-error the statements of a pool run on any of its connections
store.sequence('invoices', { gapless: true }).nextId({ transaction: pools.mysql });
// @ts-expect-error as above
store.sequence('invoices', { gapless: true }).nextId({ transaction: pools.promised });
// @ts-expect-error as above
store.sequence('invoices', { gapless: true }).nextId({ transaction: pools.pg });
// @ts-expect-error a gapless sequence keeps no numbers
store.sequence('invoices', { gapless: true }).reserve(5);
// @ts-expect-error nor has it a step
store.sequence('invoices', { gapless: true, step: 5 });
// @ts-expect-error two kinds
store.sequence('orders', { period: 'day', cycle: 5 });
// @ts-expect-error a cycle as text
store.sequence('orders', { cycle: '99' });
// @ts-expect-error a step as text
store.sequence('orders', { cycle: 9999, step: '9' });
// @ts-expect-error only a dated sequence can do without a name
store.sequence({ cycle: 99 });
// @ts-expect-error ids are strings
store.sequence('orders', { period: 'day' }) satisfies Sequence<number>;
// @ts-expect-error ids are strings
store.sequence('orders', { format: '{count}' }) satisfies Sequence<number>;
// @ts-expect-error no digits
store.sequence('orders', { encrypt: { key: 'ab' } });
// @ts-expect-error no encrypted time
store.sequence('orders', { timestamp: true, encrypt: { key: 'ab', digits: 8 } });
// @ts-expect-error a plain sequence cannot parse
orders.parse('5');
// @ts-expect-error a typo in an option
store.sequence('orders', { timestamp: { digit: 2 } });
// @ts-expect-error what is to go
store.prune('orders');
// @ts-expect-error a typo in a rule
store.prune('orders', { keep: { dayly: 5 } });
// @ts-expect-error a date as text
store.prune('orders', { before: '2015-01-01' });
// @ts-expect-error a number as text
store.advance('orders', '5');
// @ts-expect-error no number
store.advance('orders');
// @ts-expect-error a period that there is not
store.advance('orders', 5, { period: 'week' });
// @ts-expect-error a prefix as text
store.advance('orders', 5, { prefix: '14' });
// @ts-expect-error no name, and no period
store.advance(5, { cycle: 99 });
// @ts-expect-error an option of sequence() that says nothing here
store.advance('orders', 5, { period: 'day', format: '{count}' });
// @ts-expect-error read-only
store.url = 'sqlite:other.db';

// @ts-expect-error a Promise is no id
orders.nextId() satisfies number;
// @ts-expect-error the signal must be an option
orders.nextId(AbortSignal.timeout(5));
// @ts-expect-error no number
orders.nextIds();
// @ts-expect-error no such option
orders.nextIds(5, { timeout: 5 });
// @ts-expect-error a BigInt count
orders.reserve(5n);
// @ts-expect-error it may be undefined
orders.tryNextId() satisfies number;
// @ts-expect-error asynchronous only
for (const id of orders) console.log(id);
// @ts-expect-error read-only
orders.name = 'invoices';
// @ts-expect-error no such number
console.log(stats.inmemory);

// @ts-expect-error no code
new NextIdError('message');
// @ts-expect-error no such code
new NextIdError('message', { code: 'ERR_NEXTID_OOPS' });

// @ts-expect-error the URL in place of the store
metrics('sqlite:ids.db');
// @ts-expect-error a registry in place of prom-client
registerMetrics(client.register, store);

const { init_id, next_id } = callback();
// @ts-expect-error ids are numbers here
callback('sqlite:ids.db', { bigint: true });
// @ts-expect-error a BigInt start
callback('sqlite:ids.db', { start: 5n });
// @ts-expect-error no callback
init_id('orders');
// @ts-expect-error a name in place of what init_id gave
next_id('orders', () => {});
init_id('orders', (error, idstatus) => {
  // @ts-expect-error read-only
  idstatus.index = 5;
});
