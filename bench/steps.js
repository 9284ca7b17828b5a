'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { build } = require('./support/native');

const CHART = path.join(__dirname, 'steps.svg');
const MOST_OUTPUT = 64 * 1024 * 1024;

const START = 2; // seconds

// The points until the step has come near the load.
function startOf(points) {
  const { second } = points.find(({ rate }) => rate > 0);
  return points.filter((point) => point.second < second + START);
}

const total = (points, field) => points.reduce((sum, point) => sum + point[field], 0);

module.exports = {
  question: 'How does the adaptive step follow the load? (simulated time; draws steps.svg)',
  async run() {
    const simulate = await build('simulate_steps');
    const points = execFileSync(simulate, { encoding: 'utf8', maxBuffer: MOST_OUTPUT })
      .trimEnd().split('\n').map((line) => JSON.parse(line));
    const { drawSteps } = await import('./support/chart.mjs');
    fs.writeFileSync(CHART, await drawSteps(points));

    const loads = Map.groupBy(points, ({ load }) => load);
    const table = (unit, figure) => ({
      unit, better: 'less',
      figures: Object.fromEntries(Array.from(loads, ([load, of]) => [load, [figure(of)]])),
    });
    return [
      table('calls that waited in the first 2 s of load', (of) => total(startOf(of), 'waits')),
      table('calls that waited later', (of) => total(of, 'waits') - total(startOf(of), 'waits')),
      table('longest wait, ms', (of) => Math.max(...of.map(({ longestWait }) => longestWait))),
      table('refills a second', (of) => total(of, 'refills') / of.at(-1).second),
      table('seconds of use in memory, in the mean', (of) => total(of, 'memory') / total(of, 'rate')),
    ];
  },
};
