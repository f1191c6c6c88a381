/** Connections to one MongoDB server. */
import { type BSONSerializeOptions, MongoClient, type MongoClientOptions } from 'mongodb';
import { type EngineAddress, type EngineEnvironment, engineTimeoutMs } from '../engine.ts';
import { engineError } from './errors.ts';
import { fullOf } from './is-full.ts';
import { reserveOwnWay } from './own-way.ts';

/** The driver has one more connection, with which it monitors the server. */
const connectionsMax = 4;
const idleMs = 30_000;
/** Longer than any command may run on the server. A server that is silent for this long no longer answers. */
const silenceMs = 20_000;
/** The time limit of our own commands. */
export const commandTimeoutMs = 10_000;

/** Returns values in their stored form: each number with its type, and regular expressions as text. */
export const exactValues: BSONSerializeOptions = {
  promoteValues: false,
  promoteBuffers: false,
  bsonRegExp: true,
  // Text that is not UTF-8 is shown with replacement characters. Refusing it would hide the whole page.
  enableUtf8Validation: false,
};

export const userOf = (env: EngineEnvironment) => env.MONGO_INITDB_ROOT_USERNAME ?? '';

/** The database in which commands run: the one in the image's environment, or the drivers' default. */
export const databaseOf = (env: EngineEnvironment) => env.MONGO_INITDB_DATABASE || 'test';

/**
 * Connects and signs in.
 * @param options for long-running work
 * @throws EngineError `unavailable`
 */
export async function openClient(
  address: EngineAddress,
  env: EngineEnvironment,
  options: Pick<MongoClientOptions, 'socketTimeoutMS'> = {},
): Promise<MongoClient> {
  const { host, port } = address;
  const username = userOf(env);
  const password = env.MONGO_INITDB_ROOT_PASSWORD ?? '';
  const client = new MongoClient(`mongodb://${host.includes(':') ? `[${host}]` : host}:${port}/`, {
    ...(username && { auth: { username, password }, authSource: 'admin' }),
    appName: 'longshore',
    directConnection: true,
    maxPoolSize: connectionsMax,
    maxIdleTimeMS: idleMs,
    serverMonitoringMode: 'poll',
    serverSelectionTimeoutMS: engineTimeoutMs,
    connectTimeoutMS: engineTimeoutMs,
    waitQueueTimeoutMS: engineTimeoutMs,
    socketTimeoutMS: silenceMs,
    // A change that may already have happened is not sent again.
    retryWrites: false,
    ...options,
  });
  try {
    await client.connect();
  } catch (error) {
    await client.close().catch(() => {});
    const reason = engineError(error);
    throw (reason.code === 'unavailable' && (await fullOf(address, error))) || reason;
  }
  // The server may have restarted since the last client. The call is not awaited.
  void reserveOwnWay(client);
  return client;
}

/** @throws EngineError */
export async function withClient(
  address: EngineAddress,
  env: EngineEnvironment,
  use: (client: MongoClient) => Promise<void>,
): Promise<void> {
  const client = await openClient(address, env);
  try {
    await use(client);
  } catch (error) {
    throw engineError(error);
  } finally {
    await client.close().catch(() => {});
  }
}
