/**
 * Archives of `mongodump --archive`: a prelude that names all collections, then blocks of documents as BSON, each block of one collection,
 * and after a collection's last one a header that says so with the checksum of its bytes. Facts from the sources of the tools:
 * https://github.com/mongodb/mongo-tools/tree/master/common/archive
 */
import { BSON } from 'mongodb';

export const magic = 0x8199e26d;
/** Where a document could begin. */
export const terminator = 0xff_ff_ff_ff;
const formatVersion = '0.1';
/** A length, and a zero at its end. */
export const documentBytesMin = 5;
/** What the server takes, and what it adds to that inside itself. */
export const documentBytesMax = 16 * 1024 * 1024 + 16 * 1024;

export interface Namespace {
  /** Without a dot in it; empty for the log of changes that `mongodump --oplog` adds. */
  db: string;
  collection: string;
}

/** Of a collection, in the prelude. */
export interface CollectionEntry extends Namespace {
  type: 'collection' | 'view' | 'timeseries';
  /** Extended JSON of its options and indexes; empty when nothing is known of them. */
  metadata: string;
}

export const nameOf = ({ db, collection }: Namespace) => `${db}.${collection}`;

export const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** @param serverVersion the tools read three numbers in it */
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

/** Before documents of this collection. */
export const blockHeader = (namespace: Namespace): Buffer => headerOf(namespace, false, 0n);

/** After all of its blocks; it is a block without documents. */
export const endBlock = (namespace: Namespace, checksum: bigint): Buffer =>
  Buffer.concat([headerOf(namespace, true, checksum), word(terminator)]);

function headerOf({ db, collection }: Namespace, isEnd: boolean, checksum: bigint): Buffer {
  const CRC = BSON.Long.fromBigInt(checksum);
  return Buffer.from(BSON.serialize({ db, collection, EOF: isEnd, CRC }));
}

/** Time series are stored as documents of another collection, until version 8.3 shows them as those of the series itself. */
const bucketsPrefix = 'system.buckets.';

type Typed = Pick<CollectionEntry, 'type'>;

/** The collection whose documents are stored for an entry. */
export const storedIn = ({ type, db, collection }: Typed & Namespace, serverVersion: string): Namespace =>
  type === 'timeseries' && !hasRawData(serverVersion)
    ? { db, collection: bucketsPrefix + collection }
    : { db, collection };

/** What a command says to get them as they are stored. */
export const asStored = ({ type }: Typed, serverVersion: string) =>
  type === 'timeseries' && hasRawData(serverVersion) ? { rawData: true } : {};

function hasRawData(serverVersion: string): boolean {
  const [major = 0, minor = 0] = serverVersion.split('.').map(Number);
  return major > 8 || (major === 8 && minor >= 3);
}
