import * as vega from 'vega';
import { compile } from 'vega-lite';
import report from './report.js';

const WIDTH = 280; // pixels of a panel
const LONGEST_LABEL = 440;
const LOG_FROM = 30; // bars that differ by more than this factor need a logarithmic scale

const FONT = { labelFontSize: 11, titleFontSize: 11, labelFont: 'sans-serif', titleFont: 'sans-serif' };
const CONFIG = {
  axis: { ...FONT, labelLimit: LONGEST_LABEL },
  title: { font: 'sans-serif', fontSize: 13, anchor: 'start' },
};

async function render(specification) {
  const { spec } = compile({
    $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
    background: 'white',
    config: CONFIG,
    ...specification,
  });
  return new vega.View(vega.parse(spec), { renderer: 'none' }).toSVG();
}

// A bar for each row, as long as its median, and a line from the least to the most.
function panel(measurement, { title, unit, figures }) {
  const values = Object.entries(figures).map(([name, row]) => ({ name, ...report.summary(row) }));
  const positive = values.flatMap(({ least, median }) => [least, median]).filter((value) => value > 0);
  const most = Math.max(...values.map((value) => value.most));
  const isLog = positive.length === 2 * values.length && most / Math.min(...positive) > LOG_FROM;
  const begin = isLog ? Math.min(...positive) / 2 : 0;
  const scale = isLog ? { type: 'log', domainMin: begin } : {};
  const x = { type: 'quantitative', scale, axis: { title: unit, format: '~s' } };
  const mark = (type, style, from, to) => (
    { mark: { type, ...style }, encoding: { x: { ...x, field: from }, x2: { field: to } } });
  return {
    title: [measurement, title].filter(Boolean).join(': '),
    width: WIDTH,
    data: { values: values.map((value) => ({ ...value, begin })) },
    encoding: { y: { field: 'name', type: 'nominal', sort: null, axis: { title: null } } },
    layer: [
      mark('bar', { color: '#6b9bd1' }, 'begin', 'median'),
      mark('rule', { strokeWidth: 2 }, 'least', 'most'),
    ],
  };
}

// Whether its rows are peers, of which the ratio counts.
const comparesPeers = ({ baseline, goals = [] }) => (
  baseline !== undefined || goals.some(({ of }) => of !== undefined));

/**
 * Draws the tables that compare peers, a panel each.
 * @param {object} results as in results.json
 * @returns {Promise<string>} SVG
 */
export function draw({ measurements }) {
  const panels = Object.entries(measurements).flatMap(([name, { tables }]) => (
    tables.filter(comparesPeers).map((table) => panel(name, table))));
  return render({ concat: panels, columns: 2, resolve: { scale: { x: 'independent', y: 'independent' } } });
}

/**
 * Draws how the step follows the load: for each load its rate and the step, and below them the waits.
 * @param {Array<{load: string, second: number, rate: number, step: number, waits: number}>} points
 * @returns {Promise<string>} SVG
 */
export function drawSteps(points) {
  const loads = [...new Set(points.map(({ load }) => load))];
  const x = { field: 'second', type: 'quantitative', axis: { title: null } };
  const line = (field, color, title) => ({
    mark: { type: 'line', color, strokeWidth: 1.2, interpolate: 'step-after' },
    encoding: { x, y: { field, type: 'quantitative', axis: { title, format: '~s' } } },
  });
  const width = 250;
  const columns = loads.map((load) => ({
    vconcat: [
      {
        title: load, width, height: 110,
        layer: [line('rate', '#999', 'calls a second (grey)'), line('step', '#2a6fb5', 'step (blue)')],
      },
      { width, height: 50, ...line('waits', '#c0392b', 'waits') },
    ],
    data: { values: points.filter((point) => point.load === load) },
  }));
  return render({ concat: columns, columns: 3, resolve: { scale: { x: 'independent', y: 'independent' } } });
}
