import type { CounterStore } from '../index';

export interface StoreTestsOptions {
  /**
   * Returns a store, or a Promise of one. Each test calls it several times: the results must share the same
   * counters, as the instances of a service do. A store with a method `close()` is closed once, so return a
   * new object then. Counters of others in the database do no harm; the tests remove their own.
   */
  open: () => CounterStore | Promise<CounterStore>;
  /**
   * The absolute path of a module, CommonJS or ES, that exports the same function as `open`. With it, the tests
   * also start several processes, which call that function. Leave it out for a store that only one process can
   * use.
   */
  module?: string | undefined;
  /**
   * Defines a test: `test` of Jest, Vitest or node:test, or `it` of Mocha.
   * @default the global `test`, otherwise that of node:test
   */
  test?: ((title: string, body: () => Promise<void>, timeout: number) => unknown) | undefined;
}

/**
 * Defines tests of a `CounterStore`: its methods, races between connections, and all kinds of sequences over
 * it. No test can show that a write is durable, or that it is never sent again: see `CounterStore`.
 *
 * @example
 * const { storeTests } = require('nextid/store-tests');
 * const { open } = require('./my-store');
 * storeTests({ open, module: require.resolve('./my-store') });
 */
export function storeTests(options: StoreTestsOptions): void;
