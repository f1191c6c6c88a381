/** Reads an archive as it arrives and checks everything: lengths, terminators, checksums, and that each collection has an end. */
import { BSON } from 'mongodb';
import { EngineError } from '../../engine-error.ts';
import { Crc64 } from './crc64.ts';
import {
  type CollectionEntry,
  documentBytesMax,
  documentBytesMin,
  magic,
  type Namespace,
  nameOf,
  storedIn,
  terminator,
} from './format.ts';

/** Parts in the order of the file: the prelude, then documents of the collections, possibly interleaved, and one end for each collection. */
export type ArchivePart =
  | { type: 'prelude'; serverVersion: string; entries: CollectionEntry[] }
  /** Whole documents, one after the other. */
  | { type: 'documents'; of: string; bytes: Buffer; count: number }
  | { type: 'end'; of: string };

const wordBytes = 4;
/** The list of collections with their options and indexes, which is kept in memory: enough for about 200,000 collections. */
const preludeBytesMax = 64 * 1024 * 1024;

/** @throws EngineError when this is not an archive, or a damaged or incomplete one */
export async function* readArchive(chunks: AsyncIterable<Buffer>): AsyncGenerator<ArchivePart> {
  const reader = new Reader();
  for await (const bytes of wholeItems(chunks)) yield* reader.read(bytes);
  reader.finish();
}

/** Splits the input between documents, so that no document is divided. */
async function* wholeItems(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let neededBytes = wordBytes;
  let isBegun = false;
  for await (const chunk of chunks) {
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes < neededBytes) continue;
    const bytes = held.length === 1 ? chunk : Buffer.concat(held);
    const begin = isBegun ? 0 : afterMagic(bytes);
    isBegun = true;
    let end = begin;
    neededBytes = wordBytes;
    while (end + wordBytes <= bytes.length) {
      const length = itemBytes(bytes, end);
      if (end + length > bytes.length) {
        neededBytes = length;
        break;
      }
      end += length;
    }
    if (end > begin) yield bytes.subarray(begin, end);
    held = end < bytes.length ? [bytes.subarray(end)] : [];
    heldBytes = bytes.length - end;
  }
  if (heldBytes > 0 || !isBegun) throw damaged('it ends in the middle');
}

function afterMagic(bytes: Buffer): number {
  if (bytes.readUInt32LE(0) === magic) return wordBytes;
  throw damaged('it does not begin as an archive of mongodump does');
}

/** The length of a document or a terminator. */
function itemBytes(bytes: Buffer, at: number): number {
  const length = bytes.readUInt32LE(at);
  if (length === terminator) return wordBytes;
  if (length < documentBytesMin || length > documentBytesMax)
    throw damaged(`${length} is not the length of a document`);
  return length;
}

class Reader {
  #state: 'prelude' | 'entries' | 'header' | 'documents' = 'prelude';
  #serverVersion = '';
  readonly #entries: CollectionEntry[] = [];
  #preludeBytes = 0;
  /** Checksums by the collection's name; `null` if the collection has ended. */
  readonly #checksums = new Map<string, Crc64 | null>();
  /** The collection of the current block; `undefined` in a block that ends a collection. */
  #open: string | undefined;

  *read(bytes: Buffer): Generator<ArchivePart> {
    for (let at = 0; at < bytes.length; ) {
      const length = itemBytes(bytes, at);
      if (bytes.readUInt32LE(at) === terminator) yield* this.#endBlock();
      else if (this.#state !== 'documents') yield* this.#takeHeader(documentAt(bytes, at, length));
      else {
        const run = runAt(bytes, at);
        yield this.#takeDocuments(run);
        at += run.bytes.length;
        continue;
      }
      at += length;
    }
  }

  finish(): void {
    const open = [...this.#checksums].find(([, checksum]) => checksum !== null);
    if (this.#state !== 'header' || open) throw damaged('it ends before all collections have ended');
  }

  *#endBlock(): Generator<ArchivePart> {
    if (this.#state === 'entries') {
      const [serverVersion, entries] = [this.#serverVersion, this.#entries];
      for (const entry of entries) this.#checksums.set(nameOf(storedIn(entry, serverVersion)), new Crc64());
      yield { type: 'prelude', serverVersion, entries };
    } else if (this.#state !== 'documents') throw damaged('a block has no header');
    this.#state = 'header';
  }

  *#takeHeader(document: Buffer): Generator<ArchivePart> {
    const fields = fieldsOf(document);
    if (this.#state === 'prelude') {
      this.#serverVersion = String(fields.server_version);
      this.#state = 'entries';
    } else if (this.#state === 'entries') {
      this.#preludeBytes += document.length;
      if (this.#preludeBytes > preludeBytesMax)
        throw damaged(`its list of collections is larger than ${preludeBytesMax / 2 ** 20} MB`);
      this.#entries.push(entryOf(fields));
    } else {
      yield* this.#openBlock(fields);
      this.#state = 'documents';
    }
  }

  *#openBlock({ db, collection, EOF, CRC }: BSON.Document): Generator<ArchivePart> {
    const of = nameOf({ db, collection });
    const checksum = this.#checksums.get(of) ?? this.#unannounced(of, { db, collection });
    if (EOF !== true) {
      this.#open = of;
      return;
    }
    this.#open = undefined;
    if (checksum.value !== CRC) throw damaged(`the checksum of ${of} is wrong`);
    this.#checksums.set(of, null);
    yield { type: 'end', of };
  }

  /** The oplog is not listed in the prelude. */
  #unannounced(of: string, { db }: Namespace): Crc64 {
    if (this.#checksums.has(of)) throw damaged(`${of} goes on after its end`);
    if (db !== '') throw damaged(`${of} is not among its collections`);
    const checksum = new Crc64();
    this.#checksums.set(of, checksum);
    return checksum;
  }

  #takeDocuments({ bytes, count }: { bytes: Buffer; count: number }): ArchivePart {
    const of = this.#open;
    if (of === undefined) throw damaged('documents follow the end of a collection');
    this.#checksums.get(of)?.update(bytes);
    return { type: 'documents', of, bytes, count };
  }
}

function fieldsOf(document: Buffer): BSON.Document {
  try {
    return BSON.deserialize(document, { useBigInt64: true });
  } catch (error) {
    throw damaged(`a header can't be read: ${error instanceof Error ? error.message : error}`);
  }
}

function entryOf({ db, collection, metadata, type }: BSON.Document): CollectionEntry {
  if (typeof db !== 'string' || typeof collection !== 'string') throw damaged('an entry names no collection');
  // Old versions of the tools wrote no type.
  const isKnown = type === 'view' || type === 'timeseries';
  return { db, collection, metadata: String(metadata ?? ''), type: isKnown ? type : 'collection' };
}

/** The whole documents in a piece. */
function runAt(bytes: Buffer, from: number): { bytes: Buffer; count: number } {
  let at = from;
  let count = 0;
  while (at < bytes.length && bytes.readUInt32LE(at) !== terminator) {
    at += documentAt(bytes, at, itemBytes(bytes, at)).length;
    count++;
  }
  return { bytes: bytes.subarray(from, at), count };
}

/** Splits a piece of whole documents into single documents. */
export function* documentsIn(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at))
    yield bytes.subarray(at, at + bytes.readUInt32LE(at));
}

function documentAt(bytes: Buffer, at: number, length: number): Buffer {
  if (bytes[at + length - 1] !== 0) throw damaged('a document does not end with a zero');
  return bytes.subarray(at, at + length);
}

const damaged = (words: string) => new EngineError('unavailable', `The dump is damaged: ${words}.`);
