/// <reference lib="esnext.disposable" />

/**
 * Opens a store: the database behind the counters. Connects on first use.
 *
 * @param url `'mongodb://…/database'`, `'mongodb+srv://…/database'` (with `?collection=NAME`, default `ids`,
 *   and the options of libmongoc) or `'sqlite:PATH'` (relative to the working directory). Without any
 *   argument: the environment variable `NEXTID_STORE`, else `'sqlite:nextid.db'`, with the process warning
 *   `NEXTID_DEFAULT_STORE` where `NODE_ENV` is `production`.
 *
 * Other process warnings, once each: `NEXTID_WEAK_DURABILITY` where options of a MongoDB URL make duplicates
 * possible (`w`, `safe`, `journal`, `readConcernLevel`), `NEXTID_NETWORK_FILE_SYSTEM` where the file of an
 * SQLite store seems to be on one (looked for on Linux only).
 * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`: the URL is undefined, empty or
 *   malformed, or an option unknown.
 * @throws {RangeError} `ERR_OUT_OF_RANGE`
 * @throws {NextIdError} `ERR_NEXTID_STORE_UNSUPPORTED`, `ERR_NEXTID_STORE_INVALID`
 */
export function open(): Store;
export function open(url: string | URL, options?: StoreOptions): Store;

export interface StoreOptions {
  /**
   * The most worker threads of libuv's pool that the store may hold at a time, 1 to 64. The files, DNS
   * look-ups and crypto of the process use the same pool, of 4 threads unless `UV_THREADPOOL_SIZE` says
   * otherwise. Refills of more sequences queue, and the time in the queue counts towards `timeout`.
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
   * The options choose its kind: plain, or dated with `period`, cyclic with `cycle`, time-stamped with
   * `timestamp`.
   *
   * @param name 1 to 255 bytes of UTF-8, without NUL
   * @param options If the sequence is open already: the same ones, or none.
   * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`
   * @throws {RangeError} `ERR_OUT_OF_RANGE`
   * @throws {NextIdError} `ERR_NEXTID_OPTIONS_CONFLICT`, `ERR_NEXTID_CLOSED`
   */
  sequence(name: string, options: DatedOptions): DatedSequence;
  sequence(name: string, options: CyclicOptions): Sequence<number>;
  sequence(name: string, options: TimestampOptions): TimestampSequence;
  sequence(name: string, options?: SequenceOptions & { bigint?: false | undefined }): Sequence<number>;
  sequence(name: string, options: SequenceOptions & { bigint: true }): Sequence<bigint>;
  sequence(name: string, options: SequenceOptions): Sequence<number | bigint>;
  /** For options whose kind is not known beforehand; wrong ones are named by what this overload minds. */
  sequence(name: string, options: AnySequenceOptions): Sequence<number | bigint | string>;

  /**
   * The dated sequence without a name. In MongoDB it shares the documents `{ prefix: 140625, count: N }`, and
   * their unique index on `prefix`, with programs that count in them by `findAndModify`.
   */
  sequence(options: DatedOptions): DatedSequence;

  /**
   * All counters of the store, ordered by name.
   * @throws {NextIdError} (rejects)
   */
  list(): Promise<CounterInfo[]>;

  /**
   * Moves a counter up, so that `next` is the number given next; never down (cyclic: within its round). Makes
   * it if there is none. For taking over existing data: `await ids.advance('orders', 1 + largestIdInUse)`,
   * `await ids.advance('invoices', 421, { period: 'year' })`. Calling it again with the same arguments does no
   * harm.
   *
   * Numbers below `next` that this process holds in memory are thrown away. Another process goes on with those
   * that it holds.
   *
   * Without options it moves a plain counter. A name that has only counters of another kind is refused, and so
   * is `period` where the name has only counters of other periods: no sequence would use the new counter. Give
   * the options of the sequence then. They must be those of the sequence of that name if it is open here.
   *
   * @param name without it, the dated counter of the period that has no name
   * @param next plain: an integer from 0 to 2^53-1, or a BigInt from 0 to 2^63-2; dated: the next count, from 1
   *   to 2^53-1; cyclic: the next id, from 1 to `cycle`; time-stamped: the next slot, from 1 (see
   *   `CounterInfo.next`). A slot that lies in the future makes ids that show the future.
   * @returns the number to be given next: larger than `next` if the counter stood higher, 1 if a cyclic one is at
   *   the end of its round. A BigInt only if it is past 2^53-1
   * @throws {TypeError} (rejects) `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`
   * @throws {RangeError} (rejects) `ERR_OUT_OF_RANGE`
   * @throws {NextIdError} (rejects) `ERR_NEXTID_OPTIONS_CONFLICT`, `ERR_NEXTID_COUNTER_INVALID`,
   *   `ERR_NEXTID_PERIOD_PRUNED`, and those of the store
   */
  advance(name: string, next: number | bigint, options?: AdvanceOptions): Promise<number | bigint>;
  advance(next: number | bigint, options: DatedAdvanceOptions): Promise<number | bigint>;

  /**
   * Removes counters of periods that are over. The current period and later ones stay, whatever is asked. A
   * period that was removed never begins again: where a clock was set back to it, calls are rejected with
   * `ERR_NEXTID_PERIOD_PRUNED`.
   *
   * @param name of a dated sequence; without it, the counters of the one without a name
   * @returns what was removed, or would be with `dryRun`, years first, then months, days and hours, the oldest
   *   first. An empty array where there is nothing to remove, also if there are no such counters: a cron job
   *   may come before the first id.
   * @throws {TypeError} (rejects) `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`
   * @throws {RangeError} (rejects) `ERR_OUT_OF_RANGE`
   * @throws {NextIdError} (rejects)
   */
  prune(name: string, options: PruneOptions): Promise<PrunedCounter[]>;
  prune(options: PruneOptions): Promise<PrunedCounter[]>;

  /** Closes all sequences (see `Sequence.close()`) and disconnects. Calling it again is fine. */
  close(): Promise<void>;

  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A counter, as `Store.list()` shows it. */
export interface CounterInfo {
  /** Empty for the dated counters without a name. */
  name: string;
  kind: 'plain' | 'dated' | 'cyclic' | 'time-stamped';
  /**
   * What is to be given next: a number, a count of the period, an id from 1 to `cycle`, or a slot (the
   * microseconds since 1970, with 4 digits since 2020, times 10^digits, plus the digits). A BigInt if it is
   * past 2^53-1, undefined if the counter is damaged.
   */
  next: number | bigint | undefined;
  /** Of a dated counter: its period, as in `14062513`, `140625`, `1406` or `14`. */
  prefix?: number;
  /** Of a cyclic counter: its largest id. */
  cycle?: number;
  /** Of a time-stamped counter: how many digits its ids end in. */
  digits?: number;
  /** Of a time-stamped counter: `'UTC'`, or the offset of the time in its ids. */
  timeZone?: string;
  /** What is wrong with a damaged counter. */
  problem?: string;
}

/** Which counter `Store.advance()` moves. */
export type AdvanceOptions = DatedAdvanceOptions | CyclicAdvanceOptions | TimestampedAdvanceOptions |
  PlainAdvanceOptions;

/** What `AdvanceOptions` of every kind may have. */
export interface PlainAdvanceOptions {
  /**
   * You know where the counter stands, so also: replace a damaged value, unless it is a number larger than
   * `next`; and make a dated counter of a period that `prune()` removed.
   * @default false
   */
  restore?: boolean | undefined;
}

/** The dated counter of the present period, or that of the period `prefix`. */
export type DatedAdvanceOptions = PlainAdvanceOptions & (
  | {
    period: 'hour' | 'day' | 'month' | 'year';
    /** @default that of the open sequence, else 'UTC' */
    timeZone?: string | undefined;
  }
  | {
    /** As in 14062513, 140625, 1406 or 14. */
    prefix: number;
  }
);

/** The counter of a cyclic sequence. */
export interface CyclicAdvanceOptions extends PlainAdvanceOptions {
  cycle: number;
}

/** The counter of a time-stamped sequence. */
export interface TimestampedAdvanceOptions extends PlainAdvanceOptions {
  /** `digits` and `timeZone` as those of the sequence; the defaults are those of the open one, else 2 and 'UTC'. */
  timestamp: true | { digits?: number | undefined; timeZone?: string | undefined };
}

/**
 * What `Store.prune()` is to remove: what `before` says, or all; but nothing that `keep` keeps. One of the two
 * is needed.
 */
export type PruneOptions = PruneRules & (
  | { before: NonNullable<PruneRules['before']> }
  | { keep: NonNullable<PruneRules['keep']> }
);

/** What `PruneOptions` are made of. */
export interface PruneRules {
  /**
   * Counters below this prefix, of the kind of period that has as many digits (`150000`: days before 2015, and
   * no hours, months or years); or those of periods that had ended at this moment.
   */
  before?: number | Date | undefined;
  /**
   * The newest counters, and the last one of each of the newest days, weeks (from Monday), months and years
   * that have any: 0 to 100 000 of each.
   */
  keep?: {
    hourly?: number | undefined;
    daily?: number | undefined;
    weekly?: number | undefined;
    monthly?: number | undefined;
    yearly?: number | undefined;
  } | undefined;
  /**
   * Remove nothing, tell what would be removed.
   * @default false
   */
  dryRun?: boolean | undefined;
  /**
   * The time zone of the sequence: in it a Date in `before` is understood (else in UTC), and its current period
   * stays. Without one, every period stays that is current anywhere.
   * @default that of the sequence if it is open in this store
   */
  timeZone?: string | undefined;
}

/** A counter that `Store.prune()` removed. */
export interface PrunedCounter {
  prefix: number;
  /** The last number given, or undefined if the counter was damaged. */
  count: number | bigint | undefined;
}

/** What sequences of every kind know. */
export interface CommonOptions {
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
}

/** A sequence whose ids begin anew with each period of a calendar: `140625-0001`, `140625-0002`, … */
export interface DatedOptions extends CommonOptions {
  period: 'hour' | 'day' | 'month' | 'year';

  /**
   * Whose clock says which period it is: an IANA name such as `'Europe/Berlin'`, or `'local'`, that of the
   * process.
   * @default 'UTC'
   */
  timeZone?: string | undefined;

  /**
   * What ids look like: literal text, the tokens `{YYYY}` or `{YY}`, `{MM}`, `{DD}` and `{HH}`, as many as the
   * period has, and `{count}` or, with a least width, `{count:4}`. Braces may hold several tokens:
   * `{YYYYMMDD}`. A brace itself is doubled.
   * @default '{YYMMDD}-{count:4}' for days; '{YYMMDDHH}-…', '{YYMM}-…' and '{YY}-{count:4}'
   */
  format?: string | undefined;

  /** As for plain sequences. */
  step?: number | AdaptiveStep | undefined;
}

/** A sequence that gives 1 to `cycle` and then begins at 1 again. Every id is a round trip to the store. */
export interface CyclicOptions extends CommonOptions {
  /** The largest id: 1 to 9 000 000 000 000 000. */
  cycle: number;
}

/**
 * A sequence whose ids are the time to the microsecond and some digits: `20140625134501123456` and `07`. Every
 * id is a round trip to the store, unless `maxAge` lets it keep some.
 */
export interface TimestampOptions extends CommonOptions {
  timestamp: true | {
    /**
     * How many digits tell ids of the same microsecond apart, 0 to 4. When they are used up, the next
     * microsecond is begun early. With 4 digits ids end in 2049, with less in 2255.
     * @default 2
     */
    digits?: number | undefined;
    /**
     * `'UTC'` or an offset such as `'+08:00'`, the same one everywhere: in another zone the times of other ids
     * would come again. The counter remembers it as it does `digits`, and refuses others
     * (`ERR_NEXTID_OPTIONS_CONFLICT`).
     * @default 'UTC'
     */
    timeZone?: string | undefined;
    /**
     * What ids look like: literal text and the tokens `{YYYY}{MM}{DD}{hh}{mm}{ss}{ffffff}{digits}`, all of
     * them, in this order. The counter does not know it: use the same one everywhere.
     * @default '{YYYYMMDDhhmmssffffff}{digits}'
     */
    format?: string | undefined;
    /**
     * Ids may be reserved in ranges and kept so long, in milliseconds: 1 to 3 600 000. Their time is that of
     * the reservation then.
     */
    maxAge?: number | undefined;
    /**
     * How far the clock of this machine may be ahead of the one of the MongoDB server, in milliseconds: 0 to
     * 86 400 000. Past that, calls are rejected with `ERR_NEXTID_CLOCK_AHEAD`.
     * @default 10_000
     */
    maxSkew?: number | undefined;
  };
}

/** The options of one kind, with none of another. */
export type AnySequenceOptions =
  | SequenceOptions & Without<'period' | 'timeZone' | 'format' | 'cycle' | 'timestamp'>
  | DatedOptions & Without<'start' | 'bigint' | 'cycle' | 'timestamp'>
  | CyclicOptions & Without<'start' | 'step' | 'bigint' | 'period' | 'timeZone' | 'format' | 'timestamp'>
  | TimestampOptions & Without<'start' | 'step' | 'bigint' | 'period' | 'timeZone' | 'format' | 'cycle'>;

type Without<Names extends string> = { [Name in Names]?: undefined };

/** A plain sequence: 1, 2, 3, … */
export interface SequenceOptions extends CommonOptions {
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
   * @default { min: 10, max: 1_000_000, target: 1000 }
   */
  step?: number | AdaptiveStep | undefined;

  /**
   * Ids are BigInts, up to 2^63-2. Without it they are numbers, up to 2^53-1; past that there are no more ids
   * and calls are rejected with `ERR_NEXTID_ID_OVERFLOW`.
   * @default false
   */
  bigint?: boolean | undefined;
}

/**
 * A step that follows the load: it aims at one refill per `target` of usual use (the mean of the last four),
 * and is at least what two refills, or a quarter of `target`, use at the present rate. From one refill to the
 * next it halves at most, and doubles at most (itself, or the number of callers that wait).
 */
export interface AdaptiveStep {
  /**
   * The smallest step, and the first: 1 to 1 000 000 000.
   * @default 10, or `max` if that is less
   */
  min?: number | undefined;
  /**
   * The largest step: `min` to 1 000 000 000.
   * @default 1_000_000, or `min` if that is more
   */
  max?: number | undefined;
  /**
   * Milliseconds from one refill to the next, in the mean, if the store is fast: 1 to 3 600 000.
   * @default 1000
   */
  target?: number | undefined;
}

/** The options of a call that may have to wait. */
export interface WaitOptions {
  /**
   * Aborting it takes the call out of the queue: it rejects with the signal's `reason`, and no number is
   * lost. (Cyclic, and time-stamped without `maxAge`: those that are on their way for it are.)
   */
  signal?: AbortSignal | undefined;
}

/**
 * A named stream of ids, unique among all the instances that use the same counter. Ids of one instance grow
 * in the order of its calls. There are gaps: numbers reserved by a process that dies are never given out.
 *
 * All methods that return a Promise reject with a `NextIdError`: `ERR_NEXTID_TIMEOUT`, `…_TOO_MANY_WAITERS`,
 * `…_CLOSED`, `…_ID_OVERFLOW`, `…_ACCESS_DENIED`, `…_STORE_INVALID`, `…_COUNTER_INVALID`,
 * `…_SEQUENCE_MISSING`, `…_SEQUENCE_REWOUND` and those of one kind (see `NextIdErrorCode`), with the TypeErrors
 * and RangeErrors of Node for bad arguments, or with the reason of an aborted signal. No error sticks: the next
 * call tries anew.
 */
export interface Sequence<Id extends number | bigint | string = number> {
  /** Empty for the dated sequence without a name. */
  readonly name: string;

  /** The next id. With numbers in memory it resolves at once, without I/O. */
  nextId(options?: WaitOptions): Promise<Id>;

  /**
   * `n` ids, growing, not always without a gap between them; dated: all of one period; cyclic: going round.
   * @param n 1 to 10 000 000
   */
  nextIds(n: number, options?: WaitOptions): Promise<Id[]>;

  /**
   * `n` numbers in a row, for bulk inserts. From memory if they fit, else reserved as a block of its own,
   * outside the order of `nextId()`: later ids may be smaller. Of a cyclic sequence, numbers that do not go
   * round: rejected with `ERR_NEXTID_ACROSS_WRAP` where fewer are left before the next 1.
   * @param n 1 to 1 000 000 000; cyclic: at most `cycle`
   */
  reserve(n: number, options?: WaitOptions): Promise<Block<Id>>;

  /**
   * The next id if one is in memory, else undefined; never waits. The call that gets undefined starts a
   * refill. Of a cyclic sequence, or a time-stamped one without `maxAge`, always undefined.
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

/** See `DatedOptions`. Its ids carry the period of the moment they are given. */
export interface DatedSequence extends Sequence<string> {
  /**
   * What an id of this sequence says.
   * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`: it is no such id
   */
  parse(id: string): DatedId;
  stats(): SequenceStats & {
    /** The period of the last call, undefined before the first one. */
    prefix: number | undefined;
  };
}

export interface DatedId {
  /** The period: `140625` for a day. */
  prefix: number;
  count: number;
  /** The first instant of the period, and the first one after it. */
  from: Date;
  to: Date;
}

/** See `TimestampOptions`. */
export interface TimestampSequence extends Sequence<string> {
  /**
   * What an id of this sequence says.
   * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`: it is no such id
   */
  parse(id: string): TimestampId;
  stats(): SequenceStats & {
    /** How far the time of the last id is ahead of this machine's clock, in whole milliseconds. */
    ahead: number;
  };
}

export interface TimestampId {
  /** The time, in whole milliseconds. */
  time: Date;
  /** The time in microseconds since 1970. */
  microseconds: number;
  /** What the digits after the time say; 0 if there are none. */
  digit: number;
}

/** Numbers in a row: `first`, …, `last`, both of them included. */
export interface Block<Id extends number | bigint | string = number> {
  first: Id;
  last: Id;
  count: number;
}

/**
 * For monitoring. Counts are since the sequence was opened.
 *
 * What happens meanwhile is published on channels of `node:diagnostics_channel`, at no cost while nobody has
 * subscribed: `nextid:refill` (`RefillMessage`), `nextid:error` (`RefillErrorMessage`) and `nextid:wait`
 * (`WaitMessage`). `NODE_DEBUG=nextid` tells the same in words, on stderr.
 */
export interface SequenceStats {
  name: string;
  /** Numbers reserved and not handed out yet. */
  inMemory: number;
  /** Numbers that calls were given. */
  handedOut: number;
  /** Numbers reserved that nobody will be given. */
  lost: number;
  /** Numbers given back to the store by `close()`; dated: also when a period was over. */
  released: number;
  /** Refills that brought numbers. */
  refills: number;
  /** Refills that failed. */
  failures: number;
  /** Calls that had to wait. */
  waits: number;
  /** Of these, calls that timed out. */
  timeouts: number;
  /**
   * How long calls have waited, added up, in milliseconds; of those that wait now, up to the last time that the
   * sequence had something to do.
   */
  waitTime: number;
  /** Calls that wait now. */
  waiters: number;
  /** Numbers that the next refill asks for, if no more are waited for; 0 where none are kept in memory. */
  step: number;
  /** Ids asked for a second, over the last range. 0 until two refills have started. */
  rate: number;
  /** A high estimate of how long a refill takes, in milliseconds. */
  refillTime: number;
  /** Whether a refill is under way. */
  refilling: boolean;
  /** Why the last refill failed; undefined if it did not. */
  lastError: NextIdError | undefined;
}

/** Of which sequence a message tells. */
export interface MessageOrigin {
  /** `Store.url`: without credentials and options. */
  store: string;
  /** `Sequence.name`. */
  sequence: string;
  kind: 'plain' | 'dated' | 'cyclic' | 'time-stamped';
}

/** `nextid:refill`: a refill has brought numbers. */
export interface RefillMessage extends MessageOrigin {
  /** Milliseconds from its start on a worker thread until JavaScript had the answer. */
  duration: number;
  /** How many numbers were reserved. 0: `ready()` of a sequence that keeps none wanted an answer only. */
  numbers: number;
}

/** `nextid:error`: a refill failed. Calls hear of it only if they wait, and it is not tried again in time. */
export interface RefillErrorMessage extends MessageOrigin {
  /** As for `RefillMessage`. */
  duration: number;
  error: NextIdError;
}

/**
 * `nextid:wait`: a call that had to wait has come to its end. One that began before anybody had subscribed is
 * not told of.
 */
export interface WaitMessage extends MessageOrigin {
  /** Milliseconds that the call waited. */
  duration: number;
  /** How many numbers it asked for; 0 for `ready()`. */
  numbers: number;
  /** What it was rejected with (the reason of its signal may be anything), undefined if it got its numbers. */
  error: unknown;
}

/**
 * | code | what happened |
 * | --- | --- |
 * | `ERR_NEXTID_ACCESS_DENIED` | the store refuses the user, the password or the permission |
 * | `ERR_NEXTID_ACROSS_WRAP` | cyclic: fewer numbers than `reserve()` asked for are left before the next 1 |
 * | `ERR_NEXTID_CLOCK_AHEAD` | time-stamped: the clock is more than `maxSkew` ahead of the server's |
 * | `ERR_NEXTID_CLOCK_INVALID` | dated: the clock shows a year before 2010 or after 2099 |
 * | `ERR_NEXTID_CLOSED` | the sequence or the store is closed |
 * | `ERR_NEXTID_COUNTER_INVALID` | the counter holds something that is no whole number from 0 to 2^63-1, or (MongoDB) another program's document stands in its place |
 * | `ERR_NEXTID_ID_OVERFLOW` | the sequence has passed its largest number; see `bigint` |
 * | `ERR_NEXTID_OPTIONS_CONFLICT` | the sequence is open with other options, or its counter was made for another `cycle`, `digits` or `timeZone`; `advance()`: the name has counters of another kind only |
 * | `ERR_NEXTID_PERIOD_PRUNED` | dated: the period is one that `prune()` has closed: is the clock right? |
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
  | 'ERR_NEXTID_ACROSS_WRAP'
  | 'ERR_NEXTID_CLOCK_AHEAD'
  | 'ERR_NEXTID_CLOCK_INVALID'
  | 'ERR_NEXTID_CLOSED'
  | 'ERR_NEXTID_COUNTER_INVALID'
  | 'ERR_NEXTID_ID_OVERFLOW'
  | 'ERR_NEXTID_OPTIONS_CONFLICT'
  | 'ERR_NEXTID_PERIOD_PRUNED'
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
