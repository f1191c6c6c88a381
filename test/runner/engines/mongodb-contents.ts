/** All that a client of a MongoDB can see, documents and indexes as the bytes that they are. */
import type { MongoClient } from 'mongodb';

export interface SeenCollection {
  type: string;
  options: object;
  documents: string[];
  indexes: string[];
}

/** By `<database>.<collection>`. */
export async function contentsOfMongo(client: MongoClient): Promise<Record<string, SeenCollection>> {
  const { databases } = await client.db('admin').command({ listDatabases: 1, nameOnly: true });
  const seen: Record<string, SeenCollection> = {};
  for (const { name: database } of databases) {
    const db = client.db(database);
    for (const { name, type = '', options = {} } of await db
      .listCollections({}, { nameOnly: false })
      .toArray()) {
      const raw = { raw: true } as const;
      const documents = await db.collection(name).find({}, raw).sort({ _id: 1 }).toArray();
      const indexes = type === 'view' ? [] : await db.runCursorCommand({ listIndexes: name }, raw).toArray();
      seen[`${database}.${name}`] = {
        type,
        options,
        documents: documents.map(bytesOf),
        indexes: indexes.map(bytesOf).sort(),
      };
    }
  }
  return seen;
}

/** Of a large one its length and its end. */
function bytesOf(document: object): string {
  const bytes = Buffer.from(document as Uint8Array);
  return bytes.length > 10_000
    ? `${bytes.length}, ${bytes.subarray(-99).toString('hex')}`
    : bytes.toString('hex');
}
