/**
 * The format of `mongodump --archive`: a prelude with all collections, then blocks of BSON documents, each block from one collection. After
 * the last block of a collection, a header marks its end and holds the checksum of its bytes. Facts from the sources of the tools:
 * https://github.com/mongodb/mongo-tools/tree/master/common/archive
 */
import { BSON } from 'mongodb';

export const magic = 0x8199e26d;
/** Marks the end of a block, in place of the next document's length. */
export const terminator = 0xff_ff_ff_ff;
const formatVersion = '0.1';
/** A 4-byte length and a zero byte at the end. */
export const documentBytesMin = 5;
/** The size of the largest document that the server accepts, plus its internal additions. */
export const documentBytesMax = 16 * 1024 * 1024 + 16 * 1024;

export interface Namespace {
  /** Contains no dot. Empty for the oplog that `mongodump --oplog` adds. */
  db: string;
  collection: string;
}

/** The prelude's entry of a collection. */
export interface CollectionEntry extends Namespace {
  type: 'collection' | 'view' | 'timeseries';
  /** Extended JSON of its options and indexes; empty when they are unknown. */
  metadata: string;
}

export const nameOf = ({ db, collection }: Namespace) => `${db}.${collection}`;

export const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** @param serverVersion must contain three numbers, which the tools read */
export function preludeOf(serverVersion: string, entries: readonly CollectionEntry[]): Buffer {
  const head = {
    concurrent_collections: new BSON.Int32(1),
    version: formatVersion,
    server_version: serverVersion,
    tool_version: 'longshore',
  };
  const documents = entries.map(({ db, collection, metadata, type }) =>
    BSON.serialize({ db, collection, metadata, size: new BSON.Int32(0), type }),
  );
  return Buffer.concat([word(magic), BSON.serialize(head), ...documents, word(terminator)]);
}

/** Comes before documents of this collection. */
export const blockHeader = (namespace: Namespace): Buffer => headerOf(namespace, false, 0n);

/** Comes after all blocks of a collection; it is a block without documents. */
export const endBlock = (namespace: Namespace, checksum: bigint): Buffer =>
  Buffer.concat([headerOf(namespace, true, checksum), word(terminator)]);

function headerOf({ db, collection }: Namespace, isEnd: boolean, checksum: bigint): Buffer {
  const CRC = BSON.Long.fromBigInt(checksum);
  return Buffer.from(BSON.serialize({ db, collection, EOF: isEnd, CRC }));
}

/** The prefix of collections that store the documents of a time series before version 8.3. Since then, the time series itself returns them. */
const bucketsPrefix = 'system.buckets.';

type Typed = Pick<CollectionEntry, 'type'>;

/** The collection that stores the documents of an entry. */
export const storedIn = ({ type, db, collection }: Typed & Namespace, serverVersion: string): Namespace =>
  type === 'timeseries' && !hasRawData(serverVersion)
    ? { db, collection: bucketsPrefix + collection }
    : { db, collection };

/** The option of a command that returns documents in their stored form. */
export const asStored = ({ type }: Typed, serverVersion: string) =>
  type === 'timeseries' && hasRawData(serverVersion) ? { rawData: true } : {};

function hasRawData(serverVersion: string): boolean {
  const [major = 0, minor = 0] = serverVersion.split('.').map(Number);
  return major > 8 || (major === 8 && minor >= 3);
}
