import type { Sequence, Store } from '../index';

/** A store stands for all sequences that are open in it at the moment. */
export type Source = Store | Sequence<number | bigint | string>;

/**
 * Returns the `stats()` of the sequences in Prometheus' text exposition format 0.0.4. Names begin with
 * `nextid_`, times are in seconds, and the labels are `store` (the URL without credentials and options),
 * `sequence` and `kind`. Sequences with the same labels are combined. Does not access the database.
 *
 * The counters of a sequence that is closed and opened again restart at 0, which `rate()` handles.
 *
 * @throws {TypeError} `ERR_INVALID_ARG_TYPE`
 */
export function metrics(sources: Source | readonly Source[]): string;

/** The `Content-Type` of the text that `metrics()` returns. */
export const contentType: 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Registers the same metrics with prom-client, which reads them again for each scrape. Call it once per
 * registry: prom-client refuses a second metric of the same name.
 *
 * @param client The module, `require('prom-client')`, version 14 or later.
 * @param registry The registry to use. Default: `client.register`.
 * @throws {TypeError} `ERR_INVALID_ARG_TYPE`
 */
export function registerMetrics(
  client: PromClient,
  sources: Source | readonly Source[],
  registry?: object,
): void;

/** The part of prom-client that nextid uses. */
export interface PromClient {
  readonly register: object;
  readonly Counter: new (configuration: never) => object;
  readonly Gauge: new (configuration: never) => object;
}
