'use strict';

const { inspect } = require('node:util');

const MOST_SHOWN = 40; // characters of a string that a message repeats

// What ends a line, commands a terminal, or hides or turns round text: native/core/quoting.h knows them too.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const SHORT_ESCAPES = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * What went wrong with a store or a sequence. `code` is stable (see index.d.ts). `cause` is the error of the
 * database's own library, if it had a part in this.
 */
class NextIdError extends Error {
  constructor(message, { code, cause } = {}) {
    super(escaped(message), cause === undefined ? undefined : { cause });
    this.code = code;
    writeCodeIntoStack(this, new.target);
  }
}
Object.defineProperty(NextIdError.prototype, 'name', {
  value: 'NextIdError', configurable: true, writable: true,
});

/** The one form of messages: `problem: expected …; remedy`. `remedy` may be left out. */
function messageOf(problem, expected, remedy) {
  const message = `${problem}: expected ${expected}`;
  return remedy === undefined ? message : `${message}; ${remedy}`;
}

/** A TypeError: `what` is `received`, of another type than `expected`. */
function wrongType(what, expected, received) {
  const message = messageOf(`${what} is ${show(received)}`, expected);
  return argumentError(TypeError, 'ERR_INVALID_ARG_TYPE', message, wrongType);
}

/** A TypeError: the type is right and the value is not. `problem` names the value: none is added to it. */
function wrongValue(problem, expected, remedy) {
  const message = messageOf(problem, expected, remedy);
  return argumentError(TypeError, 'ERR_INVALID_ARG_VALUE', message, wrongValue);
}

/** A RangeError: `what` is `received`, a number outside of `expected`. */
function outOfRange(what, expected, received) {
  const message = messageOf(`${what} is ${show(received)}`, expected);
  return argumentError(RangeError, 'ERR_OUT_OF_RANGE', message, outOfRange);
}

/** A TypeError: `method` of a sequence was called without it. */
function wrongThis(method) {
  const message = messageOf(`${method}() was called without its sequence`, "a sequence as 'this'",
    `call it on its sequence: seq.${method}()`);
  return argumentError(TypeError, 'ERR_INVALID_THIS', message, wrongThis);
}

/**
 * `received` for a message: short, and without what may be a password. Of objects only the class is shown: an
 * options object or a URL may hold credentials anywhere.
 */
function show(received) {
  if (typeof received === 'string') return inspect(shorten(withoutCredentials(received)));
  if (typeof received === 'function') return 'a function';
  if (typeof received !== 'object' || received === null) return inspect(received);
  if (Array.isArray(received)) return 'an array';
  const { constructor } = received;
  const isPlain = typeof constructor !== 'function' || constructor === Object || !constructor.name;
  return isPlain ? 'an object' : `an instance of ${constructor.name}`;
}

/** The one of `known` that `name` is most likely a typo of, or undefined. */
function nearest(name, known) {
  const wanted = name.toLowerCase();
  let found;
  let least = Infinity;
  for (const candidate of known) {
    // A third of the letters may be wrong. More is another word.
    const most = Math.floor(Math.max(wanted.length, candidate.length) / 3);
    if (Math.abs(wanted.length - candidate.length) > most) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance > most || distance >= least) continue;
    found = candidate;
    least = distance;
  }
  return found;
}

/** `did you mean 'step'?` as the remedy of a message, or `otherwise` if nothing known is near. */
function didYouMean(name, known, otherwise) {
  const found = nearest(name, known);
  return found === undefined ? otherwise : `did you mean '${found}'?`;
}

function argumentError(ErrorType, code, message, builder) {
  const error = new ErrorType(escaped(message));
  error.code = code;
  writeCodeIntoStack(error, builder);
  return error;
}

// As Node does with its own errors: the code is in the stack, where logs show it, and not in `name`.
function writeCodeIntoStack(error, builder) {
  Object.defineProperty(error, 'name', { value: `${error.name} [${error.code}]`, configurable: true });
  Error.captureStackTrace(error, builder);
  try {
    void error.stack; // made on first sight, with the name of that moment
  } catch {
    // The service's own Error.prepareStackTrace threw; that must not swallow this error.
  }
  delete error.name;
}

/**
 * `text` in one line, for people to see: a name may hold anything, also a line that looks like one of a log
 * or like a command. Every message goes through here; escapes are those of JavaScript.
 */
function escaped(text) {
  // The second look takes V8 a while the first time.
  if (typeof text !== 'string' || /^[ -~]*$/.test(text)) return text;
  return text.replace(HIDDEN, (character) => {
    const digits = character.codePointAt(0).toString(16);
    if (digits.length > 4) return `\\u{${digits}}`;
    return SHORT_ESCAPES[character] ?? `\\u${digits.padStart(4, '0')}`;
  });
}

function withoutCredentials(text) {
  return text.replace(/:\/\/.*$/s, '://…').replace(/^.*@/s, '…@');
}

function shorten(text) {
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`;
}

// Letters to insert, remove, replace or swap with their neighbour to make `b` of `a` ("optimal string
// alignment", a restricted Damerau-Levenshtein distance).
function editDistance(a, b) {
  let beforeLast;
  let last;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; ++i) {
    [beforeLast, last, row] = [last, row, [i]];
    for (let j = 1; j <= b.length; ++j) {
      const replaced = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(replaced, last[j] + 1, row[j - 1] + 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
    }
  }
  return row[b.length];
}

// What a template string makes of an environment variable that is not set, and the end of a message about it.
const UNSET = ['undefined', 'null'];
const IS_IT_SET = 'is the environment variable set that it comes from?';

module.exports = {
  IS_IT_SET, UNSET,
  NextIdError, didYouMean, escaped, messageOf, nearest, outOfRange, show, wrongThis, wrongType, wrongValue,
};
