/** Lists the collections. Names from requests are only compared with these, never used in any other way. */
import { type Collection, type MongoClient, MongoServerError } from 'mongodb';
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import { EngineError } from '../engine-error.ts';
import { commandTimeoutMs } from './client.ts';
import { engineError } from './errors.ts';

/** The server's own databases. */
export const hiddenDatabases: ReadonlySet<string> = new Set(['admin', 'config', 'local']);
/** Views, profiles and buckets of time series, which the server manages. */
export const isHiddenCollection = (name: string) => name.startsWith('system.');

/** Counts above this are estimated. */
const exactMax = 100_000;
/** The limit for all counts of a list together. Collections that are not counted by then are estimated. */
const listTimeoutMs = 8_000;
/** Fewer than the connections, so that other queries can run. */
const countsAtOnce = 2;
const maxTimeMS = commandTimeoutMs;

export async function tablesOf(client: MongoClient): Promise<DatabaseAnswerOf<'tables'>> {
  const deadline = performance.now() + listTimeoutMs;
  const found: Collection[] = [];
  for (const database of await databaseNames(client)) {
    const listed = client.db(database).listCollections({}, { nameOnly: true, maxTimeMS });
    const names = (await listed.toArray())
      .map(({ name }) => name)
      .filter((name) => !isHiddenCollection(name));
    found.push(...names.sort().map((name) => client.db(database).collection(name)));
  }
  const tables: DatabaseAnswerOf<'tables'>['tables'] = [];
  const rest = found.entries();
  const countRest = async () => {
    for (const [place, collection] of rest) {
      const isLate = performance.now() > deadline;
      const counted = isLate ? estimate(collection) : countOf(collection);
      const rowCount = await counted.catch(noneIfBroken);
      const { dbName: schema, collectionName: name } = collection;
      tables[place] = { id: `${schema}.${name}`, name, schema, rowCount };
    }
  };
  await Promise.all(Array.from({ length: countsAtOnce }, countRest));
  return { tables };
}

/** @throws EngineError `not_found` */
export async function findCollection(client: MongoClient, id: string): Promise<Collection> {
  // A database's name can't contain a dot; a collection's name can.
  const [database = '', ...parts] = id.split('.');
  const name = parts.join('.');
  const canBe = !isHiddenCollection(name) && !id.includes('\0');
  if (canBe && (await databaseNames(client)).includes(database)) {
    const listed = client.db(database).listCollections({ name }, { nameOnly: true, maxTimeMS });
    if ((await listed.toArray()).some((one) => one.name === name))
      return client.db(database).collection(name);
  }
  throw new EngineError(
    'not_found',
    `There is no collection ${JSON.stringify(id)}: it is "<database>.<collection>".`,
  );
}

/** The count is exact up to a limit; nothing is read beyond it. */
export async function countOf(collection: Collection): Promise<number> {
  const estimated = await estimate(collection);
  if (estimated > exactMax) return estimated;
  const exact = await collection.countDocuments({}, { limit: exactMax + 1, maxTimeMS });
  return exact > exactMax ? Math.max(exact, estimated) : exact;
}

/** A view whose pipeline fails counts as 0 and doesn't stop the list. */
function noneIfBroken(error: unknown): number {
  if (error instanceof MongoServerError && engineError(error).code !== 'unavailable') return 0;
  throw error;
}

/** The count in the collection's metadata: fast, but wrong after a crash. */
const estimate = (collection: Collection) => collection.estimatedDocumentCount({ maxTimeMS });

async function databaseNames(client: MongoClient): Promise<string[]> {
  const { databases } = await client.db('admin').command({ listDatabases: 1, nameOnly: true, maxTimeMS });
  const names: string[] = databases.map(({ name }: { name: string }) => name);
  return names.filter((name) => !hiddenDatabases.has(name)).sort();
}
