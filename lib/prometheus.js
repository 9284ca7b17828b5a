'use strict';

const { wrongType } = require('./errors');
const { openSequences, originOf } = require('./symbols');

const contentType = 'text/plain; version=0.0.4; charset=utf-8';

const LABELS = ['store', 'sequence', 'kind'];
const SECOND = 1000; // ms

const sum = (a, b) => a + b;

// What there is to see of a sequence, out of its stats(), in the order it is shown. Where a process has
// opened a store twice, `combine` makes one value of two. Rates are missing: Prometheus computes them from
// the counters.
const METRICS = [
  counter('nextid_numbers_handed_out_total', 'Numbers handed out to calls.', (stats) => stats.handedOut),
  counter('nextid_numbers_lost_total', 'Numbers reserved and never handed out.', (stats) => stats.lost),
  counter('nextid_numbers_returned_total', 'Numbers returned to the store.', (stats) => stats.returned),
  counter('nextid_refills_total', 'Refills that succeeded.', (stats) => stats.refills),
  counter('nextid_refill_failures_total', 'Refills that failed.', (stats) => stats.failures),
  counter('nextid_waits_total', 'Calls that waited.', (stats) => stats.waits),
  counter('nextid_wait_seconds_total', 'Total time that calls have waited.',
    (stats) => stats.waitTime / SECOND),
  counter('nextid_wait_timeouts_total', 'Calls that waited until they timed out.', (stats) => stats.timeouts),
  gauge('nextid_numbers_in_memory', 'Numbers reserved and not handed out yet.', (stats) => stats.inMemory),
  gauge('nextid_waiters', 'Calls that are waiting now.', (stats) => stats.waiters),
  gauge('nextid_step', 'Numbers that the next refill asks for, at least.', (stats) => stats.step, Math.max),
  gauge('nextid_refill_estimate_seconds', 'A high estimate of how long a refill takes.',
    (stats) => stats.refillTime / SECOND, Math.max),
  gauge('nextid_last_refill_failed', '1 if the last refill failed, else 0.',
    (stats) => (stats.lastError === undefined ? 0 : 1), Math.max),
  gauge('nextid_ahead_seconds', 'Time-stamped: how far the last id is ahead of the clock.',
    (stats) => (stats.ahead === undefined ? undefined : stats.ahead / SECOND), Math.max),
];

function counter(name, help, valueOf) {
  return { type: 'counter', name, help, valueOf, combine: sum };
}

function gauge(name, help, valueOf, combine = sum) {
  return { type: 'gauge', name, help, valueOf, combine };
}

/** The metrics of `sources` in Prometheus' text format; see prometheus.d.ts. */
function metrics(sources) {
  const all = statsOf(sequencesOf(sources));
  return METRICS.map((metric) => {
    const { name, help, type } = metric;
    const lines = Array.from(samples(metric, all), ([labels, { value }]) => `${name}{${labels}} ${value}\n`);
    return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
  }).join('');
}

/** Registers the metrics of `sources` with prom-client; see prometheus.d.ts. */
function registerMetrics(client, sources, registry = client?.register) {
  if (typeof client?.Counter !== 'function' || typeof client.Gauge !== 'function') {
    const expected = "the module prom-client, as require('prom-client') returns it (a registry is the third)";
    throw wrongType("the argument 'client'", expected, client);
  }
  sequencesOf(sources); // a wrong argument throws now, not at the first scrape
  for (const metric of METRICS) {
    const MetricClass = metric.type === 'counter' ? client.Counter : client.Gauge;
    new MetricClass({
      name: metric.name,
      help: metric.help,
      labelNames: LABELS,
      registers: [registry],
      collect() {
        this.reset(); // what was closed is gone
        const all = samples(metric, statsOf(sequencesOf(sources)));
        for (const { labels, value } of all.values()) this.inc(labels, value);
      },
    });
  }
}

function sequencesOf(sources) {
  const all = [sources].flat().flatMap((source) => {
    if (source?.[openSequences] !== undefined) return source[openSequences]();
    if (source?.[originOf] !== undefined) return [source];
    throw wrongType("the argument 'sources'", 'a store, a sequence or an array of these', source);
  });
  return new Set(all);
}

function statsOf(sequences) {
  return Array.from(sequences, (sequence) => ({ labels: sequence[originOf], stats: sequence.stats() }));
}

// The values of one metric, by their labels as they are written: Map of { labels, value }.
function samples({ valueOf, combine }, all) {
  const found = new Map();
  for (const { labels, stats } of all) {
    const value = valueOf(stats);
    if (value === undefined) continue;
    const key = LABELS.map((name) => `${name}="${escape(labels[name])}"`).join(',');
    const other = found.get(key);
    found.set(key, { labels, value: other === undefined ? value : combine(other.value, value) });
  }
  return found;
}

function escape(text) {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

module.exports = { contentType, metrics, registerMetrics };
