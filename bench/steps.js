'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { build } = require('./support/native');

const CHART = path.join(__dirname, 'steps.svg');
const MOST_OUTPUT = 64 * 1024 * 1024;

const START = 2; // seconds

// What the chart shows: our rule with its default options.
const CHARTED = 'nextid, step up to 1 000 000';

// The points from when the step has come near the load.
function afterStart(points) {
  const { second } = points.find(({ rate }) => rate > 0);
  return points.filter((point) => point.second >= second + START);
}

const total = (points, field) => points.reduce((sum, point) => sum + point[field], 0);
const most = (points, field) => Math.max(...points.map((point) => point[field]));

module.exports = {
  question: 'How do the adaptive step and Leaf\'s rule follow the load? (simulated time; draws steps.svg)',
  async run({ isQuick }) {
    const simulate = await build('simulate_steps');
    const points = execFileSync(simulate, { encoding: 'utf8', maxBuffer: MOST_OUTPUT })
      .trimEnd().split('\n').map((line) => JSON.parse(line));
    if (!isQuick) {
      const { drawSteps } = await import('./support/chart.mjs');
      fs.writeFileSync(CHART, await drawSteps(points.filter(({ rule }) => rule === CHARTED)));
    }

    return [...Map.groupBy(points, ({ load }) => load)].flatMap(([load, ofAll]) => {
      const rules = Map.groupBy(ofAll, ({ rule }) => rule);
      const table = (unit, figure) => ({
        title: load, unit, better: 'less',
        figures: Object.fromEntries(Array.from(rules, ([rule, of]) => [rule, [figure(afterStart(of), of)]])),
      });
      const perPoint = (of, field) => total(of, field) / of.length;
      return [
        table(`calls that waited in the first ${START} s of load`,
          (later, of) => total(of, 'waits') - total(later, 'waits')),
        table('calls that waited later', (later) => total(later, 'waits')),
        table('ms, the longest wait later', (later) => most(later, 'longestWait')),
        table('refills a second', (later, of) => total(of, 'refills') / of.at(-1).second),
        table('numbers lost if the process dies, on average', (later) => perPoint(later, 'held')),
        table('numbers lost if the process dies, at most', (later) => most(later, 'mostHeld')),
        table('seconds of use lost if it dies, on average',
          (later) => total(later, 'held') / total(later, 'rate')),
      ];
    });
  },
};
