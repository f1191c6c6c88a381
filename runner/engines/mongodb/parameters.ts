/** Parameters that clients set in the running server: https://www.mongodb.com/docs/manual/reference/command/setParameter/ */
import { BSON, type Document, type MongoClient } from 'mongodb';
import { type EngineAddress, type EngineEnvironment, engineTimeoutMs } from '../engine.ts';
import { withClient } from './client.ts';
import { overrideParameter } from './own-way.ts';

/** https://www.mongodb.com/docs/manual/reference/command/getParameter/, from version 4.4 */
const allParameters = {
  getParameter: { showDetails: true, allParameters: true },
  maxTimeMS: engineTimeoutMs,
};
/** Fields that every answer has. */
const ofAnswers = /^(\$|ok$|operationTime$)/;

/** The values that can be changed at run time, by name. @throws EngineError */
export async function runtimeParameters(
  address: EngineAddress,
  env: EngineEnvironment,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  await withClient(address, env, async (client) => {
    for (const [name, shown] of Object.entries(await client.db('admin').command(allParameters))) {
      if (ofAnswers.test(name) || name === overrideParameter) continue;
      const { value, settableAtRuntime } = detailsOf(shown);
      if (settableAtRuntime) found[name] = BSON.EJSON.stringify(value);
    }
  });
  return found;
}

/** Servers of other makers may answer with the value alone. */
const detailsOf = (shown: unknown): { value: unknown; settableAtRuntime: boolean } =>
  typeof shown === 'object' && shown !== null && 'value' in shown && 'settableAtRuntime' in shown
    ? { value: shown.value, settableAtRuntime: shown.settableAtRuntime === true }
    : { value: shown, settableAtRuntime: true };

/**
 * Names of the set parameters of the whole replica set. The server stores them in a collection that dumps leave out.
 * https://www.mongodb.com/docs/manual/reference/command/setClusterParameter/
 */
export async function clusterParameters(client: MongoClient): Promise<string[]> {
  const stored = client.db('config').collection<Document & { _id: string }>('clusterParameters');
  const found = await stored.find({}, { projection: { _id: 1 } }).toArray();
  return found.map(({ _id }) => String(_id)).sort();
}

/** Settings of setFeatureCompatibilityVersion and setDefaultRWConcern, which are stored in collections that dumps leave out. */
export interface ServerDefaults {
  /** `undefined` for the server's own version. */
  compatibility: string | undefined;
  hasDefaultConcern: boolean;
}

/**
 * https://www.mongodb.com/docs/manual/reference/command/setFeatureCompatibilityVersion/
 * https://www.mongodb.com/docs/manual/reference/command/setDefaultRWConcern/
 * @param version of the server, such as 7.0.14
 */
export async function serverDefaults(client: MongoClient, version: string): Promise<ServerDefaults> {
  const one = (db: string, collection: string, _id: string) =>
    client.db(db).collection<Document & { _id: string }>(collection).findOne({ _id });
  const stored = (await one('admin', 'system.version', 'featureCompatibilityVersion'))?.version;
  const isOwn = stored === undefined || version.startsWith(`${stored}.`);
  return {
    compatibility: isOwn ? undefined : String(stored),
    hasDefaultConcern: (await one('config', 'settings', 'ReadWriteConcernDefaults')) !== null,
  };
}
