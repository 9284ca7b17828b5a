'use strict';

// The MongoDB wire protocol, as far as a proxy must read and write it.
// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/

const { BSON } = require('mongodb');

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

const HEADER_BYTES = 16;
const MAX_MESSAGE_BYTES = 48_000_000;

// Flag bits of OP_MSG.
const CHECKSUM_PRESENT = 1 << 0;
const MORE_TO_COME = 1 << 1;

/**
 * The whole messages that arrive on a socket, each a Buffer, in order. Ends when the connection ends, however
 * it ends; what is left of an unfinished message is dropped.
 * @throws {Error} on bytes that cannot be MongoDB messages (TLS, HTTP)
 */
async function* readMessages(socket) {
  let bytes = Buffer.alloc(0);
  for await (const chunk of chunksUntilClosed(socket)) {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= HEADER_BYTES) {
      const length = bytes.readInt32LE(0);
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) {
        throw new Error(`not a MongoDB message: its length reads ${length}; does the other side speak TLS?`);
      }
      if (bytes.length < length) break;
      yield bytes.subarray(0, length);
      bytes = bytes.subarray(length);
    }
  }
}

async function* chunksUntilClosed(socket) {
  try {
    yield* socket;
  } catch {
    // A reset is an end like any other.
  }
}

/**
 * Takes a message apart. `body` is its document, with the documents of an OP_MSG's sequences as arrays in it,
 * or undefined where the message is of another kind (OP_COMPRESSED). An int64 is a BigInt; int32 and double
 * are numbers. `moreToCome`: a request that wants no reply, or a reply that another one follows unasked.
 */
function decode(message) {
  const header = {
    requestId: message.readInt32LE(4),
    responseTo: message.readInt32LE(8),
    opCode: message.readInt32LE(12),
    moreToCome: false,
  };
  switch (header.opCode) {
    case OP_MSG: return { ...header, ...decodeMsg(message) };
    case OP_QUERY: return { ...header, body: decodeQuery(message) };
    case OP_REPLY: return { ...header, body: documentAt(message, 36) };
    default: return { ...header, body: undefined };
  }
}

function decodeMsg(message) {
  const flags = message.readUInt32LE(16);
  const end = message.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  const sequences = {};
  let body;
  let at = 20;
  while (at < end) {
    const kind = message[at++];
    const size = message.readInt32LE(at);
    if (kind === 0) {
      body = documentAt(message, at);
    } else if (kind === 1) {
      const nameEnd = message.indexOf(0, at + 4);
      const name = message.toString('utf8', at + 4, nameEnd);
      sequences[name] = documentsBetween(message, nameEnd + 1, at + size);
    } else {
      throw new Error(`an OP_MSG section of kind ${kind}; kinds 0 and 1 are known`);
    }
    at += size;
  }
  return { moreToCome: (flags & MORE_TO_COME) !== 0, body: { ...body, ...sequences } };
}

// Header, flags, collection name, two int32, document.
function decodeQuery(message) {
  return documentAt(message, message.indexOf(0, 20) + 1 + 8);
}

function documentsBetween(message, start, end) {
  const documents = [];
  for (let at = start; at < end; at += message.readInt32LE(at)) documents.push(documentAt(message, at));
  return documents;
}

function documentAt(message, at) {
  const bytes = message.subarray(at, at + message.readInt32LE(at));
  return BSON.deserialize(bytes, { useBigInt64: true });
}

/**
 * A reply with this document. A whole number is written as int32 where it fits, a BigInt as int64; for a
 * double with a whole value give a `Double` of the `mongodb` package.
 * @param {object} document
 * @param {{requestId: number, responseTo: number, opCode: number, moreToCome: boolean}} header
 *   opCode: that of OP_MSG or OP_REPLY
 */
function encodeReply(document, { requestId, responseTo, opCode, moreToCome }) {
  const prelude = opCode === OP_REPLY ? Buffer.alloc(20) : Buffer.alloc(5);
  if (opCode === OP_REPLY) {
    prelude.writeInt32LE(1, 16); // the number of documents
  } else {
    prelude.writeUInt32LE(moreToCome ? MORE_TO_COME : 0, 0);
  }
  const body = BSON.serialize(document);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + prelude.length + body.length, 0);
  header.writeInt32LE(requestId, 4);
  header.writeInt32LE(responseTo, 8);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, prelude, body]);
}

/** The header of the reply that the server would give to this (decoded) request. */
function replyHeader(request) {
  const opCode = request.opCode === OP_QUERY ? OP_REPLY : OP_MSG;
  return { requestId: 0, responseTo: request.requestId, opCode, moreToCome: false };
}

module.exports = { readMessages, decode, encodeReply, replyHeader };
