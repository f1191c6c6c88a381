/** Lists the parts of a server that belong in a backup. */
import { BSON, type Db, type MongoClient, MongoServerError } from 'mongodb';
import type { Contents } from '../../archive/archive.ts';
import { asStored, type CollectionEntry, type Namespace, storedIn } from './format.ts';
import { documentIn, type ListedCollection } from './metadata.ts';

/** The server's own databases. `admin` is not among them: it holds the users, and users may have stored data in it. */
const serversOwn = (database: string) =>
  database === 'local' || database === 'config' || database.startsWith('__mdb_internal');
/** Users, roles, and the version of their format. */
const accountCollections = ['system.users', 'system.roles', 'system.version'];
const namespaceNotFound = 26;

export const isAccounts = ({ db, collection }: Namespace) =>
  db === 'admin' && accountCollections.includes(collection);

/** Stored functions (`system.js`) are user data. Other collections named `system.` are the server's, which recreates them. */
export const isSaved = (namespace: Namespace): boolean =>
  namespace.db !== '' &&
  !serversOwn(namespace.db) &&
  (isAccounts(namespace) ||
    namespace.collection === 'system.js' ||
    !namespace.collection.startsWith('system.'));

/** True for collections that count as a table, with their documents as rows. */
export const isCounted = (entry: Pick<CollectionEntry, 'type'> & Namespace) =>
  entry.type !== 'view' && !isAccounts(entry);

/** The server's version as three numbers, which archives require. @throws MongoError */
export async function versionOf(client: MongoClient): Promise<string> {
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  return /^\d+\.\d+\.\d+/.exec(String(version))?.[0] ?? '0.0.0';
}

/** Lists accounts first, since tools read them before any data. @param only lists only this database; `null` for all databases */
export async function listAll(client: MongoClient, only: string | null = null): Promise<ListedCollection[]> {
  const listed: ListedCollection[] = [];
  for (const database of only === null ? await databasesOf(client) : [only]) {
    if (!serversOwn(database)) listed.push(...(await collectionsOf(client.db(database))));
  }
  return [...listed.filter(isAccounts), ...listed.filter((one) => !isAccounts(one))];
}

/** An exact count: it reads each document. */
export async function countAll(client: MongoClient): Promise<Contents> {
  const version = await versionOf(client);
  const listed = (await listAll(client)).filter(isCounted);
  let rows = 0;
  for (const one of listed) rows += await countOf(client, one, version);
  return { tables: listed.length, rows };
}

async function countOf(client: MongoClient, entry: ListedCollection, version: string): Promise<number> {
  const { db, collection } = storedIn(entry, version);
  const pipeline = [{ $group: { _id: 1, count: { $sum: 1 } } }];
  const command = { aggregate: collection, pipeline, cursor: {}, ...asStored(entry, version) };
  const [counted] = await client.db(db).runCursorCommand(command).toArray();
  return Number(counted?.count ?? 0);
}

async function databasesOf(client: MongoClient): Promise<string[]> {
  const { databases } = await client.db('admin').command({ listDatabases: 1, nameOnly: true });
  return databases.map(({ name }: { name: string }) => name).sort();
}

async function collectionsOf(database: Db): Promise<ListedCollection[]> {
  const documents = await database.runCursorCommand({ listCollections: 1 }, { raw: true }).toArray();
  const listed: ListedCollection[] = [];
  for (const document of documents as unknown as Uint8Array[]) {
    const { name, type, info } = BSON.deserialize(document, { promoteBuffers: true });
    const namespace = { db: database.databaseName, collection: String(name) };
    if (!isSaved(namespace)) continue;
    const options = documentIn(document, 'options');
    const indexes = type === 'view' ? [] : await indexesOf(database, namespace.collection);
    if (!indexes) continue;
    const uuid = info?.uuid instanceof Uint8Array ? Buffer.from(info.uuid).toString('hex') : undefined;
    listed.push({ ...namespace, type: typeOf(type), options, indexes, uuid });
  }
  return listed;
}

const typeOf = (type: unknown) => (type === 'view' || type === 'timeseries' ? type : 'collection');

/** `undefined` if the collection was dropped in the meantime. */
async function indexesOf(database: Db, collection: string): Promise<Uint8Array[] | undefined> {
  try {
    const listed = await database.runCursorCommand({ listIndexes: collection }, { raw: true }).toArray();
    return listed as unknown as Uint8Array[];
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return undefined;
    throw error;
  }
}
