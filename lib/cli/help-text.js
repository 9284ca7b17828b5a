'use strict';

const { KINDS } = require('../kinds');

const WIDTH = 98;
const INDENT = 17;

/** `label`, and `text` in lines beside it. */
function paragraph(label, text, indent = INDENT) {
  const lines = [label.padEnd(indent - 1)];
  for (const part of text.split('\n')) {
    for (const word of part.split(' ')) {
      if (`${lines.at(-1)} ${word}`.length > WIDTH) lines.push(' '.repeat(indent - 1));
      lines.push(`${lines.pop()} ${word}`);
    }
    lines.push(' '.repeat(indent - 1));
  }
  return lines.slice(0, -1).join('\n');
}

/** The help of flags of kinds, as kindFlags() returns them. `label(kinds)` says whose a flag is. */
function flagsHelp(flags, label) {
  return Object.entries(flags).filter(([, { kinds }]) => kinds[0].help !== undefined)
    .map(([name, { value, kinds }]) => {
      const [{ help }] = kinds;
      const such = kinds.flatMap(({ example }) => example ?? []).join(' or ');
      const text = label(kinds.map(({ kind }) => kind)) + (help.startsWith(',') ? help : `: ${help}`);
      const flag = value === undefined ? `  --${name}` : `  --${name} ${value}`;
      return paragraph(flag, such === '' ? text : `${text}, such as ${such}`);
    }).join('\n');
}

/** What the kinds give as examples of `command`. */
function examples(command) {
  return KINDS.flatMap((kind) => kind.load().cli[command]?.examples ?? [])
    .map((example) => `    nextid ${command} ${example}`).join('\n');
}

/** `"digits" and "timeZone"`. */
function quoted(fields) {
  return fields.map((field) => `"${field}"`).join(' and ');
}

module.exports = { examples, flagsHelp, paragraph, quoted };
