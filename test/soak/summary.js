'use strict';

const { SEQUENCES } = require('./sequences');

const CLASSES = [
  ['duplicates', 'ids given twice'],
  ['disorders', 'ids out of order'],
  ['belowStart', 'ids below start'],
  ['pastCounter', 'ids past the counter'],
];

// What calls may be refused with while a store is kept from answering; a fault may name others.
const EXPECTED = ['ERR_NEXTID_TIMEOUT', 'ERR_NEXTID_STORE_UNAVAILABLE'];

const total = (items, of) => items.reduce((sum, item) => sum + of(item), 0);
const readable = (number) => number.toLocaleString('en');

/**
 * What a soak of one store came to, in lines for people.
 * @returns {{lines: string[], problems: string[]}} no problems: all was well
 */
function summarize(result) {
  const { store, time, processes, tallies, faults } = result;
  const losses = lossesOf(result);
  const problems = problemsOf(result, losses);
  const ids = idsOf(result);
  const rows = [
    ['ids', `${readable(ids)} (${readable(Math.round(ids / time * 1000))} a second)`],
    ...SEQUENCES.map(({ name, kind }) => [`  ${name} (${kind})`, countersOf(result, name)]),
    ['processes', readable(processes)],
    ['faults', readable(total(faults, ({ times }) => times))],
    ...faults.map(({ name, times }) => [`  ${name}`, readable(times)]),
    ...CLASSES.map(([key, name]) => [name, readable(total(result.reports, (report) => report[key].count))]),
    ['crashes', readable(result.crashes.length)],
    ['hangs', readable(result.hangs.length)],
    ['numbers lost', `${readable(losses.all)} (${percent(losses.all, losses.all + losses.given)})`],
    ['  thrown away by processes that lived on', readable(losses.known)],
    ['  in memory or under way at a fault', readable(losses.unknown)],
    ['calls refused', refusalsOf(tallies)],
    ['longest wait of a call', longestWait(tallies)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return {
    lines: ['', `${store}, ${Math.round(time / 1000)} s`, ...rows.map(([name, value]) => (
      `  ${name.padEnd(width)}  ${value}`))],
    problems,
  };
}

/** The same of a soak with one fault, in one line. */
function summarizeInLine(result) {
  const { store, time, processes, tallies, faults } = result;
  const losses = lossesOf(result);
  const found = (key) => readable(total(result.reports, (report) => report[key].count));
  const facts = [
    `${readable(faults[0].times)} times in ${Math.round(time / 1000)} s`,
    `${readable(processes)} processes`,
    `${readable(idsOf(result))} ids`,
    ...CLASSES.map(([key, name]) => `${found(key)} ${name}`),
    `${result.crashes.length} crashes`,
    `${result.hangs.length} hangs`,
    `${readable(losses.all)} numbers lost`,
    `longest wait ${longestWait(tallies)}`,
    `refused: ${refusalsOf(tallies)}`,
  ];
  const problems = problemsOf(result, losses);
  return { lines: [`${store}, ${faults[0].name}: ${facts.join(', ')}`], problems };
}

/** What the runs of a soak came to together, in one line. */
function summarizeAll(results) {
  const reports = results.flatMap((result) => result.reports);
  const found = (key) => readable(total(reports, (report) => report[key].count));
  const facts = [
    `${readable(total(results, idsOf))} ids`,
    `${readable(total(results, ({ processes }) => processes))} processes`,
    `${readable(total(results, ({ faults }) => total(faults, ({ times }) => times)))} faults`,
    ...CLASSES.map(([key, name]) => `${found(key)} ${name}`),
    `${readable(total(results, ({ crashes, hangs }) => crashes.length + hangs.length))} crashes or hangs`,
  ];
  const seconds = Math.round(total(results, ({ time }) => time) / 1000);
  return `in all, ${results.length} runs of ${seconds} s: ${facts.join(', ')}`;
}

function idsOf({ reports }) {
  return total(reports, ({ ids }) => ids);
}

function longestWait(tallies) {
  return `${readable(Math.round(Math.max(0, ...tallies.map(({ longest }) => longest))))} ms`;
}

// Not of time-stamped counters, for example: time in which nobody took an id is not lost.
function lossesOf({ reports, tallies }) {
  const dense = reports.filter(({ isDense }) => isDense);
  const names = new Set(dense.map(({ sequence }) => sequence));
  const all = total(dense, ({ lost }) => lost);
  const known = total(tallies, ({ lost }) => (
    total(Object.entries(lost), ([name, count]) => (names.has(name) ? count : 0))));
  return { all, known, unknown: all - known, given: total(dense, ({ distinct }) => distinct) };
}

function problemsOf({ reports, tallies, crashes, hangs, faults, wanted }, losses) {
  const problems = [...crashes, ...hangs];
  for (const report of reports) {
    for (const [key, name] of CLASSES) {
      if (report[key].count > 0) problems.push(describe(report, key, name));
    }
  }
  const expected = EXPECTED.concat(...faults.map(({ refusals }) => refusals));
  for (const code of new Set(tallies.flatMap(({ refusals }) => Object.keys(refusals)))) {
    if (!expected.includes(code)) problems.push(`calls were refused with ${code}`);
  }
  if (losses.unknown !== 0 && !faults.some(({ losesNumbers, times }) => losesNumbers && times > 0)) {
    problems.push(`${readable(losses.unknown)} numbers are lost without a reason`);
  }
  if (idsOf({ reports }) === 0) problems.push('no id was taken');
  if (wanted !== undefined) problems.push(...shortfalls({ reports, faults, wanted }));
  // Of many in a short time, one may find no process that is free.
  if (faults.length > 0 && faults.every(({ times }) => times === 0)) problems.push('no fault happened');
  return problems;
}

// What is missing of a soak that was to go on until there was enough.
function shortfalls({ reports, faults, wanted }) {
  const ids = idsOf({ reports });
  return [
    ...ids < wanted ? [`${readable(ids)} ids were taken in the time, and ${readable(wanted)} wanted`] : [],
    ...faults.filter(({ times, least }) => times < least)
      .map(({ name, times, least }) => `${name}: ${times} times, and at least ${least} wanted`),
  ];
}

function describe(report, key, name) {
  const { counter, folder } = report;
  const { count, first } = report[key];
  const examples = first.map(({ id, places }) => {
    const where = places.map(({ file, position }) => `${file.slice(folder.length + 1)} at ${position}`);
    return `    ${id}: ${where.join(', ')}`;
  });
  return [`${name}, of ${counter}: ${readable(count)} (journals: ${folder})`, ...examples].join('\n');
}

function countersOf({ reports }, name) {
  const own = reports.filter(({ sequence }) => sequence === name);
  const counters = new Set(own.map(({ counter }) => counter)).size;
  const ids = readable(total(own, (report) => report.ids));
  const lost = total(own, (report) => (report.isDense ? report.lost : 0));
  const parts = [counters === 1 ? ids : `${ids} of ${readable(counters)} counters`];
  if (lost > 0) parts.push(`${readable(lost)} lost`);
  return parts.join(', ');
}

function refusalsOf(tallies) {
  const codes = {};
  for (const { refusals } of tallies) {
    for (const [code, count] of Object.entries(refusals)) codes[code] = (codes[code] ?? 0) + count;
  }
  const list = Object.entries(codes).map(([code, count]) => `${readable(count)} ${code}`);
  return list.length === 0 ? 'none' : list.join(', ');
}

function percent(part, whole) {
  return `${(100 * part / Math.max(whole, 1)).toFixed(1)} % of those reserved`;
}

module.exports = { summarize, summarizeAll, summarizeInLine };
