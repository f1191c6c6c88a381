/** Connections to one MongoDB. */
import { type BSONSerializeOptions, MongoClient, type MongoClientOptions } from 'mongodb';
import { type EngineAddress, type EngineEnvironment, engineTimeoutMs } from '../engine.ts';
import { engineError } from './errors.ts';

/** Beside them the driver has one more, by which it sees whether the server is there. */
const connectionsMax = 4;
const idleMs = 30_000;
/** Longer than any command may run on the server: what is silent for so long does not answer any more. */
const silenceMs = 20_000;
/** The longest that a command of ours may run. */
export const commandTimeoutMs = 10_000;

/** Values as they are stored: each number with its type, and expressions as text. */
export const exactValues: BSONSerializeOptions = {
  promoteValues: false,
  promoteBuffers: false,
  bsonRegExp: true,
  // A text that is not UTF-8 is shown with replacement characters; refusing it would hide the whole page.
  enableUtf8Validation: false,
};

export const userOf = (env: EngineEnvironment) => env.MONGO_INITDB_ROOT_USERNAME ?? '';

/** Where commands run: what the image's environment says, else where drivers go that are told nothing. */
export const databaseOf = (env: EngineEnvironment) => env.MONGO_INITDB_DATABASE || 'test';

/**
 * Connects and proves who it is.
 * @param options for work that is not done in seconds
 * @throws EngineError `unavailable`
 */
export async function openClient(
  { host, port }: EngineAddress,
  env: EngineEnvironment,
  options: Pick<MongoClientOptions, 'socketTimeoutMS'> = {},
): Promise<MongoClient> {
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
    // A change that may have happened is not sent again.
    retryWrites: false,
    ...options,
  });
  try {
    return await client.connect();
  } catch (error) {
    await client.close().catch(() => {});
    throw engineError(error);
  }
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
