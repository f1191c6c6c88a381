/**
 * Reads all collections from one snapshot: https://www.mongodb.com/docs/manual/reference/read-concern-snapshot/ The first read chooses the
 * moment, as in drivers: https://github.com/mongodb/specifications/blob/master/source/sessions/snapshot-sessions.md
 */
import type { Document, MongoClient } from 'mongodb';
import { isAccounts } from './catalog.ts';
import { storedIn } from './format.ts';
import type { ListedCollection } from './metadata.ts';
import { elementsOf } from './ordered-json.ts';

/** MongoDB 5.0 has the first snapshot reads outside of transactions. */
const wireVersionMin = 13;
/** The time that the server keeps the history for such reads: as long as a job may take. Its default is 5 minutes. */
const historySeconds = 6 * 3_600;
const parameter = 'minSnapshotHistoryWindowInSeconds';

/** The fields to add to a read of this collection. */
export type Moment = (one: ListedCollection) => Document;

const none: Moment = () => ({});

/** Keeps the server's history while `use` runs. A server outside of a replica set, or older than 5.0, has no history to keep. */
export async function keepingHistory<T>(client: MongoClient, use: (hasHistory: boolean) => Promise<T>) {
  const admin = client.db('admin');
  const { setName, maxWireVersion } = await admin.command({ hello: 1 });
  if (setName === undefined || maxWireVersion < wireVersionMin) return await use(false);
  const { [parameter]: before } = await admin.command({ getParameter: 1, [parameter]: 1 });
  try {
    // A killed backup may have left the long value, so the smaller of the two is restored.
    await admin.command({ setParameter: 1, [parameter]: historySeconds });
    return await use(true);
  } finally {
    const seconds = before === historySeconds ? defaultSeconds : before;
    await admin.command({ setParameter: 1, [parameter]: seconds }).catch(() => {});
  }
}

const defaultSeconds = 300;

/** Chooses the moment of the snapshot. If no collection can be read from a snapshot, there is nothing to choose. */
export async function chooseMoment(
  client: MongoClient,
  listed: readonly ListedCollection[],
  version: string,
): Promise<Moment> {
  const first = listed.find(hasMoments);
  if (!first) return none;
  const { db, collection: find } = storedIn(first, version);
  const command = { find, limit: 1, singleBatch: true, projection: { _id: 1 } };
  const { cursor } = await client.db(db).command({ ...command, readConcern: { level: 'snapshot' } });
  const readConcern = { level: 'snapshot', atClusterTime: cursor.atClusterTime };
  return (one) => (hasMoments(one) ? { readConcern } : {});
}

/** Servers before 8.0 refuse such reads of capped collections. `admin` holds the users, which change rarely. */
function hasMoments(one: ListedCollection): boolean {
  const isCapped = elementsOf(one.options).some(({ name }) => name === 'capped');
  return one.type !== 'view' && one.db !== 'admin' && !isAccounts(one) && !isCapped;
}
