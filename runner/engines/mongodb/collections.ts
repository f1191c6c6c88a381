/** What collections there are. Names of them are always compared with these, and never made into anything else. */
import type { Collection, MongoClient } from 'mongodb';
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import { EngineError } from '../engine-error.ts';
import { commandTimeoutMs } from './client.ts';

/** The server's own. */
export const hiddenDatabases: ReadonlySet<string> = new Set(['admin', 'config', 'local']);
/** Views, profiles and buckets of time series: kept by the server. */
export const isHiddenCollection = (name: string) => name.startsWith('system.');

/** What is larger is estimated. */
const exactMax = 100_000;
/** All counts of a list together; what is left then is estimated. */
const listTimeoutMs = 8_000;
/** Of the connections, so that other questions are answered meanwhile. */
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
      const rowCount = await (isLate ? estimate(collection) : countOf(collection));
      const { dbName: schema, collectionName: name } = collection;
      tables[place] = { id: `${schema}.${name}`, name, schema, rowCount };
    }
  };
  await Promise.all(Array.from({ length: countsAtOnce }, countRest));
  return { tables };
}

/** @throws EngineError `not_found` */
export async function findCollection(client: MongoClient, id: string): Promise<Collection> {
  // A database's name holds no dot; a collection's may.
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

/** Exact up to a bound, beyond which nothing is read. */
export async function countOf(collection: Collection): Promise<number> {
  const estimated = await estimate(collection);
  if (estimated > exactMax) return estimated;
  const exact = await collection.countDocuments({}, { limit: exactMax + 1, maxTimeMS });
  return exact > exactMax ? Math.max(exact, estimated) : exact;
}

/** Of the collection's metadata: at once, and wrong after a crash. */
const estimate = (collection: Collection) => collection.estimatedDocumentCount({ maxTimeMS });

async function databaseNames(client: MongoClient): Promise<string[]> {
  const { databases } = await client.db('admin').command({ listDatabases: 1, nameOnly: true, maxTimeMS });
  const names: string[] = databases.map(({ name }: { name: string }) => name);
  return names.filter((name) => !hiddenDatabases.has(name)).sort();
}
