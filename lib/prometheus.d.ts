import type { Sequence, Store } from '../index';

/** Of a store, all sequences that are open at that moment. */
export type Source = Store | Sequence<number | bigint | string>;

/**
 * What `stats()` of the sequences says, in Prometheus' text exposition format 0.0.4. The names begin with
 * `nextid_`, times are in seconds, and the labels are `store` (the URL without credentials and options),
 * `sequence` and `kind`. Sequences that are alike in these are shown as one. Asks no database.
 *
 * A sequence that is closed and opened again begins at 0, which `rate()` knows how to take.
 *
 * @throws {TypeError} `ERR_INVALID_ARG_TYPE`
 */
export function metrics(sources: Source | readonly Source[]): string;

/** The `Content-Type` of what `metrics()` returns. */
export const contentType: 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Registers the same metrics with prom-client, which reads them anew for each scrape. Once for a registry:
 * prom-client refuses a second metric of one name.
 *
 * @param client what `require('prom-client')` gives, 14 or later
 * @param registry where to register. Default: `client.register`
 * @throws {TypeError} `ERR_INVALID_ARG_TYPE`
 */
export function registerMetrics(
  client: PromClient,
  sources: Source | readonly Source[],
  registry?: object,
): void;

/** What is used of prom-client. */
export interface PromClient {
  readonly register: object;
  readonly Counter: new (configuration: never) => object;
  readonly Gauge: new (configuration: never) => object;
}
