'use strict';

// Not those by which a driver only looks whether the server is there.
const OF_COUNTERS = new Set(['findAndModify', 'update', 'find', 'insert', 'delete']);

const waiting = new WeakMap(); // proxy → { request, reply }: actions for messages to come

/**
 * Does `action` of mongo-proxy-action.js to the next request about a counter, or to the next reply to one. It
 * may be a function that makes the action of that message's document. Resolves with true when it has come, or
 * with false if `signal` was aborted before. `only`: of this command.
 */
function meddle(proxy, side, action, signal, only) {
  if (signal.aborted) return Promise.resolve(false);
  const actions = actionsOf(proxy)[side];
  return new Promise((resolve) => {
    const giveUp = () => {
      actions.splice(actions.indexOf(entry), 1);
      resolve(false);
    };
    const done = () => {
      signal.removeEventListener('abort', giveUp);
      resolve(true);
    };
    const entry = { action, only, done };
    actions.push(entry);
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

function actionsOf(proxy) {
  if (!waiting.has(proxy)) {
    const actions = { request: [], reply: [] };
    waiting.set(proxy, actions);
    proxy.onRequest = (command, request) => nextAction(command, actions.request, request);
    proxy.onReply = (command, request, reply) => nextAction(command, actions.reply, reply);
  }
  return waiting.get(proxy);
}

function nextAction(command, actions, document) {
  if (!OF_COUNTERS.has(command)) return undefined;
  const index = actions.findIndex(({ only }) => only === undefined || only === command);
  if (index < 0) return undefined;
  const [{ action, done }] = actions.splice(index, 1);
  done();
  return typeof action === 'function' ? action(document) : action;
}

module.exports = { meddle };
