// Uses the whole interface. types.test.js compiles it; it is never run.

import { subscribe } from 'node:diagnostics_channel';
import type { Db, MongoClient } from 'mongodb';
import type { Connection as MysqlConnection, Pool as MysqlPool } from 'mysql2';
import type { Connection as PromiseConnection, Pool as PromisePool } from 'mysql2/promise';
import type { Sql } from 'postgres';
import * as client from 'prom-client';
import callback = require('nextid/callback');
import { NextIdError, open } from 'nextid';
import { contentType, metrics, registerMetrics } from 'nextid/prometheus';
import { storeTests } from 'nextid/store-tests';
import type {
  Block, CountedSequence, CounterInfo, CounterStore, CyclicOptions, DatedId, DatedOptions, DatedSequence,
  GaplessOptions, GaplessSequence, NextIdErrorCode,
  PlainOptions, PrunedCounter, PruneOptions, RefillErrorMessage, RefillMessage, Sequence, SequenceOptions, SequenceStats,
  Store, TimestampId, TimestampOptions, TimestampSequence, WaitMessage,
} from 'nextid';

// Compiles only if A and B are the same type.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

export async function useStores(): Promise<void> {
  open();
  open(new URL('mongodb://localhost/shop'), {});
  await using store: Store = open('sqlite:ids.db', { maxConcurrentRefills: 4, idle: 60_000 });
  const url: string = store.url;
  open('memory:shop');

  const counters: CounterInfo[] = await store.list();
  for (const { name, kind, next, prefix, cycle, digits, problem } of counters) {
    same<typeof prefix, typeof cycle>(true);
    console.log(prefix ?? cycle ?? digits ?? 0);
    same<typeof kind, 'plain' | 'dated' | 'cyclic' | 'time-stamped' | 'gapless'>(true);
    same<typeof next, number | bigint | undefined>(true);
    same<typeof problem, string | undefined>(true);
    console.log(url, name);
  }
  const standsAt = await store.advance('orders', 1000);
  same<typeof standsAt, number | bigint>(true);
  await store.advance('orders', 1000n);
  same<Promise<number | bigint>, ReturnType<typeof store.advance>>(true);
  await store.advance('invoices', 421, { period: 'year', timeZone: 'Europe/Berlin' });
  await store.advance('invoices', 421, { prefix: 25, restore: true });
  await store.advance('serial', 58, { cycle: 99 });
  await store.advance('trace', 5n, { timestamp: { digits: 3 } });
  await store.advance('trace', 5, { timestamp: true });
  await store.advance('orders', 1000, { restore: true });
  await store.advance(421, { period: 'day' });
  await store.close();
}

// What open() looks for in `mongoose.connection`.
interface MongooseConnection {
  asPromise(): Promise<this>;
  getClient(): MongoClient;
  db?: Db;
  collection(name: string): object;
}

export function useConnections(client: MongoClient, db: Db, connection: MongooseConnection): Store[] {
  return [open(client), open(db, { collection: 'nextid', idle: 1000 }), open(connection, { collection: 'ids' })];
}

// What open() looks for in a Pool of pg, which has no types of its own.
interface Pool {
  connect(): Promise<object>;
  query(text: string): Promise<object>;
  readonly totalCount: number;
}
export function useSqlConnections(pool: Pool, sql: Sql, mysql: MysqlPool, promised: PromisePool): Store[] {
  return [open(pool), open(sql, { table: 'numbers', schema: 'app' }), open(mysql, { idle: 1000 }), open(promised)];
}

export function useOwnStores(): Store[] {
  const values = new Map<string, string>();
  const inMemory: CounterStore = {
    read: (key) => values.get(key),
    compareAndSet(key, expected, next) {
      if (values.get(key) !== expected) return false;
      if (next === undefined) values.delete(key);
      else values.set(key, next);
      return true;
    },
    list: () => values,
  };
  class Remote implements CounterStore {
    async read(key: string) {
      return key === '' ? undefined : 'value';
    }
    async compareAndSet(key: string, expected?: string, next?: string) {
      if (next === '') throw new NextIdError('no such user', { code: 'ERR_NEXTID_ACCESS_DENIED' });
      return key !== expected;
    }
    async list(): Promise<[string, string][]> {
      return [];
    }
    async close() {}
  }
  storeTests({ open: () => inMemory });
  storeTests({
    open: async () => new Remote(), module: '/srv/store.js', test: (title, body) => console.log(title, body),
  });
  callback(inMemory);
  return [open(inMemory), open(new Remote(), { maxConcurrentRefills: 8 })];
}

export async function useSequences(
  store: Store, options: PlainOptions, kind: SequenceOptions,
): Promise<void> {
  const orders = store.sequence('orders');
  same<typeof orders, Sequence<number>>(true);
  same<typeof orders, Sequence>(true);
  const invoices = store.sequence('invoices', { format: 'INV-{count:6}' });
  same<typeof invoices, CountedSequence<number>>(true);
  const { count: bigCount } = store.sequence('long', { format: '{count}', bigint: true }).parse('5');
  same<typeof bigCount, bigint>(true);
  const ticket = await store.sequence('queue', { cycle: 999, format: 'T{count:3}' }).nextId();
  same<typeof ticket, string>(true);
  const hidden = store.sequence('hidden', { encrypt: { key: { file: 'order.key' }, digits: 8 } });
  same<typeof hidden, CountedSequence<number>>(true);
  store.sequence('ofThree', { series: { of: 3, index: 1 }, bigint: true }) satisfies Sequence<bigint>;
  await store.advance('ofThree', 5, { series: { of: 3, index: 1 } });
  const big = store.sequence('big', { bigint: true, start: 2n ** 60n });
  same<typeof big, Sequence<bigint>>(true);
  const either = store.sequence('either', options);
  same<typeof either, Sequence<number | bigint | string>>(true);
  const any = store.sequence('any', kind);
  same<typeof any, Sequence<number | bigint | string>>(true);
  store.sequence('all', { start: 1, step: 10, timeout: 500, maxWaiters: 10, bigint: false });
  store.sequence('adaptive', { step: { min: 1, max: 1000, target: 250 } });
  store.sequence('defaults', { start: undefined, step: { min: undefined }, bigint: undefined });

  const { signal } = new AbortController();
  const id = await orders.nextId();
  same<typeof id, number>(true);
  const bigId = await big.nextId({ signal });
  same<typeof bigId, bigint>(true);
  const ids = await orders.nextIds(10, { signal });
  same<typeof ids, number[]>(true);
  const block = await big.reserve(100, { signal });
  same<typeof block, Block<bigint>>(true);
  const { first, last, count } = await orders.reserve(100);
  same<[typeof first, typeof last, typeof count], [number, number, number]>(true);
  const perhaps = orders.tryNextId();
  same<typeof perhaps, number | undefined>(true);
  await orders.ready({ signal });
  for await (const each of big) {
    same<typeof each, bigint>(true);
    break;
  }
  useStats(orders.stats());
  console.log(orders.name);
  await orders.close();
  await using _ = store.sequence('disposed');
}

export async function useGapless(
  store: Store, options: GaplessOptions, sql: Sql, client: MysqlConnection, promised: PromiseConnection,
  pg: { query(text: string): Promise<{ rows: unknown[] }>; connect(): Promise<void> },
): Promise<void> {
  const invoices = store.sequence('invoices', { gapless: true, start: 5 });
  same<typeof invoices, GaplessSequence<number>>(true);
  const yearly = store.sequence('yearly', { gapless: true, period: 'year', timeZone: 'Europe/Berlin' });
  same<typeof yearly, GaplessSequence<string>>(true);
  store.sequence('texts', { gapless: true, format: 'INV-{count:6}' }) satisfies GaplessSequence<string>;
  store.sequence('either', options) satisfies GaplessSequence;
  const any = store.sequence('any', options as GaplessOptions | SequenceOptions);
  same<typeof any, Sequence<number | bigint | string> | GaplessSequence>(true);
  await invoices.ready();
  same<[number, number[]], [Awaited<ReturnType<typeof invoices.nextId>>, Awaited<ReturnType<typeof invoices.nextIds>>]>(true);
  for (const transaction of [client, promised, pg]) await invoices.nextId({ transaction });
  await sql.begin(async (transaction) => yearly.nextIds(2, { transaction }));
  const { count, prefix } = yearly.parse('26-0001');
  same<[typeof count, typeof prefix], [number, number | undefined]>(true);
  useStats(invoices.stats());
  await store.advance('invoices', 5, { gapless: true });
  await store.advance('yearly', 5, { gapless: true, period: 'year', restore: true });
  await store.advance('yearly', 5, { gapless: true, prefix: 26 });
  await invoices.close();
  await using _ = store.sequence('disposed', { gapless: true });
}

export async function useKinds(
  store: Store, dated: DatedOptions, cyclic: CyclicOptions, timestamp: TimestampOptions, prune: PruneOptions,
): Promise<void> {
  const orders = store.sequence('orders', { period: 'day' });
  same<typeof orders, DatedSequence>(true);
  const nameless = store.sequence({ period: 'hour', timeZone: 'Europe/Berlin', format: '{YYMMDDHH}{count}' });
  same<typeof nameless, DatedSequence>(true);
  same<ReturnType<typeof cyclicOf>, Sequence<number | string>>(true);
  const places = store.sequence('places', { cycle: 9999, step: 9 });
  same<typeof places, Sequence<number>>(true);
  const trace = store.sequence('trace', { timestamp: true, timeout: 5 });
  same<typeof trace, TimestampSequence>(true);
  store.sequence('all', { period: 'year', step: { min: 5 }, timeZone: undefined, timeout: 5, maxWaiters: 5 });
  store.sequence('digits', {
    timestamp: { digits: 0, timeZone: '+08:00', format: 'T{YYYYMMDDhhmmssffffff}', maxAge: 50, maxSkew: 0 },
  });
  same<[ReturnType<typeof datedOf>, ReturnType<typeof stampsOf>], [DatedSequence, TimestampSequence]>(true);

  const id = await orders.nextId();
  same<typeof id, string>(true);
  const block = await trace.reserve(5);
  same<typeof block, Block<string>>(true);
  const parsed = orders.parse(id);
  same<typeof parsed, DatedId>(true);
  const { prefix, count, from, to } = parsed;
  same<[typeof prefix, typeof count, typeof from, typeof to], [number, number, Date, Date]>(true);
  const { time, microseconds, digit }: TimestampId = trace.parse(block.first);
  same<[typeof time, typeof microseconds, typeof digit], [Date, number, number]>(true);
  useStats(orders.stats());
  console.log(orders.stats().prefix ?? 0, trace.stats().ahead * 2);
  for await (const each of trace) {
    same<typeof each, string>(true);
    break;
  }

  const removed: PrunedCounter[] = await store.prune('orders', { keep: { daily: 31, weekly: 8 }, dryRun: true });
  await store.prune({ before: 150000 });
  await store.prune('orders', { before: new Date(), timeZone: 'local' });
  await store.prune('orders', prune);
  console.log(removed[0]?.prefix, removed[0]?.count);

  function cyclicOf() {
    return store.sequence('serial', cyclic);
  }
  function datedOf() {
    return store.sequence('orders', dated);
  }
  function stampsOf() {
    return store.sequence('trace', timestamp);
  }
}

function useStats(stats: SequenceStats): void {
  const numbers: number[] = [
    stats.inMemory, stats.handedOut, stats.lost, stats.returned, stats.refills, stats.failures, stats.waits,
    stats.waitTime, stats.timeouts, stats.waiters, stats.step, stats.rate, stats.refillTime,
  ];
  const refilling: boolean = stats.refilling;
  const name: string = stats.name;
  console.log(numbers, refilling, name, stats.lastError?.code);
}

export function watch(store: Store, orders: DatedSequence, big: Sequence<bigint>): void {
  subscribe('nextid:refill', (message) => {
    const { store, sequence, kind, duration, numbers } = message as RefillMessage;
    console.log(store, sequence, kind, duration + numbers);
  });
  subscribe('nextid:error', (message) => console.log((message as RefillErrorMessage).error.code));
  subscribe('nextid:wait', (message) => console.log((message as WaitMessage).duration * 2));

  const text: string = metrics(store) + metrics([store, orders, big]);
  console.log(text, contentType);
  registerMetrics(client, store);
  registerMetrics(client, [store, orders], new client.Registry());
}

export function useErrors(error: unknown): void {
  if (!(error instanceof NextIdError)) return;
  const code: NextIdErrorCode = error.code;
  const plain: Error = error;
  same<typeof error.name, 'NextIdError'>(true);
  console.log(code, plain.message, error.cause, error.code === 'ERR_NEXTID_TIMEOUT');
}

export function useCallbacks(): void {
  callback();
  const { init_id, next_id, close } = callback('mongodb://localhost/shop', {
    start: 1, step: { min: 5 }, timeout: 1000, maxWaiters: 5, maxConcurrentRefills: 1,
  });
  init_id('orders', (error, idstatus) => {
    same<typeof error, Error | null>(true);
    const { _id, index, high, waiters, infetch } = idstatus;
    same<[typeof _id, typeof index, typeof high, typeof infetch], [string, number, number, boolean]>(true);
    console.log(waiters.length);
    next_id(idstatus, (failure: Error | null, id: number) => console.log(failure, id));
  });
  close().then(() => {});
}
