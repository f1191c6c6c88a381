/** MongoDB's wire protocol, as bytes: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */
import { withArray } from './raw-document.ts';

const headerBytes = 16;
/** What a hello announces as the largest message. */
export const messageBytesMax = 48_000_000;
const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;
const checksumPresent = 1;
const moreToCome = 2;
const checksumBytes = 4;

export interface Request {
  id: number;
  /** The command with its document sequences as arrays in it. */
  command: Buffer;
  /** The old form, which drivers say hello with before they know the server. */
  isLegacy: boolean;
  wantsReply: boolean;
}

/** A message that is not of this protocol: nothing that follows it can be understood. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/**
 * Takes whole messages off the front of what has arrived.
 * @returns the messages, and the bytes of one that is not there whole yet
 * @throws ProtocolError
 */
export function splitMessages(arrived: Buffer): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  let rest = arrived;
  while (rest.length >= headerBytes) {
    const length = rest.readInt32LE(0);
    if (length < headerBytes || length > messageBytesMax)
      throw new ProtocolError(`A message of ${length} bytes`);
    if (rest.length < length) break;
    messages.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
  return { messages, rest };
}

/** @throws ProtocolError, or RangeError and BSONError of bytes that end too early */
export function parseRequest(message: Buffer): Request {
  const id = message.readInt32LE(4);
  const operation = message.readInt32LE(12);
  const body = message.subarray(headerBytes);
  if (operation === opQuery) {
    // Flags, collection, two numbers, the query.
    const query = body.subarray(body.indexOf(0, 4) + 1 + 8);
    return { id, command: query.subarray(0, query.readInt32LE(0)), isLegacy: true, wantsReply: true };
  }
  if (operation !== opMsg) throw new ProtocolError(`Operation ${operation}`);
  const flags = body.readUInt32LE(0);
  const end = body.length - (flags & checksumPresent ? checksumBytes : 0);
  const command = commandOf(body.subarray(4, end));
  return { id, command, isLegacy: false, wantsReply: (flags & moreToCome) === 0 };
}

function commandOf(sections: Buffer): Buffer {
  let document: Buffer | undefined;
  const sequences: { name: string; items: Buffer[] }[] = [];
  for (let at = 0; at < sections.length; ) {
    const kind = sections.readUInt8(at);
    const section = sections.subarray(at + 1, at + 1 + sections.readInt32LE(at + 1));
    if (section.length === 0) throw new ProtocolError('An empty section');
    if (kind === 0) document = section;
    else if (kind === 1) sequences.push(sequenceOf(section));
    else throw new ProtocolError(`A section of kind ${kind}`);
    at += 1 + section.length;
  }
  if (!document) throw new ProtocolError('A message without a command');
  return sequences.reduce((command, { name, items }) => withArray(command, name, items), document);
}

function sequenceOf(section: Buffer): { name: string; items: Buffer[] } {
  const nameEnd = section.indexOf(0, 4);
  const items: Buffer[] = [];
  for (let at = nameEnd + 1; at < section.length; ) {
    const item = section.subarray(at, at + section.readInt32LE(at));
    if (item.length === 0) throw new ProtocolError('An empty document');
    items.push(item);
    at += item.length;
  }
  return { name: section.toString('utf8', 4, nameEnd), items };
}

/** The reply to a request, in the form that it was asked in. */
export function reply({ id, isLegacy }: Pick<Request, 'id' | 'isLegacy'>, document: Buffer): Buffer {
  const head = Buffer.alloc(isLegacy ? headerBytes + 20 : headerBytes + 5);
  head.writeInt32LE(head.length + document.length, 0);
  head.writeInt32LE(id, 8);
  head.writeInt32LE(isLegacy ? opReply : opMsg, 12);
  // Flags, a cursor of 8 bytes, the first document's number, how many there are; or flags and one section.
  if (isLegacy) head.writeInt32LE(1, headerBytes + 16);
  return Buffer.concat([head, document]);
}
