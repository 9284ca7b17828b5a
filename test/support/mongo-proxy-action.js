'use strict';

const { inspect } = require('node:util');

const WAYS = ['forward', 'drop-connection', 'cut-within', 'swallow'];
const OPTIONS = ['delay', 'bytes', 'reply'];

/**
 * What is to be done to a message, from what a rule returned:
 * - `undefined`, `'forward'`: pass it on
 * - `'drop-connection'`: cut both sides instead of passing it on. A request: the server never sees it. A
 *   reply: the server has carried the command out and the client never learns
 * - `'cut-within'`: pass the first half of its bytes on, then cut both sides
 * - `'swallow'`: never pass it on and keep the connection open: a server that accepts and never answers
 * - `{ delay }`: pass it on after so many milliseconds; later messages of the same direction wait behind it
 * - `{ bytes }`: pass it on in pieces of so many bytes
 * - `{ reply }`: a request: answer it with this document, and the server never sees it. A reply: the client
 *   gets this document instead
 *
 * The last three may be joined in one object.
 * @returns {{how: string, delay: number, bytes: number | undefined, reply: object | undefined}}
 * @throws {TypeError} on anything else, so that a slip in a test does not make it pass
 */
function parseAction(action = 'forward') {
  if (WAYS.includes(action)) return { how: action, delay: 0 };
  if (!isActionObject(action)) {
    const known = [...WAYS.map((way) => `'${way}'`), ...OPTIONS.map((option) => `{ ${option} }`)].join(', ');
    throw new TypeError(`a rule returned ${inspect(action)}; expected undefined or one of ${known}`);
  }
  return { how: 'forward', delay: 0, ...action };
}

function isActionObject(action) {
  return typeof action === 'object' && action !== null
    && Object.keys(action).length > 0
    && Object.keys(action).every((key) => OPTIONS.includes(key))
    && (action.delay === undefined || (Number.isFinite(action.delay) && action.delay >= 0))
    && (action.bytes === undefined || (Number.isInteger(action.bytes) && action.bytes > 0))
    && (action.reply === undefined || (typeof action.reply === 'object' && action.reply !== null));
}

module.exports = { parseAction };
