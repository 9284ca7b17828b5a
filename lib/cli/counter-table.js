'use strict';

const { slotLimit, slotTime } = require('../formats/timestamp-format');

const COLUMNS = [
  { title: 'NAME', show: ({ name }) => (name === '' ? '-' : printable(name)) },
  { title: 'KIND', show: ({ kind }) => kind },
  { title: 'PERIOD', show: ({ prefix }) => String(prefix ?? ''), isOptional: true },
  { title: 'NEXT', show: showNext, isNumber: true },
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

function showNext({ kind, next, cycle, digits }) {
  if (next === undefined) return '-';
  if (kind === 'cyclic') return `${next} of ${cycle}`;
  return kind === 'time-stamped' ? showSlot(BigInt(next), digits) : String(next);
}

// '2026-11-21T11:36:30.250123Z 07': the time to the microsecond, and the digit part if there is one.
function showSlot(slot, digits) {
  if (slot >= slotLimit(digits)) return String(slot);
  const microseconds = slotTime(slot, digits);
  const time = new Date(microseconds / 1000).toISOString().slice(0, -1);
  const rest = String(microseconds % 1000).padStart(3, '0');
  const digitPart = String(slot % 10n ** BigInt(digits)).padStart(digits, '0');
  return `${time}${rest}Z${digits === 0 ? '' : ` ${digitPart}`}`;
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
