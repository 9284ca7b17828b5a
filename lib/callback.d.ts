import type { AdaptiveStep, StoreOptions } from '../index';

/**
 * The callback interface, a drop-in for code that follows the readable-ids blog: a counter is a document `{
 * _id: seqname, index }` of the collection `ids`. Old and new code may use the same documents at the same
 * time.
 *
 * @param url as for `open()`: without any argument `$NEXTID_STORE`, else `'sqlite:nextid.db'`
 * @throws {TypeError} `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE`: the URL is malformed or an option
 *   unknown.
 */
declare function callback(): callback.Functions;
declare function callback(url: string | URL, options?: callback.Options): callback.Functions;

declare namespace callback {
  interface Options extends StoreOptions {
    /**
     * The first number of a counter that is not there yet: 0 to 2^53-1.
     * @default 1000
     */
    start?: number | undefined;
    /**
     * How many numbers are reserved at a time, if no more are waited for.
     * @default 10
     */
    step?: number | AdaptiveStep | undefined;
    /**
     * How long `next_id` waits for the store, in milliseconds: 1 to 2^31-1.
     * @default 10_000
     */
    timeout?: number | undefined;
    /**
     * How many callbacks may wait at a time, 1 to 10 000 000. One more gets an error at once.
     * @default 100_000
     */
    maxWaiters?: number | undefined;
  }

  /** What the functions pass around: the state of one sequence. For looking at only. */
  interface IdStatus {
    readonly _id: string;
    /** The next number to be given. */
    readonly index: number;
    /** The end, exclusive, of the numbers in memory. */
    readonly high: number;
    /** The callbacks that wait, oldest first. */
    readonly waiters: readonly IdCallback[];
    /** Whether a range is being reserved. */
    readonly infetch: boolean;
  }

  /** `error` is null on success. Without success there is no `id`. */
  type IdCallback = (error: Error | null, id: number) => void;
  /** `error` is null on success. Without success there is no `idstatus`. */
  type StatusCallback = (error: Error | null, idstatus: IdStatus) => void;

  interface Functions {
    /** Makes the counter if there is none and hands the state of the sequence to `callback`. */
    init_id(seqname: string, callback: StatusCallback): void;

    /**
     * Hands the next id to `callback`: before `next_id` returns if a number is in memory, else when one has
     * come.
     * @param idstatus what `init_id` handed to its callback
     */
    next_id(idstatus: IdStatus, callback: IdCallback): void;

    /** Gives unused numbers back and disconnects. Callbacks that wait get an error. */
    close(): Promise<void>;
  }
}

export = callback;
