import type { AdaptiveStep, CounterStore, MongoConnection, StoreOptions } from '../index';

/**
 * The callback interface: a drop-in replacement for code that follows the post *Cached sequential unique
 * identifiers with Node.js and MongoDB*. A counter is a document `{ _id: seqname, index }` of the collection
 * `ids`. Old and new code may use the same documents at the same time.
 *
 * @param source As for `open()`. Without any argument: `$NEXTID_STORE`, otherwise `'sqlite:nextid.db'`.
 * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`: the source is wrong, or an option is
 *   unknown.
 */
declare function callback(): callback.Functions;
declare function callback(
  source: string | URL | CounterStore | MongoConnection, options?: callback.Options,
): callback.Functions;

declare namespace callback {
  interface Options extends StoreOptions {
    /**
     * The first number, used when the counter is created: 0 to 2^53-1.
     * @default 1000
     */
    start?: number | undefined;
    /**
     * How many numbers are reserved at a time (more, if more callbacks are waiting).
     * @default 10
     */
    step?: number | AdaptiveStep | undefined;
    /**
     * How long `next_id` waits for the store, in milliseconds: 1 to 2^31-1.
     * @default 10_000
     */
    timeout?: number | undefined;
    /**
     * How many callbacks may wait at a time, 1 to 10 000 000. Further ones get an error at once.
     * @default 100_000
     */
    maxWaiters?: number | undefined;
  }

  /** The state of one sequence, read-only. `init_id` passes it to its callback, and `next_id` takes it. */
  interface IdStatus {
    readonly _id: string;
    /** The next number that will be given. */
    readonly index: number;
    /** The end, exclusive, of the numbers in memory. */
    readonly high: number;
    /** The callbacks that are waiting, oldest first. */
    readonly waiters: readonly IdCallback[];
    /** Whether a range is being reserved. */
    readonly infetch: boolean;
  }

  /** `error` is null on success. On failure, `id` is not passed. */
  type IdCallback = (error: Error | null, id: number) => void;
  /** `error` is null on success. On failure, `idstatus` is not passed. */
  type StatusCallback = (error: Error | null, idstatus: IdStatus) => void;

  interface Functions {
    /** Creates the counter if it does not exist, and passes the state of the sequence to `callback`. */
    init_id(seqname: string, callback: StatusCallback): void;

    /**
     * Passes the next id to `callback`: before `next_id` returns if a number is in memory, otherwise when one
     * has arrived.
     * @param idstatus What `init_id` passed to its callback.
     */
    next_id(idstatus: IdStatus, callback: IdCallback): void;

    /** Returns unused numbers to the store and disconnects. Waiting callbacks get an error. */
    close(): Promise<void>;
  }
}

export = callback;
