/// <reference lib="esnext.disposable" />

/**
 * Opens a store: the database behind the counters. Connects on first use.
 *
 * @param url `'mongodb://…/database'`, `'mongodb+srv://…/database'` (with `?collection=NAME`, default `ids`,
 *   and the options of libmongoc) or `'sqlite:PATH'` (relative to the working directory). Default: the
 *   environment variable `NEXTID_STORE`, else `'sqlite:nextid.db'`.
 * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`: the URL is malformed or an option
 *   unknown.
 * @throws {RangeError} `ERR_OUT_OF_RANGE`
 * @throws {NextIdError} `ERR_NEXTID_STORE_UNSUPPORTED`, `ERR_NEXTID_STORE_INVALID`
 */
export function open(url?: string, options?: StoreOptions): Store;

export interface StoreOptions {
  /**
   * The most worker threads of libuv's pool that the store may hold at a time, 1 to 64. The files, DNS
   * look-ups and crypto of the process use the same pool, of 4 threads unless `UV_THREADPOOL_SIZE` says
   * otherwise.
   * @default 2
   */
  maxConcurrentRefills?: number | undefined;
}

/** The database behind the counters. Every call after `close()` fails with `ERR_NEXTID_CLOSED`. */
export interface Store {
  /** The URL of the store for people to see: without credentials and options. */
  readonly url: string;

  /**
   * The sequence `name`: the same object for the same name. Touches no database: a counter is made by the
   * first call that needs a number, with `start`, by exactly one of all the instances that come at once.
   *
   * @param name 1 to 255 bytes of UTF-8, without NUL
   * @param options If the sequence is open already: the same ones, or none.
   * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`
   * @throws {RangeError} `ERR_OUT_OF_RANGE`
   * @throws {NextIdError} `ERR_NEXTID_OPTIONS_CONFLICT`, `ERR_NEXTID_CLOSED`
   */
  sequence(name: string, options?: SequenceOptions & { bigint?: false | undefined }): Sequence<number>;
  sequence(name: string, options: SequenceOptions & { bigint: true }): Sequence<bigint>;
  sequence(name: string, options: SequenceOptions): Sequence<number | bigint>;

  /**
   * All counters of the store, ordered by name.
   * @throws {NextIdError} (rejects)
   */
  list(): Promise<CounterInfo[]>;

  /**
   * Moves the counter of `name` up to `next`, never down, and makes it if there is none. For taking over
   * existing data: `await store.advance('orders', 1 + largestIdInUse)`. Numbers below `next` that this
   * process holds in memory are thrown away. Another process goes on with those that it holds.
   *
   * @param next an integer from 0 to 2^53-1, or a BigInt from 0 to 2^63-2
   * @returns where the counter stands then: a BigInt only if it is past 2^53-1
   * @throws {TypeError} (rejects) `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`
   * @throws {RangeError} (rejects) `ERR_OUT_OF_RANGE`
   * @throws {NextIdError} (rejects)
   */
  advance(name: string, next: number | bigint): Promise<number | bigint>;

  /** Closes all sequences (see `Sequence.close()`) and disconnects. Calling it again is fine. */
  close(): Promise<void>;

  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A counter, as `Store.list()` shows it. */
export interface CounterInfo {
  name: string;
  kind: 'plain';
  /** The next number that nobody has reserved: a BigInt if it is past 2^53-1, undefined if it is damaged. */
  next: number | bigint | undefined;
  /** What is wrong with a damaged counter. */
  problem?: string;
}

export interface SequenceOptions {
  /**
   * The first number of a counter that is not there yet: an integer from 0 to 2^53-1, or, with `bigint:
   * true`, a BigInt up to 2^63-2.
   * @default 1
   */
  start?: number | bigint | undefined;

  /**
   * How many numbers a refill asks for, if no more are waited for: 1 to 1 000 000 000, or the bounds of an
   * adaptive step. Too small a step costs speed, never an error; too large a one makes gaps when a process
   * dies.
   * @default { min: 10, max: 100_000, target: 1000 }
   */
  step?: number | AdaptiveStep | undefined;

  /**
   * How long a call waits for the store before it is rejected with `ERR_NEXTID_TIMEOUT`, in milliseconds:
   * 1 to 2^31-1. With numbers in memory nobody waits, whether the store is there or not.
   * @default 10_000
   */
  timeout?: number | undefined;

  /**
   * How many calls may wait at a time, 1 to 10 000 000. One more is rejected at once, with
   * `ERR_NEXTID_TOO_MANY_WAITERS`.
   * @default 100_000
   */
  maxWaiters?: number | undefined;

  /**
   * Ids are BigInts, up to 2^63-2. Without it they are numbers, up to 2^53-1; past that there are no more ids
   * and calls are rejected with `ERR_NEXTID_ID_OVERFLOW`.
   * @default false
   */
  bigint?: boolean | undefined;
}

/**
 * A step that follows the load: it aims at one refill per `target` and at most doubles or halves each time.
 */
export interface AdaptiveStep {
  /**
   * The smallest step, and the first: 1 to 1 000 000 000.
   * @default 10, or `max` if that is less
   */
  min?: number | undefined;
  /**
   * The largest step: `min` to 1 000 000 000.
   * @default 100_000, or `min` if that is more
   */
  max?: number | undefined;
  /**
   * Milliseconds from one refill to the next, 1 to 3 600 000.
   * @default 1000
   */
  target?: number | undefined;
}

/** The options of a call that may have to wait. */
export interface WaitOptions {
  /**
   * Aborting it takes the call out of the queue: it rejects with the signal's `reason`, and no number is
   * lost.
   */
  signal?: AbortSignal | undefined;
}

/**
 * A named stream of ids, unique among all the instances that use the same counter. Ids of one instance grow
 * in the order of its calls. There are gaps: numbers reserved by a process that dies are never given out.
 *
 * All methods that return a Promise reject with a `NextIdError`: `ERR_NEXTID_TIMEOUT`, `…_TOO_MANY_WAITERS`,
 * `…_CLOSED`, `…_ID_OVERFLOW`, `…_ACCESS_DENIED`, `…_STORE_INVALID`, `…_COUNTER_INVALID`,
 * `…_SEQUENCE_MISSING`, `…_SEQUENCE_REWOUND` (see `NextIdErrorCode`), with the TypeErrors and RangeErrors of
 * Node for bad arguments, or with the reason of an aborted signal. No error sticks: the next call tries anew.
 */
export interface Sequence<Id extends number | bigint = number> {
  readonly name: string;

  /** The next id. With numbers in memory it resolves at once, without I/O. */
  nextId(options?: WaitOptions): Promise<Id>;

  /**
   * `n` ids, growing, not always without a gap between them.
   * @param n 1 to 10 000 000
   */
  nextIds(n: number, options?: WaitOptions): Promise<Id[]>;

  /**
   * `n` numbers in a row, for bulk inserts. From memory if they fit, else reserved as a block of its own,
   * outside the order of `nextId()`: later ids may be smaller.
   * @param n 1 to 1 000 000 000
   */
  reserve(n: number, options?: WaitOptions): Promise<Block<Id>>;

  /**
   * The next id if one is in memory, else undefined; never waits. The call that gets undefined starts a
   * refill.
   * @throws {NextIdError} `ERR_NEXTID_CLOSED`
   */
  tryNextId(): Id | undefined;

  /** Resolves when there are numbers in memory: the store answers and the counter is sound. */
  ready(options?: WaitOptions): Promise<void>;

  /** A copy of what the sequence has counted since it was opened. */
  stats(): SequenceStats;

  /**
   * Refuses all calls that wait, and gives the numbers in memory back to the store if nobody has reserved
   * after them. Calling it again is fine; every other call after it fails with `ERR_NEXTID_CLOSED`.
   * `Store.sequence()` then opens a new one.
   */
  close(): Promise<void>;

  /** Ids without end: `for await (const id of sequence)`. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Id>;

  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Numbers in a row: `first`, …, `last`, both of them included. */
export interface Block<Id extends number | bigint = number> {
  first: Id;
  last: Id;
  count: number;
}

/** For monitoring. Counts are since the sequence was opened. */
export interface SequenceStats {
  name: string;
  /** Numbers reserved and not handed out yet. */
  inMemory: number;
  /** Numbers that calls were given. */
  handedOut: number;
  /** Numbers reserved that nobody will be given. */
  lost: number;
  /** Numbers given back to the store by `close()`. */
  released: number;
  /** Refills that brought numbers. */
  refills: number;
  /** Refills that failed. */
  failures: number;
  /** Calls that had to wait. */
  waits: number;
  /** Of these, calls that timed out. */
  timeouts: number;
  /** Calls that wait now. */
  waiters: number;
  /** Numbers that the next refill asks for, if no more are waited for. */
  step: number;
  /** Ids a second, over the last range. 0 until two refills have started. */
  rate: number;
  /** A high estimate of how long a refill takes, in milliseconds. */
  refillTime: number;
  /** Whether a refill is under way. */
  refilling: boolean;
  /** Why the last refill failed; undefined if it did not. */
  lastError: NextIdError | undefined;
}

/**
 * | code | what happened |
 * | --- | --- |
 * | `ERR_NEXTID_ACCESS_DENIED` | the store refuses the user, the password or the permission |
 * | `ERR_NEXTID_CLOSED` | the sequence or the store is closed |
 * | `ERR_NEXTID_COUNTER_INVALID` | the counter holds something that is no whole number from 0 to 2^63-1 |
 * | `ERR_NEXTID_ID_OVERFLOW` | the sequence has passed its largest number; see `bigint` |
 * | `ERR_NEXTID_OPTIONS_CONFLICT` | the sequence is open with other options |
 * | `ERR_NEXTID_SEQUENCE_MISSING` | the counter was there and is gone |
 * | `ERR_NEXTID_SEQUENCE_REWOUND` | the counter stands below numbers that this process was given |
 * | `ERR_NEXTID_STORE_INVALID` | what the URL names cannot be used as a store |
 * | `ERR_NEXTID_STORE_UNAVAILABLE` | the store does not answer, or not in time |
 * | `ERR_NEXTID_STORE_UNSUPPORTED` | a native module or library is not installed; the message says which |
 * | `ERR_NEXTID_TIMEOUT` | no number came within `timeout` |
 * | `ERR_NEXTID_TOO_MANY_WAITERS` | as many calls wait as `maxWaiters` allows |
 */
export type NextIdErrorCode =
  | 'ERR_NEXTID_ACCESS_DENIED'
  | 'ERR_NEXTID_CLOSED'
  | 'ERR_NEXTID_COUNTER_INVALID'
  | 'ERR_NEXTID_ID_OVERFLOW'
  | 'ERR_NEXTID_OPTIONS_CONFLICT'
  | 'ERR_NEXTID_SEQUENCE_MISSING'
  | 'ERR_NEXTID_SEQUENCE_REWOUND'
  | 'ERR_NEXTID_STORE_INVALID'
  | 'ERR_NEXTID_STORE_UNAVAILABLE'
  | 'ERR_NEXTID_STORE_UNSUPPORTED'
  | 'ERR_NEXTID_TIMEOUT'
  | 'ERR_NEXTID_TOO_MANY_WAITERS';

/** What went wrong with a store or a sequence. Neither it nor its cause shows a password. */
export class NextIdError extends Error {
  constructor(message: string, options: { code: NextIdErrorCode; cause?: unknown });
  readonly name: 'NextIdError';
  readonly code: NextIdErrorCode;
  /** The error of the database's own library, if it had a part in this. */
  readonly cause?: unknown;
}
