/**
 * The dump: what the server lists, and the documents as the bytes in which they are stored; none is ever decoded. A server of one node has
 * no moment of all its data that could be read, so each collection is read one after the other, by the order of `_id`: whatever is written
 * meanwhile, no document comes twice.
 */
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { MongoClient } from 'mongodb';
import type { Contents, DataPlace } from '../../archive/archive.ts';
import { userOf } from '../client.ts';
import { isAccounts, isCounted, listAll, versionOf } from './catalog.ts';
import { reading } from './connect.ts';
import { Crc64 } from './crc64.ts';
import {
  asStored,
  blockHeader,
  endBlock,
  type Namespace,
  preludeOf,
  storedIn,
  terminator,
  word,
} from './format.ts';
import { entryOf, type ListedCollection } from './metadata.ts';
import { elementsOf } from './ordered-json.ts';

/** Of documents in one answer of the server: several such are in memory at a time. */
const batchBytes = 1024 * 1024;
const batchDocuments = { first: 100, max: 10_000 };

export interface ArchiveRequest {
  /** Is no part of the archive: where it is loaded there is one already. */
  rootUser: string;
  /** The only database; null: all of them. */
  only: string | null;
  isTaken(namespace: Namespace): boolean;
  progress: DataPlace['progress'];
}

export async function dump(place: DataPlace, sink: Writable): Promise<Contents> {
  const contents: Contents = { tables: 0, rows: 0 };
  const request = { rootUser: userOf(place.env), only: null, isTaken: () => true, progress: place.progress };
  await reading(place, (client) =>
    pipeline(() => archiveOf(client, request, contents), createGzip({ level: 1 }), sink, {
      signal: place.signal,
    }),
  );
  return contents;
}

/** @param contents is what has been read so far, and at the end what the archive holds */
export async function* archiveOf(
  client: MongoClient,
  request: ArchiveRequest,
  contents: Contents,
): AsyncGenerator<Buffer> {
  const version = await versionOf(client);
  const saved = (await listAll(client, request.only)).filter((one) => request.isTaken(one));
  yield preludeOf(version, saved.map(entryOf));
  contents.tables = saved.filter(isCounted).length;
  const total = await estimated(client, saved);
  for (const one of saved) {
    const checksum = new Crc64();
    const stored = storedIn(one, version);
    yield blockHeader(stored);
    if (one.type !== 'view') {
      for await (const { bytes, count } of documentsOf(client, one, version, request)) {
        checksum.update(bytes);
        yield bytes;
        if (isAccounts(one)) continue;
        contents.rows += count;
        const done = contents.rows;
        request.progress({ done, total: Math.max(total, done), unit: 'rows' });
      }
    }
    yield word(terminator);
    yield endBlock(stored, checksum.value);
  }
}

/** The next documents are on their way while these are written. */
async function* documentsOf(
  client: MongoClient,
  one: ListedCollection,
  version: string,
  { rootUser }: ArchiveRequest,
): AsyncGenerator<{ bytes: Buffer; count: number }> {
  const { db, collection: find } = storedIn(one, version);
  const command = {
    find,
    filter: filterOf(one, rootUser),
    ...orderOf(one),
    batchSize: batchDocuments.first,
    ...asStored(one, version),
  };
  const cursor = client.db(db).runCursorCommand(command, { raw: true });
  try {
    for (let hasNext = await cursor.hasNext(); hasNext; ) {
      const documents = cursor.readBufferedDocuments() as unknown as Uint8Array[];
      const count = documents.length;
      const bytes = together(documents);
      const fitting = Math.ceil((count * batchBytes) / bytes.length);
      cursor.setBatchSize(Math.min(fitting, batchDocuments.max));
      const next = cursor.hasNext();
      next.catch(() => {}); // told below
      yield { bytes, count };
      hasNext = await next;
    }
  } finally {
    await cursor.close();
  }
}

/** Documents of one answer are moved together in its own memory, which nobody reads any more: gigabytes of copies are garbage. */
function together(documents: readonly Uint8Array[]): Buffer {
  const [first] = documents;
  if (!first || documents.some(({ buffer }) => buffer !== first.buffer)) return Buffer.concat(documents);
  const memory = new Uint8Array(first.buffer);
  let end = first.byteOffset;
  for (const { byteOffset, byteLength } of documents) {
    memory.copyWithin(end, byteOffset, byteOffset + byteLength);
    end += byteLength;
  }
  return Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset);
}

/** Of accounts all but root's, and of their versions that of users. */
function filterOf(one: ListedCollection, rootUser: string): object {
  if (!isAccounts(one)) return {};
  return one.collection === 'system.version' ? { _id: 'authSchema' } : { _id: { $ne: `admin.${rootUser}` } };
}

/** A capped collection is to be filled in the order in which it was, and a clustered one lies by `_id` already. */
function orderOf({ indexes, options, type }: ListedCollection): object {
  const hasOwnOrder = elementsOf(options).some(({ name }) => name === 'capped' || name === 'clusteredIndex');
  const isByKey = type === 'collection' && indexes.length > 0 && !hasOwnOrder;
  return { hint: isByKey ? { _id: 1 } : { $natural: 1 } };
}

/** By their metadata: at once. */
async function estimated(client: MongoClient, listed: readonly ListedCollection[]): Promise<number> {
  let total = 0;
  for (const { db, collection, type } of listed.filter(isCounted)) {
    if (type === 'collection') total += await client.db(db).collection(collection).estimatedDocumentCount();
  }
  return total;
}
