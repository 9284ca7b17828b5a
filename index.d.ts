/// <reference lib="esnext.disposable" />

/**
 * Opens a store: the database behind the counters. Connects on first use.
 *
 * nextid emits each of these process warnings once:
 * - `NEXTID_DEFAULT_STORE`: `NODE_ENV` is `production`, and neither `source` nor `NEXTID_STORE` names a
 *   store.
 * - `NEXTID_WEAK_DURABILITY`: an option of the MongoDB URL makes duplicates possible (`w`, `safe`, `journal`,
 *   `readConcernLevel`), or `fsync` is off in PostgreSQL.
 * - `NEXTID_NETWORK_FILE_SYSTEM`: the SQLite file seems to be on a network file system (checked on Linux
 *   only).
 *
 * @param source One of:
 *   - `'sqlite:PATH'`, relative to the working directory
 *   - `'mongodb://…/database'` or `'mongodb+srv://…/database'`, with the options of libmongoc and
 *     `?collection=NAME`. With `?collection=`, the counters of all kinds are in that collection. Without it,
 *     plain and dated counters are in `ids`, cyclic and time-stamped counters in `counters`.
 *   - `mongoose.connection`, a `MongoClient` or a `Db`: the same documents, through the connection that the
 *     service already has. `close()` does not close it.
 *   - `'postgres://…/database'` or `'mysql://…/database'`, with the options of `pg` or `mysql2`, and `?table=NAME`
 *     and `?schema=NAME`. The package `pg` or `mysql2` must be installed.
 *   - a `Pool` of `pg`, the `sql` of `postgres`, or a pool of `mysql2`. `close()` does not close it.
 *   - `'memory:'`, for unit tests: counters of this store object, which begin at 1 with each `open()`.
 *     `'memory:NAME'`: counters of this process, the same for each `open()` of the same NAME.
 *   - a `CounterStore`: an object of yours that keeps the counters in any other database
 *
 *   Without any argument: the environment variable `NEXTID_STORE`, otherwise `'sqlite:nextid.db'`.
 * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`: the source is undefined, empty,
 *   malformed or no store, or an option is unknown.
 * @throws {RangeError} `ERR_OUT_OF_RANGE`
 * @throws {NextIdError} `ERR_NEXTID_STORE_UNSUPPORTED`, `ERR_NEXTID_STORE_INVALID`
 */
export function open(): Store;
export function open(source: string | URL | CounterStore, options?: StoreOptions): Store;
export function open(source: MongoConnection, options?: MongoConnectionOptions): Store;
export function open(source: SqlConnection, options?: SqlConnectionOptions): Store;

export interface StoreOptions {
  /**
   * How many refills of the store may run at a time, 1 to 64. Further refills wait in a queue, and the time in
   * the queue counts towards `timeout`. With SQLite and `mongodb:` URLs, each refill holds a libuv worker
   * thread. File access, DNS lookups and crypto of the process share the same pool: 4 threads, unless
   * `UV_THREADPOOL_SIZE` says otherwise. With `postgres:` and `mysql:` URLs, this is also the largest number of
   * connections.
   * @default 2
   */
  maxConcurrentRefills?: number | undefined;
  /**
   * After how many milliseconds without a new id a sequence returns its numbers to the store, 1 to 2^31−1.
   * Sequences are checked once in this time, so it can take twice as long. The sequence stays usable. When it
   * is idle and the program holds no reference to it, it can be garbage-collected; the next
   * `store.sequence()` then opens the name again, with the options of that call.
   * @default off: a sequence keeps its numbers, and stays in memory, until it is closed
   */
  idle?: number | undefined;
}

/** The options of `open()` for a connection to MongoDB. */
export interface MongoConnectionOptions extends StoreOptions {
  /**
   * The collection for the counters of all kinds.
   * @default plain and dated counters are in `ids`, cyclic and time-stamped counters in `counters`
   */
  collection?: string | undefined;
}

/** The options of `open()` for a connection to PostgreSQL or MySQL. */
export interface SqlConnectionOptions extends StoreOptions {
  /**
   * The table for the counters of all kinds, 1 to 63 bytes of UTF-8. Made with the first counter.
   * @default 'nextid_counters'
   */
  table?: string | undefined;
  /**
   * The schema of the table in PostgreSQL, or its database in MySQL.
   * @default where the connection looks for tables
   */
  schema?: string | undefined;
}

/**
 * A `Pool` of the package `pg`, version 8, the `sql` of the package `postgres`, version 3, or a pool of the package
 * `mysql2`, version 3, with callbacks or promises. Only the members are listed that `open()` looks for.
 */
export type SqlConnection =
  | { connect(): Promise<unknown>; readonly totalCount: number }
  | { unsafe(query: string): unknown; begin: unknown }
  | { getConnection: unknown; query: unknown };

/**
 * `mongoose.connection` of Mongoose 8 or later, or a `MongoClient` or a `Db` of the package `mongodb`,
 * version 6 or later. Only the members are listed that `open()` looks for.
 */
export type MongoConnection =
  | { asPromise(): Promise<unknown>; getClient(): object }
  | { db(name?: string): object; startSession(): object }
  | { command(command: object): Promise<unknown>; collection(name: string): object };

/**
 * A store of your own: pass an object with these methods to `open()`. It keeps one short text per counter
 * under a key. nextid derives all kinds of sequences from these methods; keys and values are opaque to the
 * store. `nextid/store-tests` checks an implementation, and docs/stores.md has an example.
 *
 * A value is usually shorter than 100 bytes, and at most a few kB. A key is at most 300 bytes of UTF-8. Both
 * are well-formed Unicode without NUL. Keys that differ in one byte, such as in upper and lower case, are
 * different.
 *
 * All methods may return a value or a Promise of it. Several calls may run at a time. nextid waits 5 s for
 * all calls of one refill, then tries again: set a timeout of the client below that.
 *
 * If a method throws, or its Promise rejects, nextid tries again until the waiting calls time out. The
 * `cause` of their error has its name, message and number. An error whose `code` is `'ERR_NEXTID_ACCESS_DENIED'` or
 * `'ERR_NEXTID_STORE_INVALID'` rejects the calls at once, because trying again cannot help:
 * `throw new NextIdError('the password is wrong', { code: 'ERR_NEXTID_ACCESS_DENIED' })`.
 */
export interface CounterStore {
  /**
   * Resolves to the value under `key`, exactly as it was saved, or to `undefined` if there is none. It must
   * see every write that any process has completed: read from the primary, and never from a cache or a
   * replica.
   */
  read(key: string): string | undefined | Promise<string | undefined>;

  /**
   * If the value under `key` is `expected`, replaces it by `next`, in one atomic step across all processes.
   * `undefined` means no value: as `expected`, the key must not exist; as `next`, the key is removed.
   *
   * Resolves to true only when the write is durable: it must survive a crash, a power cut and a failover.
   * Resolves to false only if nothing was written, because the value was another one. If it is unknown
   * whether the write took effect (a lost connection, a timeout), it must throw.
   *
   * It must never send a write again, and neither may the client below it: switch off its retries of writes.
   * The second attempt would not find `expected`, and false would be wrong. **Ids could then come twice.**
   */
  compareAndSet(
    key: string, expected: string | undefined, next: string | undefined,
  ): boolean | Promise<boolean>;

  /**
   * Resolves to all keys and values, such as a `Map` or an array of pairs. Only `list()`, `prune()` and
   * `advance()` of nextid call it. It need not be a snapshot, but must contain every key that exists during
   * the whole call. Keys that nextid did not write are ignored.
   */
  list(): Iterable<readonly [key: string, value: string]>
    | Promise<Iterable<readonly [key: string, value: string]>>;

  /** Called once, by `close()` of the `Store`. Leave it out if the connection belongs to the service. */
  close?(): void | Promise<void>;
}

/** The database behind the counters. Every call after `close()` fails with `ERR_NEXTID_CLOSED`. */
export interface Store {
  /**
   * The URL of the store without credentials and options, safe to log. `'custom store'` for a `CounterStore`.
   */
  readonly url: string;

  /**
   * Returns the sequence `name`: the same object for the same name. It does not access the database. The
   * first call that needs a number creates the counter, beginning at `start`. If several instances do so at
   * once, exactly one creates it.
   *
   * The options choose the kind of the sequence: dated with `period`, cyclic with `cycle`, time-stamped with
   * `timestamp`, gapless with `gapless`, otherwise plain.
   *
   * @param name 1 to 255 bytes of UTF-8, without NUL
   * @param options If the sequence is already open: the same options, or none.
   * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`
   * @throws {RangeError} `ERR_OUT_OF_RANGE`
   * @throws {NextIdError} `ERR_NEXTID_OPTIONS_CONFLICT`, `ERR_NEXTID_CLOSED`
   */
  sequence(name: string, options: DatedOptions): DatedSequence;
  sequence(name: string, options: CyclicOptions & AsText): CountedSequence<number>;
  sequence(name: string, options: CyclicOptions & AsNumber): Sequence<number>;
  sequence(name: string, options: CyclicOptions): Sequence<number | string>;
  sequence(name: string, options: TimestampOptions): TimestampSequence;
  sequence(name: string, options: GaplessOptions & ({ period: Period } | { format: string })): GaplessSequence<string>;
  sequence(name: string, options: GaplessOptions & Without<'period' | 'format'>): GaplessSequence<number>;
  sequence(name: string, options: GaplessOptions): GaplessSequence;
  sequence(name: string, options: OnlyPlain & AsText & { bigint?: false | undefined }): CountedSequence<number>;
  sequence(name: string, options: OnlyPlain & AsText & { bigint: true }): CountedSequence<bigint>;
  sequence(name: string, options?: OnlyPlain & AsNumber & { bigint?: false | undefined }): Sequence<number>;
  sequence(name: string, options: OnlyPlain & AsNumber & { bigint: true }): Sequence<bigint>;
  sequence(name: string, options: OnlyPlain & AsNumber): Sequence<number | bigint>;
  /** For options whose kind is not known at compile time. */
  sequence(name: string, options: SequenceOptions): Sequence<number | bigint | string>;
  /** For wrong options, TypeScript reports this overload. */
  sequence(name: string, options: SequenceOptions | OnlyGapless):
    Sequence<number | bigint | string> | GaplessSequence;

  /**
   * Returns the dated sequence without a name. On MongoDB its counters are the documents
   * `{ prefix: 140625, count: N }` with a unique index on `prefix`. Other programs may increment them with
   * `findAndModify`.
   */
  sequence(options: DatedOptions): DatedSequence;

  /**
   * Resolves to all counters of the store, ordered by name.
   * @throws {NextIdError} (rejects)
   */
  list(): Promise<CounterInfo[]>;

  /**
   * Moves a counter up so that `next` is the next number given. Never moves it down (cyclic: within its
   * round). Creates the counter if it does not exist. Calling it again with the same arguments does no harm.
   *
   * Use it to take over existing data: `await ids.advance('orders', 1 + largestIdInUse)`,
   * `await ids.advance('tickets', 421, { period: 'year' })`.
   *
   * This process discards the numbers below `next` that it has in memory. Other processes continue to use
   * theirs.
   *
   * Without options it moves a plain counter. It rejects if the name has only counters of another kind, or,
   * with `period`, only counters of other periods: no sequence would use the new counter. Then pass the
   * options of the sequence. If the sequence is open in this store, the options must match it.
   *
   * @param name Without it, the dated counter of the period that has no name.
   * @param next plain: an integer from 0 to 2^53-1, or a BigInt from 0 to 2^63-2; dated: the next count, from
   *   1 to 2^53-1; cyclic: the next id, from 1 to `cycle`; time-stamped: the next slot, from 1 (see
   *   `CounterInfo.next`). If the slot lies in the future, so does the time in the ids.
   * @returns the next number that will be given: larger than `next` if the counter stood higher; 1 if a
   *   cyclic counter is at the end of its round. A BigInt only above 2^53-1.
   * @throws {TypeError} (rejects) `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`
   * @throws {RangeError} (rejects) `ERR_OUT_OF_RANGE`
   * @throws {NextIdError} (rejects) `ERR_NEXTID_OPTIONS_CONFLICT`, `ERR_NEXTID_COUNTER_INVALID`,
   *   `ERR_NEXTID_PERIOD_PRUNED`, and the errors of the store
   */
  advance(name: string, next: number | bigint, options?: AdvanceOptions): Promise<number | bigint>;
  advance(next: number | bigint, options: DatedAdvanceOptions): Promise<number | bigint>;

  /**
   * Removes counters of past periods. The current period and later ones always stay. A removed period never
   * begins again: if a clock is set back to it, calls reject with `ERR_NEXTID_PERIOD_PRUNED`.
   *
   * @param name The name of a dated sequence. Without it, the dated counters that have no name.
   * @returns the removed counters, or with `dryRun` those that would be removed: years first, then months,
   *   days and hours, the oldest first. An empty array if there is nothing to remove or no such counter
   *   exists: a cron job may run before the first id.
   * @throws {TypeError} (rejects) `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`
   * @throws {RangeError} (rejects) `ERR_OUT_OF_RANGE`
   * @throws {NextIdError} (rejects)
   */
  prune(name: string, options: PruneOptions): Promise<PrunedCounter[]>;
  prune(options: PruneOptions): Promise<PrunedCounter[]>;

  /** Closes all sequences (see `Sequence.close()`) and disconnects. May be called again. */
  close(): Promise<void>;

  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A counter, as `Store.list()` shows it. */
export interface CounterInfo {
  /** Empty for the dated counters without a name. */
  name: string;
  kind: 'plain' | 'dated' | 'cyclic' | 'time-stamped' | 'gapless';
  /**
   * The next value that will be given. Plain and gapless: a number; dated: a count of the period; cyclic: an id
   * from 1 to `cycle`; with a series: how many ids it has up to that one; time-stamped: a slot, which is the
   * microseconds since 1970 (with 4 digits: since 2020) times 10^digits, plus the digits. A BigInt above 2^53-1;
   * undefined if the counter is damaged.
   */
  next: number | bigint | undefined;
  /** Dated, and gapless with `period`: the period, such as `14062513`, `140625`, `1406` or `14`. */
  prefix?: number;
  /** Cyclic: the largest id. */
  cycle?: number;
  /** Time-stamped: how many digits follow the time in an id. */
  digits?: number;
  /** Time-stamped: `'UTC'`, or the offset of the time in the ids. */
  timeZone?: string;
  /**
   * Plain and dated: how many numbers below `next` closed instances have returned, and none has taken yet.
   * Missing if there are none.
   */
  returned?: number;
  /** Damaged counters only: what is wrong. */
  problem?: string;
}

/** Which counter `Store.advance()` moves. */
export type AdvanceOptions = DatedAdvanceOptions | CyclicAdvanceOptions | TimestampAdvanceOptions |
  GaplessAdvanceOptions | PlainAdvanceOptions;

/** A plain counter. The options of `advance()` for the other kinds extend these. */
export interface PlainAdvanceOptions {
  /**
   * Also replaces a damaged value, unless it is a number larger than `next`, and creates a dated counter of a
   * period that `prune()` removed. Use it only if you know the largest number in use.
   * @default false
   */
  restore?: boolean | undefined;

  /**
   * The series of the sequence: `next` and the result are then ids of it. Without it they are numbers of the
   * counter, as `Store.list()` shows them.
   * @default the series of the open sequence
   */
  series?: Series | undefined;
}

/** The dated counter of the current period, or of the period `prefix`. */
export type DatedAdvanceOptions = PlainAdvanceOptions & (
  | {
    period: 'hour' | 'day' | 'month' | 'year';
    /** @default the time zone of the open sequence, otherwise 'UTC' */
    timeZone?: string | undefined;
  }
  | {
    /** Such as 14062513, 140625, 1406 or 14. */
    prefix: number;
  }
);

/** The counter of a cyclic sequence. */
export interface CyclicAdvanceOptions extends PlainAdvanceOptions {
  cycle: number;
}

/** The counter of a time-stamped sequence. */
export interface TimestampAdvanceOptions extends PlainAdvanceOptions {
  /**
   * The `digits` and `timeZone` of the sequence. Defaults: those of the open sequence, otherwise 2 and
   * `'UTC'`.
   */
  timestamp: true | { digits?: number | undefined; timeZone?: string | undefined };
  series?: undefined;
}

/**
 * The counter of a gapless sequence; with `period` that of the current period, with `prefix` of any. The call
 * waits for a transaction that holds the counter, for a few seconds.
 */
export interface GaplessAdvanceOptions extends PlainAdvanceOptions {
  gapless: true;
  period?: Period | undefined;
  /** @default the time zone of the open sequence, otherwise 'UTC' */
  timeZone?: string | undefined;
  /** Such as 14062513, 140625, 1406 or 14. Instead of `period`. */
  prefix?: number | undefined;
  series?: undefined;
}

/**
 * What `Store.prune()` removes. At least one of `before` and `keep` is required; with both, a counter is
 * removed only if both rules allow it.
 */
export type PruneOptions = PruneRules & (
  | { before: NonNullable<PruneRules['before']> }
  | { keep: NonNullable<PruneRules['keep']> }
);

/** The properties of `PruneOptions`. */
export interface PruneRules {
  /**
   * A prefix: removes the counters below it whose prefixes have as many digits (`150000`: days before 2015,
   * and no hours, months or years). A Date: removes the counters of periods that had ended by then.
   */
  before?: number | Date | undefined;
  /**
   * Keeps the newest `hourly` counters, and the last counter of each of the newest `daily` days, `weekly`
   * weeks (from Monday), `monthly` months and `yearly` years that have any. Each is 0 to 100 000.
   */
  keep?: {
    hourly?: number | undefined;
    daily?: number | undefined;
    weekly?: number | undefined;
    monthly?: number | undefined;
    yearly?: number | undefined;
  } | undefined;
  /**
   * Removes nothing; the result is what would be removed.
   * @default false
   */
  dryRun?: boolean | undefined;
  /**
   * The time zone of the sequence. It says which period is current, and which periods had ended by a Date in
   * `before`. Without it, every period stays that is current anywhere, and a Date is read in UTC.
   * @default the time zone of the sequence, if it is open in this store
   */
  timeZone?: string | undefined;
}

/** A counter that `Store.prune()` removed. */
export interface PrunedCounter {
  prefix: number;
  /** The last number given, or undefined if the counter was damaged. */
  count: number | bigint | undefined;
}

/** The options of every kind of sequence. */
export interface CommonOptions {
  /**
   * How long a call waits for the store before it rejects with `ERR_NEXTID_TIMEOUT`, in milliseconds: 1 to
   * 2^31-1. While numbers are in memory, calls do not wait, even if the store is down.
   * @default 10_000
   */
  timeout?: number | undefined;

  /**
   * How many calls may wait at a time, 1 to 10 000 000. Further calls reject at once with
   * `ERR_NEXTID_TOO_MANY_WAITERS`.
   * @default 100_000
   */
  maxWaiters?: number | undefined;
}

/** A sequence that restarts at 1 in each calendar period: `140625-0001`, `140625-0002`, … */
export interface DatedOptions extends CommonOptions {
  period: 'hour' | 'day' | 'month' | 'year';

  /**
   * The time zone in which periods begin: `'UTC'`, an IANA name such as `'Europe/Berlin'`, or `'local'` for
   * the time zone of the process.
   * @default 'UTC'
   */
  timeZone?: string | undefined;

  /**
   * What ids look like: literal text, the tokens of the period (`{YYYY}` or `{YY}`, `{MM}`, `{DD}`, `{HH}`),
   * and `{count}`, or `{count:4}` with a minimum width. One pair of braces may hold several tokens:
   * `{YYYYMMDD}`. For a literal brace, write `{{` or `}}`.
   * @default '{YYMMDD}-{count:4}' for days; '{YYMMDDHH}-…', '{YYMM}-…' and '{YY}-{count:4}'
   */
  format?: string | undefined;

  /** See `PlainOptions.step`. */
  step?: number | AdaptiveStep | undefined;

  /** See `PlainOptions.series`. */
  series?: Series | undefined;

  /** See `PlainOptions.encrypt`. The same count looks different in each period. */
  encrypt?: Encryption | undefined;
}

/**
 * A sequence that gives 1 to `cycle` and then wraps around to 1. Every id is a round trip to the store,
 * unless `step` allows ids to be kept in memory.
 */
export interface CyclicOptions extends CommonOptions {
  /** The largest id: 1 to 9 000 000 000 000 000. */
  cycle: number;

  /**
   * How many ids a refill asks for: see `PlainOptions.step`. With it, ids come from memory, where they stay
   * for at most 10 s. At most a thousandth of the ids of a round, because an id must not come again while
   * another instance still keeps it. Ids in memory at `close()` are lost.
   * @default undefined, which keeps none
   */
  step?: number | AdaptiveStep | undefined;

  /** See `PlainOptions.format`. */
  format?: string | undefined;

  /** See `PlainOptions.series`. The largest id is the last one of the series up to `cycle`. */
  series?: Series | undefined;

  /** See `PlainOptions.encrypt`. `cycle` must be below 10^digits. */
  encrypt?: Encryption | undefined;
}

/**
 * A sequence whose ids are the time to the microsecond, followed by digits: `20140625134501123456` and `07`.
 * Every id is a round trip to the store, unless `maxAge` allows ids to be kept in memory.
 */
export interface TimestampOptions extends CommonOptions {
  timestamp: true | {
    /**
     * How many digits distinguish ids of the same microsecond, 0 to 4. When they are used up, ids continue
     * with the next microsecond, ahead of the clock. With 4 digits ids end in 2049, with fewer in 2255.
     * @default 2
     */
    digits?: number | undefined;
    /**
     * `'UTC'` or an offset such as `'+08:00'`. All instances must use the same one: with two time zones, the
     * same time would appear in ids twice. The counter stores `timeZone` and `digits`; calls with other
     * values reject with `ERR_NEXTID_OPTIONS_CONFLICT`.
     * @default 'UTC'
     */
    timeZone?: string | undefined;
    /**
     * What ids look like: literal text and the tokens `{YYYY}{MM}{DD}{hh}{mm}{ss}{ffffff}{digits}`, all of
     * them and in this order. The counter does not store the format: use the same one in all instances.
     * @default '{YYYYMMDDhhmmssffffff}{digits}'
     */
    format?: string | undefined;
    /**
     * How long reserved ids may be kept in memory, in milliseconds: 1 to 3 600 000. The time in an id is then
     * the time of its reservation.
     * @default undefined, which keeps none
     */
    maxAge?: number | undefined;
    /**
     * How far the clock of this machine may be ahead of the database server's, in milliseconds:
     * 0 to 86 400 000. Beyond that, calls reject with `ERR_NEXTID_CLOCK_AHEAD`. SQLite has no server clock.
     * @default 10_000
     */
    maxSkew?: number | undefined;
  };
}

/**
 * A sequence without any gap: 1, 2, 3, … Each number is taken in a transaction of yours, by `nextId({
 * transaction })`, and is committed or rolled back with it. For stores in PostgreSQL, MySQL and MariaDB.
 */
export interface GaplessOptions {
  gapless: true;

  /**
   * The first number, used when the counter is created: 1 to 2^53-1. Not with `period`.
   * @default 1
   */
  start?: number | undefined;

  /** See `PlainOptions.format`; with `period` see `DatedOptions.format`. */
  format?: string | undefined;

  /**
   * The numbers restart at 1 in each calendar period, and ids are strings. The period is that of this
   * machine's clock when `nextId()` is called.
   */
  period?: Period | undefined;

  /** See `DatedOptions.timeZone`. Only with `period`. */
  timeZone?: string | undefined;
}

type Period = 'hour' | 'day' | 'month' | 'year';

/**
 * The options of a sequence: those of one kind, and none of another kind. Those of a gapless sequence, which
 * has other methods, are `GaplessOptions`.
 */
export type SequenceOptions =
  | OnlyPlain
  | DatedOptions & Without<'start' | 'bigint' | 'cycle' | 'timestamp' | 'gapless'>
  | CyclicOptions & Without<'start' | 'bigint' | 'period' | 'timeZone' | 'timestamp' | 'gapless'>
  | TimestampOptions &
    Without<'start' | 'step' | 'bigint' | 'period' | 'timeZone' | 'format' | 'series' | 'encrypt' | 'cycle' |
      'gapless'>;

type OnlyPlain = PlainOptions & Without<'period' | 'timeZone' | 'cycle' | 'timestamp' | 'gapless'>;
type OnlyGapless = GaplessOptions &
  Without<'step' | 'bigint' | 'series' | 'encrypt' | 'cycle' | 'timestamp' | 'timeout' | 'maxWaiters'>;
type AsText = { format: string } | { encrypt: Encryption };
type AsNumber = Without<'format' | 'encrypt'>;
type Without<Names extends string> = { [Name in Names]?: undefined };

/** A plain sequence: 1, 2, 3, … */
export interface PlainOptions extends CommonOptions {
  /**
   * The first number, used when the counter is created: an integer from 0 to 2^53-1, or, with `bigint: true`,
   * a BigInt up to 2^63-2.
   * @default 1
   */
  start?: number | bigint | undefined;

  /**
   * How many numbers a refill asks for (more, if more calls are waiting): 1 to 1 000 000 000, or the bounds
   * of an adaptive step. A step that is too small costs speed, never an error. One that is too large leaves
   * large gaps when a process dies.
   * @default { min: 10, max: 1_000_000, target: 1000 }
   */
  step?: number | AdaptiveStep | undefined;

  /**
   * Whether ids are BigInts, up to 2^63-2. Otherwise they are numbers, up to 2^53-1. Beyond the largest id,
   * calls reject with `ERR_NEXTID_ID_OVERFLOW`.
   * @default false
   */
  bigint?: boolean | undefined;

  /**
   * Makes ids strings: literal text and one `{count}`, or `{count:6}` with a minimum width. For a literal
   * brace, write `{{` or `}}`. The counter does not store the format: use the same one in all instances.
   * @default undefined, which makes ids numbers
   */
  format?: string | undefined;

  /**
   * Gives only ids that leave the remainder `index` when divided by `of`. Databases without a common point
   * never give the same id if each has an `index` of its own. The counter does not store the series: use the
   * same one in all instances of a database. `start` is still an id: the first one is not below it.
   * @default undefined, which gives all ids
   */
  series?: Series | undefined;

  /**
   * Makes ids strings of `digits` digits that look random and do not show how many there are. No two are
   * equal. With `format`, they take the place of `{count}`. The counter does not store the key: use the same
   * `encrypt` in all instances, and never change it. Calls that would need more digits reject with
   * `ERR_NEXTID_ID_OVERFLOW`.
   * @default undefined
   */
  encrypt?: Encryption | undefined;
}

/** Format-preserving encryption: FF1 of NIST SP 800-38G with AES. The name of the sequence is its tweak. */
export interface Encryption {
  /**
   * 16, 24 or 32 bytes, for AES-128, AES-192 or AES-256: as they are, as hexadecimal digits, or in a file as
   * either. No error shows it.
   */
  key: Uint8Array | string | { file: string };
  /** How many digits, 6 to 15. There are less than 10^digits ids. */
  digits: number;
}

/** `{ of: 3, index: 1 }`: 1, 4, 7, …; `{ of: 3, index: 0 }`: 3, 6, 9, … */
export interface Series {
  /** How many databases there are, or room for: 2 to 1000. */
  of: number;
  /** Which of them this one is: 0 to `of` - 1. */
  index: number;
}

/**
 * A step that follows the load. It aims at one refill per `target` at the usual rate, the average over the
 * last four `target`s. It is never less than what two refills, or a quarter of `target`, use at the current
 * rate. From one refill to the next it at most halves, and at most doubles (the step, or the number of
 * waiting calls).
 */
export interface AdaptiveStep {
  /**
   * The smallest step, and the first: 1 to 1 000 000 000.
   * @default 10, or `max` if it is smaller
   */
  min?: number | undefined;
  /**
   * The largest step: `min` to 1 000 000 000.
   * @default 1_000_000, or `min` if it is larger
   */
  max?: number | undefined;
  /**
   * The average time from one refill to the next if the store is fast, in milliseconds: 1 to 3 600 000.
   * @default 1000
   */
  target?: number | undefined;
}

/** The options of a call that may wait. */
export interface WaitOptions {
  /**
   * Aborting the signal removes the call from the queue. The call rejects with the `reason` of the signal,
   * and no number is lost. (Cyclic without `step`, and time-stamped without `maxAge`: numbers already
   * requested for the call are lost.)
   */
  signal?: AbortSignal | undefined;
}

/**
 * A named stream of ids, unique across all instances that use the same counter. The ids of one instance
 * increase in the order of its calls. A crash leaves a gap: the numbers that the process had reserved are
 * never given.
 *
 * All methods that return a Promise can reject with:
 * - a `NextIdError`: `ERR_NEXTID_TIMEOUT`, `…_TOO_MANY_WAITERS`, `…_CLOSED`, `…_ID_OVERFLOW`,
 *   `…_ACCESS_DENIED`, `…_STORE_INVALID`, `…_COUNTER_INVALID`, `…_SEQUENCE_MISSING`, `…_SEQUENCE_REWOUND`,
 *   or one of a single kind (see `NextIdErrorCode`)
 * - a TypeError or RangeError for a wrong argument, as Node.js has them
 * - the `reason` of an aborted signal
 *
 * No error sticks: the next call tries again.
 */
export interface Sequence<Id extends number | bigint | string = number> {
  /** Empty for the dated sequence without a name. */
  readonly name: string;

  /** Resolves to the next id. While numbers are in memory, it resolves at once and without I/O. */
  nextId(options?: WaitOptions): Promise<Id>;

  /**
   * Resolves to `n` increasing ids. There may be gaps between them. Dated: all ids are of one period. Cyclic:
   * the ids may wrap around to 1.
   * @param n 1 to 10 000 000
   */
  nextIds(n: number, options?: WaitOptions): Promise<Id[]>;

  /**
   * Resolves to a block of `n` consecutive numbers (with a series: consecutive ids of it), for bulk inserts.
   * The block comes from memory if it fits. Otherwise it is reserved separately, outside the order of
   * `nextId()`: later ids may be smaller. Cyclic: the block does not wrap around. If fewer numbers are left
   * before the next 1, the call rejects with `ERR_NEXTID_ACROSS_WRAP`.
   * @param n 1 to 1 000 000 000; cyclic: at most `cycle`
   */
  reserve(n: number, options?: WaitOptions): Promise<Block<Id>>;

  /**
   * Returns the next id if one is in memory, otherwise `undefined`; never waits. A call that returns
   * `undefined` starts a refill. Cyclic without `step`, time-stamped without `maxAge`: always `undefined`.
   * @throws {NextIdError} `ERR_NEXTID_CLOSED`
   */
  tryNextId(): Id | undefined;

  /** Resolves when numbers are in memory: the store answers and the counter is valid. */
  ready(options?: WaitOptions): Promise<void>;

  /** Returns figures for monitoring, counted since the sequence was opened. */
  stats(): SequenceStats;

  /**
   * Rejects all waiting calls, and returns the numbers in memory to the store: plain and dated sequences that
   * start next get them first. May be called again. Every other call then fails with `ERR_NEXTID_CLOSED`;
   * `Store.sequence()` opens the sequence again.
   */
  close(): Promise<void>;

  /** An endless stream of ids: `for await (const id of sequence)`. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Id>;

  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A plain or cyclic sequence whose ids are strings. */
export interface CountedSequence<Count extends number | bigint = number> extends Sequence<string> {
  /**
   * Returns the number of an id of this sequence.
   * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`: `id` does not have the format of
   *   this sequence
   */
  parse(id: string): { count: Count };
}

/** A sequence with `DatedOptions`. An id shows the period in which it was given. */
export interface DatedSequence extends Sequence<string> {
  /**
   * Returns the period and the count of an id of this sequence.
   * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`: `id` does not have the format of
   *   this sequence
   */
  parse(id: string): DatedId;
  stats(): SequenceStats & {
    /** The period of the last call; undefined before the first call. */
    prefix: number | undefined;
  };
}

export interface DatedId {
  /** The period: `140625` for a day. */
  prefix: number;
  count: number;
  /** The first instant of the period. */
  from: Date;
  /** The first instant after the period. */
  to: Date;
}

/** A sequence with `TimestampOptions`. */
export interface TimestampSequence extends Sequence<string> {
  /**
   * Returns the time and the digits of an id of this sequence.
   * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`: `id` does not have the format of
   *   this sequence
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
  /** The number in the digits after the time; 0 if there are none. */
  digit: number;
}

/**
 * A connection with an open transaction: a client of `pg`, the `sql` that `sql.begin()` of `postgres` passes
 * on, or a connection of `mysql2`, with callbacks or promises. Only the members are listed that nextid calls.
 */
export type Transaction =
  | { query(...args: never[]): unknown; totalCount?: undefined; getConnection?: undefined } // no pool
  | { unsafe(...args: never[]): unknown };

/**
 * A sequence with `GaplessOptions`. Its methods reject with:
 * - `ERR_NEXTID_NO_TRANSACTION`: no transaction is open on the connection; no number was taken
 * - `ERR_NEXTID_TRANSACTION_FAILED`: the database refused the statement. Roll the transaction back and run it
 *   again
 * - `ERR_NEXTID_STORE_INVALID`, `…_STORE_UNAVAILABLE`, `…_ACCESS_DENIED`, `…_COUNTER_INVALID`,
 *   `…_ID_OVERFLOW`, `…_CLOCK_INVALID`, `…_CLOSED`
 *
 * It has no `reserve()`, `tryNextId()` or iteration, because no numbers are kept in memory.
 */
export interface GaplessSequence<Id extends number | string = number | string> {
  readonly name: string;

  /**
   * Takes the next id in your open transaction. The id is yours when the transaction has committed: do not
   * show it before. If it rolls back, the next transaction gets the same id.
   *
   * From here to its end, the transaction holds the counter: other transactions wait for it, as long as the
   * database lets them (`lock_timeout`, `innodb_lock_wait_timeout`). Take the id late.
   *
   * If the call rejects, roll the transaction back.
   */
  nextId(options: { transaction: Transaction }): Promise<Id>;

  /**
   * Takes `n` ids that follow each other. Use all of them, or roll back.
   * @param n 1 to 10 000 000
   */
  nextIds(n: number, options: { transaction: Transaction }): Promise<Id[]>;

  /**
   * Returns the number of an id, and with `period` its period: see `DatedId`.
   * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`
   */
  parse(id: string): { count: number } & Partial<DatedId>;

  /**
   * Makes the table of the counters if it is missing, on a connection of the store. The first `nextId()` does
   * so too. Call it first if the pool has only one connection.
   */
  ready(): Promise<void>;

  /**
   * `handedOut` also counts the numbers of transactions that were rolled back. `inMemory`, `lost`, `returned`,
   * `waits`, `timeouts`, `waitTime`, `step` and `rate` are always 0.
   */
  stats(): SequenceStats;

  /** Every other call then fails with `ERR_NEXTID_CLOSED`. */
  close(): Promise<void>;

  /** `close()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A block of consecutive numbers: `first` to `last`, both included. */
export interface Block<Id extends number | bigint | string = number> {
  first: Id;
  last: Id;
  count: number;
}

/**
 * Figures for monitoring, counted since the sequence was opened.
 *
 * Events are published on channels of `node:diagnostics_channel`: `nextid:refill` (`RefillMessage`),
 * `nextid:error` (`RefillErrorMessage`) and `nextid:wait` (`WaitMessage`). Without a subscriber they cost
 * nothing. With `NODE_DEBUG=nextid`, the same events are written to stderr.
 */
export interface SequenceStats {
  name: string;
  /** Numbers that are reserved and not handed out yet. */
  inMemory: number;
  /** Numbers handed out to calls. */
  handedOut: number;
  /** Numbers that were reserved and will never be handed out. */
  lost: number;
  /** Numbers returned to the store by `close()`; dated: also at the end of a period. */
  returned: number;
  /** Refills that succeeded. */
  refills: number;
  /** Refills that failed. */
  failures: number;
  /** Calls that waited. */
  waits: number;
  /** Of these, calls that timed out. */
  timeouts: number;
  /**
   * The total time that calls have waited, in milliseconds. For calls that are waiting now, it counts up to
   * the last time that the sequence was active.
   */
  waitTime: number;
  /** Calls that are waiting now. */
  waiters: number;
  /** How many numbers the next refill asks for, at least; 0 if the sequence keeps none in memory. */
  step: number;
  /** Ids requested per second, measured over the last range. 0 until two refills have started. */
  rate: number;
  /** A conservative (high) estimate of how long a refill takes, in milliseconds. */
  refillTime: number;
  /** Whether a refill is under way. */
  refilling: boolean;
  /** Why the last refill failed; undefined if it succeeded. */
  lastError: NextIdError | undefined;
}

/** Which sequence a message is about. */
export interface MessageOrigin {
  /** `Store.url`: without credentials and options. */
  store: string;
  /** `Sequence.name`. */
  sequence: string;
  kind: 'plain' | 'dated' | 'cyclic' | 'time-stamped' | 'gapless';
}

/** `nextid:refill`: a refill succeeded. */
export interface RefillMessage extends MessageOrigin {
  /** Milliseconds from the start on a worker thread until JavaScript had the answer. */
  duration: number;
  /** How many numbers were reserved. 0 for `ready()` of a sequence that keeps none in memory. */
  numbers: number;
}

/** `nextid:error`: a refill failed. A call rejects only if it is waiting and no retry succeeds in time. */
export interface RefillErrorMessage extends MessageOrigin {
  /** See `RefillMessage.duration`. */
  duration: number;
  error: NextIdError;
}

/**
 * `nextid:wait`: a call that waited has ended. Calls that began before the first subscription are not
 * reported.
 */
export interface WaitMessage extends MessageOrigin {
  /** How long the call waited, in milliseconds. */
  duration: number;
  /** How many numbers the call asked for; 0 for `ready()`. */
  numbers: number;
  /** What the call rejected with (any value, if a signal was aborted); undefined if it succeeded. */
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
 * | `ERR_NEXTID_COUNTER_INVALID` | the counter is damaged, or (MongoDB) another program's document is in its place |
 * | `ERR_NEXTID_ID_OVERFLOW` | the sequence has passed its largest number; see `bigint` |
 * | `ERR_NEXTID_NO_TRANSACTION` | gapless: no transaction is open on the connection |
 * | `ERR_NEXTID_OPTIONS_CONFLICT` | the options do not fit the open sequence, or the counter in the store |
 * | `ERR_NEXTID_PERIOD_PRUNED` | dated: `prune()` has closed this period; is the clock right? |
 * | `ERR_NEXTID_SEQUENCE_MISSING` | the counter existed and is gone |
 * | `ERR_NEXTID_SEQUENCE_REWOUND` | the counter stands below numbers that this process was given |
 * | `ERR_NEXTID_STORE_INVALID` | what the URL names cannot be used as a store |
 * | `ERR_NEXTID_STORE_UNAVAILABLE` | the store does not answer, or not in time |
 * | `ERR_NEXTID_STORE_UNSUPPORTED` | a module is not installed, or (gapless) the store has no transactions |
 * | `ERR_NEXTID_TIMEOUT` | no number came within `timeout` |
 * | `ERR_NEXTID_TOO_MANY_WAITERS` | as many calls wait as `maxWaiters` allows |
 * | `ERR_NEXTID_TRANSACTION_FAILED` | gapless: the database refused the statement; roll back and try again |
 */
export type NextIdErrorCode =
  | 'ERR_NEXTID_ACCESS_DENIED'
  | 'ERR_NEXTID_ACROSS_WRAP'
  | 'ERR_NEXTID_CLOCK_AHEAD'
  | 'ERR_NEXTID_CLOCK_INVALID'
  | 'ERR_NEXTID_CLOSED'
  | 'ERR_NEXTID_COUNTER_INVALID'
  | 'ERR_NEXTID_ID_OVERFLOW'
  | 'ERR_NEXTID_NO_TRANSACTION'
  | 'ERR_NEXTID_OPTIONS_CONFLICT'
  | 'ERR_NEXTID_PERIOD_PRUNED'
  | 'ERR_NEXTID_SEQUENCE_MISSING'
  | 'ERR_NEXTID_SEQUENCE_REWOUND'
  | 'ERR_NEXTID_STORE_INVALID'
  | 'ERR_NEXTID_STORE_UNAVAILABLE'
  | 'ERR_NEXTID_STORE_UNSUPPORTED'
  | 'ERR_NEXTID_TIMEOUT'
  | 'ERR_NEXTID_TOO_MANY_WAITERS'
  | 'ERR_NEXTID_TRANSACTION_FAILED';

/** An error of a store or a sequence. Neither its message nor its cause shows a password. */
export class NextIdError extends Error {
  constructor(message: string, options: { code: NextIdErrorCode; cause?: unknown });
  readonly name: 'NextIdError';
  readonly code: NextIdErrorCode;
  /** The error of the database's own library, if it was involved. */
  readonly cause?: unknown;
}
