/** The bytes of an archive: what is written reads back as it was, what the tools of MongoDB write is read, and nothing damaged is. */

import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { BSON } from 'mongodb';
import { expect, test } from 'vitest';
import { Crc64 } from '../../../../runner/engines/mongodb/archive/crc64.ts';
import {
  blockHeader,
  type CollectionEntry,
  endBlock,
  type Namespace,
  preludeOf,
  terminator,
  word,
} from '../../../../runner/engines/mongodb/archive/format.ts';
import {
  creationOf,
  entryOf,
  indexesToMake,
  shapeOf,
} from '../../../../runner/engines/mongodb/archive/metadata.ts';
import { elementsOf } from '../../../../runner/engines/mongodb/archive/ordered-json.ts';
import { type ArchivePart, readArchive } from '../../../../runner/engines/mongodb/archive/read-archive.ts';
import { check } from '../../../../runner/engines/mongodb/data.ts';

const { Binary, BSONRegExp, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } =
  BSON;

const bytesOf = (document: object) => Buffer.from(BSON.serialize(document, { ignoreUndefined: false }));
const first = { db: 'shop', collection: 'orders.2026 ü$' };
const second = { db: 'other', collection: 'empty' };
const view = { db: 'shop', collection: 'view' };

const entry = (namespace: Namespace, type: CollectionEntry['type'] = 'collection'): CollectionEntry => ({
  ...namespace,
  type,
  metadata: '{"indexes":[]}',
});

const orders = [bytesOf({ _id: 1, text: 'ü' }), bytesOf({ _id: 2, text: 'x'.repeat(300_000) }), bytesOf({})];
const checksumOf = (documents: readonly Buffer[]) => {
  const checksum = new Crc64();
  for (const document of documents) checksum.update(document);
  return checksum.value;
};
const block = (namespace: Namespace, documents: readonly Buffer[] = []) =>
  Buffer.concat([blockHeader(namespace), ...documents, word(terminator)]);

/** As mongodump writes two collections at a time: blocks of one between those of the other, and a view that is an end alone. */
const archive = Buffer.concat([
  preludeOf('7.0.14', [entry(first), entry(second), entry(view, 'view')]),
  block(first, orders.slice(0, 1)),
  block(second),
  block(first, orders.slice(1)),
  endBlock(second, 0n),
  endBlock(first, checksumOf(orders)),
  endBlock(view, 0n),
]);

async function read(bytes: Buffer, pieceBytes = bytes.length): Promise<ArchivePart[]> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, at) =>
    bytes.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  );
  const parts: ArchivePart[] = [];
  for await (const part of readArchive(Readable.from(pieces))) parts.push(part);
  return parts;
}

const documentsOf = (parts: ArchivePart[], of: string) =>
  Buffer.concat(parts.flatMap((part) => (part.type === 'documents' && part.of === of ? [part.bytes] : [])));

test('an archive begins as the official tools expect', () => {
  expect(archive.readUInt32LE(0)).toBe(0x8199e26d);
  const header = BSON.deserialize(archive.subarray(4, 4 + archive.readInt32LE(4)));
  expect(header).toEqual({
    concurrent_collections: 1,
    version: '0.1',
    server_version: '7.0.14',
    tool_version: 'longshore',
  });
});

test('an archive has checksums as Go calculates them', () => {
  const checksum = new Crc64();
  checksum.update(Buffer.from('123456789'));
  expect(BigInt.asUintN(64, checksum.value)).toBe(0x995dc9bbdf1939fan);
  expect(checksumOf([])).toBe(0n);
});

test.each([1, 3, 7, 64, 4_096, Number.MAX_SAFE_INTEGER])(
  'an archive reads as what was written when it arrives in pieces of %i bytes',
  { tags: 'slow' },
  async (size) => {
    const parts = await read(archive, Math.min(size, archive.length));
    expect(parts[0]).toMatchObject({ type: 'prelude', serverVersion: '7.0.14', entries: { length: 3 } });
    expect(documentsOf(parts, 'shop.orders.2026 ü$')).toEqual(Buffer.concat(orders));
    const count = parts.reduce((sum, part) => sum + (part.type === 'documents' ? part.count : 0), 0);
    expect(count).toBe(3);
    expect(parts.filter(({ type }) => type === 'end')).toHaveLength(3);
  },
);

test('an archive is refused with any byte of a document or of its end flipped, or with its last ones missing', {
  tags: 'slow',
}, async () => {
  const documents = [bytesOf({ _id: 1, text: 'ü' })];
  const begin = Buffer.concat([preludeOf('7.0.14', [entry(first)]), blockHeader(first)]);
  const small = Buffer.concat([
    begin,
    ...documents,
    word(terminator),
    endBlock(first, checksumOf(documents)),
  ]);
  await expect(read(small)).resolves.toHaveLength(3);
  for (let at = begin.length; at < small.length; at++) {
    const flipped = Buffer.from(small);
    flipped[at] = (flipped[at] ?? 0) ^ 0x55;
    await expect(read(flipped), `byte ${at}`).rejects.toThrow(/The dump is damaged: /);
  }
  for (let left = 0; left < small.length; left++)
    await expect(read(small.subarray(0, left)), `${left} bytes`).rejects.toThrow(/The dump is damaged: /);
});

test('an archive behind gzip is verified to its last byte', { tags: 'slow' }, async () => {
  const packed = gzipSync(archive);
  const fileOf = (bytes: Buffer) => ({
    sizeBytes: bytes.length,
    open: () => Readable.from([bytes]),
    pieces: () => Readable.from([bytes]),
  });
  const { signal } = new AbortController();
  await expect(check({ signal }, fileOf(packed))).resolves.toBeUndefined();
  for (let at = 10; at < packed.length; at += 7) {
    const flipped = Buffer.from(packed);
    flipped[at] = (flipped[at] ?? 0) ^ 0x55;
    await expect(check({ signal }, fileOf(flipped))).rejects.toThrow(/damaged/);
  }
  await expect(check({ signal }, fileOf(packed.subarray(0, -30)))).rejects.toThrow(/damaged/);
  await expect(check({ signal }, fileOf(gzipSync('hello, this is no archive')))).rejects.toThrow(
    /does not begin as an archive/,
  );
});

test.each([
  ['documents of a collection that has ended', [endBlock(first, 0n), block(first, orders)], /after its end/],
  ['a collection that nothing announced', [block({ db: 'x', collection: 'y' })], /not among its collections/],
  ['a collection without an end', [block(first), endBlock(second, 0n)], /before all collections have ended/],
  ['documents behind an end', [endBlock(first, 0n).subarray(0, -4), ...orders], /follow the end/],
  ['a terminator without a header', [word(terminator)], /has no header/],
])('an archive with %s is refused', async (_, blocks, words) => {
  const bytes = Buffer.concat([preludeOf('7.0.14', [entry(first), entry(second)]), ...blocks]);
  await expect(read(bytes)).rejects.toThrow(words);
});

const awkward = new Map<string, unknown>([
  ['10', new Int32(1)],
  ['9', new Int32(-1)],
  ['double', new Double(1)],
  ['long', Long.fromString('9007199254740993')],
  ['decimal', Decimal128.fromString('1.50')],
  ['date', new Date(-1)],
  ['id', new ObjectId()],
  ['binary', new Binary(Buffer.from([0, 255]), 0x80)],
  ['regex', new BSONRegExp('^a"\\d', 'i')],
  ['time', new Timestamp({ t: 0, i: 0 })],
  ['code', new Code('x("a:")')],
  ['keys', [new MinKey(), new MaxKey(), null, true, 'text": "']],
  [
    '__proto__',
    new Map([
      [
        '$match',
        new Map([
          ['2', 'b'],
          ['1', 'a'],
        ]),
      ],
    ]),
  ],
  ['$gt', ''],
]);

const listed = {
  ...first,
  type: 'collection' as const,
  options: bytesOf(new Map([['validator', awkward]])),
  indexes: [
    bytesOf(
      new Map<string, unknown>([
        ['v', new Int32(2)],
        ['key', new Map([['_id', new Int32(1)]])],
        ['name', '_id_'],
      ]),
    ),
    bytesOf(
      new Map<string, unknown>([
        ['v', new Int32(2)],
        [
          'key',
          new Map([
            ['10', new Int32(1)],
            ['2', new Int32(-1)],
          ]),
        ],
        ['name', 'odd'],
        ['ns', 'shop.orders'],
      ]),
    ),
  ],
  uuid: 'ab'.repeat(16),
};

test('metadata of a collection reads back to the byte, with every type and the order of its fields', () => {
  const { metadata } = entryOf(listed);
  const { options, indexes } = shapeOf({ metadata });
  expect(bytesOf(options)).toEqual(listed.options);
  expect(indexes.map(bytesOf)).toEqual(listed.indexes);
  // What it says to others is canonical Extended JSON.
  expect(JSON.parse(metadata)).toMatchObject({ uuid: 'ab'.repeat(16), type: 'collection' });
  expect(metadata).toContain('"key":{"10":{"$numberInt":"1"},"2":{"$numberInt":"-1"}}');
});

test('metadata that Extended JSON would misread is refused', () => {
  const options = bytesOf({ validator: { $numberInt: '7' } });
  expect(() => entryOf({ ...listed, options })).toThrow(/shop\.orders.* can't be written/);
});

test('metadata recreates indexes exactly: none twice, and none gains a collation', () => {
  const shape = shapeOf(entryOf({ ...listed, options: bytesOf({ collation: { locale: 'de' } }) }));
  const [made, ...others] = indexesToMake(shape);
  expect(others).toEqual([]);
  expect(elementsOf(bytesOf(made ?? {})).map(({ name }) => name)).toEqual(['v', 'key', 'name', 'collation']);
  expect(made?.get('collation')).toEqual({ locale: 'simple' });
});

test('metadata recreates a text index by the fields it was created for', () => {
  const index = (key: object, more = {}) => bytesOf({ v: new Int32(2), key, name: 'words', ...more });
  const kept = { a: new Int32(1), _fts: 'text', _ftsx: new Int32(1), z: new Int32(-1) };
  const indexes = [index(kept, { weights: { s: new Int32(3), t: new Int32(1) } })];
  const [made] = indexesToMake(shapeOf(entryOf({ ...listed, indexes })));
  const asked = bytesOf({ a: new Int32(1), s: 'text', t: 'text', z: new Int32(-1) });
  expect(bytesOf(made?.get('key') as object)).toEqual(asked);
});

test('metadata recreates capped collections and time series without the old server’s own options', () => {
  const metadata = JSON.stringify({
    options: {
      capped: true,
      size: { $numberInt: '4096' },
      timeseries: { timeField: 't', granularity: 'seconds' },
      changeStreamPreAndPostImages: { enabled: true },
      autoIndexId: false,
    },
    indexes: null,
  });
  const shape = shapeOf({ metadata });
  expect(creationOf(shape)).toEqual({
    capped: true,
    size: new Int32(4096),
    timeseries: new Map([
      ['timeField', 't'],
      ['granularity', 'seconds'],
    ]),
  });
  expect(indexesToMake(shape)).toEqual([]);
  expect(() => shapeOf({ metadata: '{"options":' })).toThrow(/damaged/);
  expect(() => shapeOf({ metadata: '{"indexes":[7]}' })).toThrow(/damaged/);
});
