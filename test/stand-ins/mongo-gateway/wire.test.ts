import { deserialize, Long, serialize } from 'bson';
import { expect, test } from 'vitest';
import { fieldOf, namesOf, withArray, without } from './raw-document.ts';
import { ProtocolError, parseRequest, reply, splitMessages } from './wire.ts';

const bytes = (document: Record<string, unknown>) => Buffer.from(serialize(document));

interface Section {
  kind: number;
  body: Buffer;
}

function message(operation: number, body: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeInt32LE(16 + body.length, 0);
  head.writeInt32LE(7, 4);
  head.writeInt32LE(operation, 12);
  return Buffer.concat([head, body]);
}

const opMsg = (flags: number, ...sections: Section[]) =>
  message(
    2013,
    Buffer.concat([
      Buffer.from(new Uint32Array([flags]).buffer),
      ...sections.flatMap(({ kind, body }) => [Buffer.from([kind]), body]),
    ]),
  );

function sequence(name: string, ...documents: Buffer[]): Section {
  const body = Buffer.concat([Buffer.alloc(4), Buffer.from(`${name}\0`), ...documents]);
  body.writeInt32LE(body.length, 0);
  return { kind: 1, body };
}

// A decoded one would have the keys 2 and 10 in another order, and the long as a rounded number.
const insides = Buffer.concat([bytes({ b: Long.MAX_VALUE })]);
const document = withArray(bytes({ insert: 'a', $db: 'x' }), 'documents', [insides]);

test('a document as bytes loses the fields that are named, and keeps the bytes of the others', () => {
  const kept = without(document, (name) => name === '$db');
  expect(namesOf(kept)).toEqual(['insert', 'documents']);
  expect(kept.includes(insides)).toBe(true);
  expect(deserialize(kept, { promoteLongs: false })).toEqual({
    insert: 'a',
    documents: [{ b: Long.MAX_VALUE }],
  });
});

test('a document as bytes gives the value of a field, and nothing for one that it has not', () => {
  expect(fieldOf(document, '$db')).toBe('x');
  expect(fieldOf(document, 'db')).toBeUndefined();
});

const one = opMsg(0, { kind: 0, body: bytes({ ping: 1, $db: 'admin' }) });

test('messages are taken off whole, wherever the bytes were cut', () => {
  const both = Buffer.concat([one, one]);
  for (const cut of [0, 3, 16, one.length - 1, one.length, one.length + 5]) {
    const first = splitMessages(both.subarray(0, cut));
    const second = splitMessages(Buffer.concat([first.rest, both.subarray(cut)]));
    expect([...first.messages, ...second.messages]).toEqual([one, one]);
    expect(second.rest).toHaveLength(0);
  }
});

test.each([0, 15, -1, 48_000_001])('messages of %d bytes are refused', (length) => {
  const wrong = Buffer.from(one);
  wrong.writeInt32LE(length, 0);
  expect(() => splitMessages(wrong)).toThrow(ProtocolError);
});

test('messages have their sequences of documents as arrays in the command, in any order and with a checksum', () => {
  const documents = [bytes({ _id: 1 }), bytes({ _id: 2 })];
  const parts = [sequence('documents', ...documents), { kind: 0, body: bytes({ insert: 'a' }) }];
  const { command, id, wantsReply, isLegacy } = parseRequest(
    Buffer.concat([opMsg(1, ...parts), Buffer.alloc(4)]),
  );
  expect(deserialize(command)).toEqual({ insert: 'a', documents: [{ _id: 1 }, { _id: 2 }] });
  expect({ id, wantsReply, isLegacy }).toEqual({ id: 7, wantsReply: true, isLegacy: false });
});

test('messages that ask for no reply say so', () => {
  expect(parseRequest(opMsg(2, { kind: 0, body: bytes({ insert: 'a' }) })).wantsReply).toBe(false);
});

test('messages of the old form are understood, and answered in it', () => {
  const body = Buffer.concat([
    Buffer.alloc(4),
    Buffer.from('admin.$cmd\0'),
    Buffer.alloc(8),
    bytes({ ismaster: 1 }),
  ]);
  const request = parseRequest(message(2004, body));
  expect(deserialize(request.command)).toEqual({ ismaster: 1 });
  const answer = reply(request, bytes({ ok: 1 }));
  expect([answer.readInt32LE(0), answer.readInt32LE(8), answer.readInt32LE(12)]).toEqual([
    answer.length,
    7,
    1,
  ]);
  expect(deserialize(answer.subarray(36))).toEqual({ ok: 1 });
});

test.each([
  ['another operation', message(2012, Buffer.alloc(9))],
  ['no command', opMsg(0, sequence('documents', bytes({})))],
  ['an unknown section', opMsg(0, { kind: 2, body: bytes({ ping: 1 }) })],
  ['an empty section', opMsg(0, { kind: 0, body: Buffer.alloc(4) })],
  ['an empty document', opMsg(0, sequence('documents', Buffer.alloc(4)))],
  ['too few bytes', message(2013, Buffer.alloc(3))],
])('messages with %s are refused', (_, wrong) => {
  expect(() => parseRequest(wrong)).toThrow();
});
