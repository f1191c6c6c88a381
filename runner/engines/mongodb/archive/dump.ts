/**
 * Dumps everything that the server lists. Documents are written as the stored bytes, without decoding. All collections are read from one
 * snapshot, one after the other, in the order of `_id`. A server outside of a replica set has no snapshots: there each document is read at
 * its turn, and none is read twice.
 */
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { MongoClient } from 'mongodb';
import type { DataPlace, DumpedContents } from '../../archive/archive.ts';
import { userOf } from '../client.ts';
import { clusterParameters, serverDefaults } from '../parameters.ts';
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
import { chooseMoment, keepingHistory, type Moment } from './moment.ts';
import { clusterParametersNotKept, defaultsNotKept, notKeptOf } from './not-kept.ts';
import { elementsOf } from './ordered-json.ts';

/** The bytes of documents in one answer of the server. A few such batches are in memory at a time. */
const batchBytes = 1024 * 1024;
const batchDocuments = { first: 100, max: 10_000 };

export interface ArchiveRequest {
  /** Left out of the archive, since the new server already has its own root user. */
  rootUser: string;
  /** The only database; `null` for all of them. */
  only: string | null;
  isTaken(namespace: Namespace): boolean;
  progress: DataPlace['progress'];
  /** True if all data is read from one snapshot; only inside `keepingHistory`. */
  isOfOneMoment?: boolean;
}

export async function dump(place: DataPlace, sink: Writable): Promise<DumpedContents> {
  const contents: DumpedContents = { tables: 0, rows: 0 };
  const request = { rootUser: userOf(place.env), only: null, isTaken: () => true, progress: place.progress };
  return await reading(place, async (client) => {
    const defaults = await serverDefaults(client, await versionOf(client));
    const parameters = [
      ...clusterParametersNotKept(await clusterParameters(client)),
      ...defaultsNotKept(defaults),
    ];
    await keepingHistory(client, (isOfOneMoment) => {
      const archive = () => archiveOf(client, { ...request, isOfOneMoment }, contents);
      return pipeline(archive, createGzip({ level: 1 }), sink, { signal: place.signal });
    });
    return { ...contents, notKept: [...(contents.notKept ?? []), ...parameters] };
  });
}

/** @param contents the counts so far; at the end, the counts of the whole archive, and the parts that it leaves out */
export async function* archiveOf(
  client: MongoClient,
  request: ArchiveRequest,
  contents: DumpedContents,
): AsyncGenerator<Buffer> {
  const version = await versionOf(client);
  const saved = (await listAll(client, request.only)).filter((one) => request.isTaken(one));
  const moment: Moment = request.isOfOneMoment ? await chooseMoment(client, saved, version) : () => ({});
  yield preludeOf(version, saved.map(entryOf));
  contents.tables = saved.filter(isCounted).length;
  contents.notKept = notKeptOf(saved);
  const total = await estimated(client, saved);
  for (const one of saved) {
    const checksum = new Crc64();
    const stored = storedIn(one, version);
    yield blockHeader(stored);
    if (one.type !== 'view') {
      for await (const { bytes, count } of documentsOf(client, one, version, { ...request, moment })) {
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

/** Requests the next documents while these are written. */
async function* documentsOf(
  client: MongoClient,
  one: ListedCollection,
  version: string,
  { rootUser, moment }: ArchiveRequest & { moment: Moment },
): AsyncGenerator<{ bytes: Buffer; count: number }> {
  const { db, collection: find } = storedIn(one, version);
  const command = {
    find,
    filter: filterOf(one, rootUser),
    ...orderOf(one),
    batchSize: batchDocuments.first,
    ...asStored(one, version),
    ...moment(one),
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
      next.catch(() => {}); // reported below
      yield { bytes, count };
      hasNext = await next;
    }
  } finally {
    await cursor.close();
  }
}

/**
 * Moves the documents of one answer together inside the answer's own memory, which is no longer needed. Copying gigabytes would create
 * garbage.
 */
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

/** The filter for accounts: all but root's. For the versions: only the version of the user format. */
function filterOf(one: ListedCollection, rootUser: string): object {
  if (!isAccounts(one)) return {};
  return one.collection === 'system.version' ? { _id: 'authSchema' } : { _id: { $ne: `admin.${rootUser}` } };
}

/** A capped collection must be filled in its original order; a clustered one is already stored in the order of `_id`. */
function orderOf({ indexes, options, type }: ListedCollection): object {
  const hasOwnOrder = elementsOf(options).some(({ name }) => name === 'capped' || name === 'clusteredIndex');
  const isByKey = type === 'collection' && indexes.length > 0 && !hasOwnOrder;
  return { hint: isByKey ? { _id: 1 } : { $natural: 1 } };
}

/** Uses the collections' metadata, so it is fast. */
async function estimated(client: MongoClient, listed: readonly ListedCollection[]): Promise<number> {
  let total = 0;
  for (const { db, collection, type } of listed.filter(isCounted)) {
    if (type === 'collection') total += await client.db(db).collection(collection).estimatedDocumentCount();
  }
  return total;
}
