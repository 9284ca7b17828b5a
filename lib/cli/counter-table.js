'use strict';

const { KINDS, loadKind } = require('../kinds');

const COLUMNS = [
  { title: 'NAME', show: ({ name }) => (name === '' ? '-' : printable(name)) },
  { title: 'KIND', show: ({ kind }) => kind },
  ...KINDS.flatMap((kind) => kind.load().cli.list?.columns ?? [])
    .map((column) => ({ ...column, isOptional: true })),
  { title: 'NEXT', show: showNext, isNumber: true },
  { title: 'RETURNED', show: ({ returned = '' }) => String(returned), isNumber: true, isOptional: true },
  { title: 'PROBLEM', show: ({ problem }) => printable(problem ?? ''), isOptional: true },
];

/** What Store.list() gave, in aligned columns. Those that would be empty and are optional are left out. */
function toTable(counters) {
  const columns = COLUMNS.flatMap(({ title, show, isOptional, isNumber }) => {
    const cells = counters.map(show);
    if (isOptional && cells.every((cell) => cell === '')) return [];
    const width = cells.reduce((most, { length }) => Math.max(most, length), title.length);
    return [[title, ...cells].map((cell) => (isNumber ? cell.padStart(width) : cell.padEnd(width)))];
  });
  return columns[0].map((_, row) => `${columns.map((cells) => cells[row]).join('  ').trimEnd()}\n`).join('');
}

function showNext(counter) {
  if (counter.next === undefined) return '-';
  return loadKind(counter.kind).cli.list?.showNext?.(counter) ?? String(counter.next);
}

/** `text` as it is, or as a JSON string where it would end the line, command the terminal or hide. */
function printable(text) {
  if (!/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return text;
  return JSON.stringify(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, toEscape);
}

function toEscape(character) {
  return `\\u{${character.codePointAt(0).toString(16)}}`;
}

module.exports = { printable, toTable };
