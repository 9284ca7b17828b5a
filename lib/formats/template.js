'use strict';

const { show, wrongType, wrongValue } = require('../errors');

const LONGEST_TEMPLATE = 200; // characters
const WIDEST_NUMBER = 15; // digits

/**
 * The parts of a template, in order: literal text as { text }, tokens as { token, width }. In the template a
 * pair of braces holds a run of date tokens ({YYMMDD}) or the number token ({count}, or {count:4} for a least
 * width); `{{` and `}}` are braces as text.
 *
 * `what` is the name of the template in messages. `tokens` are those it may hold: `dates`, longer ones before
 * their beginnings (a date token is as wide as its name), `number`, and `hasWidth` if that takes a width.
 * `remedy` is what to do about an unknown one.
 */
function splitTemplate(what, template, tokens) {
  checkText(what, template, tokens);
  const parts = [];
  let text = '';
  for (const match of template.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]/g)) {
    const [piece, inside] = match;
    if (inside !== undefined) {
      if (text !== '') parts.push({ text });
      text = '';
      parts.push(...tokensIn(what, inside, tokens));
    } else if (piece === '{' || piece === '}') {
      const fault = piece === '{' ? 'is not closed' : 'is not opened';
      throw wrongValue(`${what} has a brace that ${fault}, at ${show(template.slice(match.index))}`,
        'tokens between { and }', `for a brace as text, write '${piece}${piece}'`);
    } else {
      text += piece === '{{' || piece === '}}' ? piece[0] : piece;
    }
  }
  if (text !== '') parts.push({ text });
  return parts;
}

/**
 * A function that reads a text that was made with these `parts`. It returns the digits of each token by name
 * (those of the first place, if there are several), or undefined for any other text. `quantifier(part)` says
 * how many digits a token has, as in a regular expression: '{2}', '{4,16}'.
 */
function templateReader(parts, quantifier) {
  const tokens = parts.filter((part) => part.token !== undefined);
  const pattern = parts.map((part) => (
    part.token === undefined ? escapeRegExp(part.text) : `([0-9]${quantifier(part)})`
  ));
  const whole = new RegExp(`^${pattern.join('')}$`);
  return (text) => {
    const match = whole.exec(text);
    if (match === null) return undefined;
    const digits = {};
    tokens.forEach(({ token }, i) => { digits[token] ??= match[i + 1]; });
    return digits;
  };
}

function checkText(what, template, tokens) {
  if (typeof template !== 'string') {
    throw wrongType(what, `a string with tokens in braces (${list(tokens)})`, template);
  }
  if (template.length > LONGEST_TEMPLATE) {
    throw wrongValue(`${what} is ${show(template)}, of ${template.length} characters`,
      `at most ${LONGEST_TEMPLATE} characters`);
  }
  if (/\p{Cc}/u.test(template)) {
    throw wrongValue(`${what} is ${show(template)}`, 'no control characters in it');
  }
  if (!template.isWellFormed()) {
    throw wrongValue(`${what} has half of a surrogate pair`, 'well-formed Unicode');
  }
}

function tokensIn(what, inside, tokens) {
  const [name, width] = inside.split(/:(.*)/);
  if (name === tokens.number && (width === undefined || tokens.hasWidth)) {
    return [{ token: name, width: numberWidth(what, inside, width) }];
  }
  const found = [];
  let rest = inside;
  do {
    const token = tokens.dates.find((candidate) => rest.startsWith(candidate));
    if (token === undefined) {
      const fault = rest === '' ? 'no token' : `the unknown token ${show(rest)}`;
      throw wrongValue(`${what} has ${fault} in ${show(`{${inside}}`)}`, `the tokens ${list(tokens)}`,
        tokens.remedy);
    }
    found.push({ token, width: token.length });
    rest = rest.slice(token.length);
  } while (rest !== '');
  return found;
}

function numberWidth(what, inside, width = '1') {
  if (!/^[1-9][0-9]?$/.test(width) || Number(width) > WIDEST_NUMBER) {
    throw wrongValue(`${what} has the width ${show(width)} in ${show(`{${inside}}`)}`,
      `a width from 1 to ${WIDEST_NUMBER}`);
  }
  return Number(width);
}

function list({ dates, number, hasWidth }) {
  const all = hasWidth ? [...dates, number, `${number}:4`] : [...dates, number];
  return all.map((token) => `{${token}}`).join(' ');
}

function escapeRegExp(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

module.exports = { splitTemplate, templateReader };
