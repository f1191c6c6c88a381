/** MongoDB. Its users are stored in the data, in the database `admin`. */
import type { VolumeEngine } from './database-engine.ts';
import { type EngineAddress, type EngineEnvironment, type EngineSession, engineTimeoutMs } from './engine.ts';
import { EngineError } from './engine-error.ts';
import { commandTimeoutMs, databaseOf, openClient, userOf, withClient } from './mongodb/client.ts';
import { tablesOf } from './mongodb/collections.ts';
import { deleteDocument, insertDocument, updateDocument } from './mongodb/edit.ts';
import { changing, inOurWords } from './mongodb/errors.ts';
import { reserveOwnWay } from './mongodb/own-way.ts';
import { runtimeParameters } from './mongodb/parameters.ts';
import { runCommand } from './mongodb/query.ts';
import {
  assertOnlyMember,
  becomePrimary,
  keyFile,
  newKey,
  oplogBytes,
  replicaSetArguments,
} from './mongodb/replica-set.ts';
import { pageOf } from './mongodb/rows.ts';

const maxTimeMS = engineTimeoutMs;

export const mongodb: VolumeEngine = {
  name: 'mongodb',
  credentialsIn: 'data',
  errorLine: /"s":"F"|^Error parsing|^BadValue/,
  container({ env, memoryLimitMb, chosen }) {
    const fromMemory = settingsForMemory(memoryLimitMb, chosen);
    const options = Object.entries({ ...fromMemory, ...chosen });
    const hasUsers = userOf(env) !== '';
    return {
      port: 27017,
      dataDirectory: '/data/db',
      command: [
        'mongod',
        ...replicaSetArguments(hasUsers),
        ...options.flatMap(([name, value]) => [`--${name}`, value]),
      ],
      stopSignal: undefined,
      env: { ...env },
      files: {},
      ...(hasUsers ? { keyFile: { ...keyFile, text: newKey() } } : {}),
      fromMemory,
    };
  },
  ping: (address, env) =>
    withClient(address, env, async (client) => {
      await client.db('admin').command({ listDatabases: 1, nameOnly: true, maxTimeMS });
    }),
  liveSettings: {
    read: runtimeParameters,
    notKept: (names) =>
      `Parameters set with setParameter are left out, and end with a restore, which restarts the server: ${names}.`,
  },
  loadLogBytesMax: oplogBytes,
  assertAlone: (address, env) => withClient(address, env, assertOnlyMember),
  settle: (address, env, host) =>
    withClient(address, env, async (client) => {
      await becomePrimary(client, host);
      await reserveOwnWay(client);
    }),
  async changeCredentials(address, before, after) {
    if (userOf(before) !== userOf(after)) {
      throw new EngineError(
        'unsupported',
        'MONGO_INITDB_ROOT_USERNAME cannot be changed after the first start: set it back, and create another user with createUser.',
      );
    }
    const pwd = after.MONGO_INITDB_ROOT_PASSWORD ?? '';
    if (before.MONGO_INITDB_ROOT_PASSWORD === pwd) return;
    await withClient(address, before, async (client) => {
      await client.db('admin').command({ updateUser: userOf(after), pwd, maxTimeMS });
    });
  },
  connect: openSession,
  restore: 'volume',
  data: async () => (await import('./mongodb/data.ts')).mongoData,
};

/**
 * MongoDB's own rule, half of the memory above 1 GB and at least 256 MB, applied to the container instead of the host:
 * https://www.mongodb.com/docs/manual/reference/configuration-options/#mongodb-setting-storage.wiredTiger.engineConfig.cacheSizeGB
 */
function settingsForMemory(
  memoryLimitMb: number | null,
  { wiredTigerCacheSizeGB }: Readonly<Record<string, string>>,
): Record<string, string> {
  if (memoryLimitMb === null || wiredTigerCacheSizeGB !== undefined) return {};
  const gigabytes = Math.max(0.25, (memoryLimitMb / 1024 - 1) / 2);
  return { wiredTigerCacheSizeGB: String(Math.floor(gigabytes * 100) / 100) };
}

/**
 * Queries on one MongoDB server.
 * @throws EngineError `unavailable` when it does not answer or refuses the credentials
 */
async function openSession(address: EngineAddress, env: EngineEnvironment): Promise<EngineSession> {
  const client = await openClient(address, env);
  const database = databaseOf(env);
  const asked = <T>(ask: () => Promise<T>) => inOurWords(ask, commandTimeoutMs);
  const changed = <T>(ask: () => Promise<T>) => changing(ask, commandTimeoutMs);
  return {
    tables: () => asked(() => tablesOf(client)),
    rows: (ask) => asked(() => pageOf(client, ask)),
    query: ({ text }, caps) => changed(() => runCommand(client, { text, database }, caps)),
    insert: (ask) => changed(() => insertDocument(client, ask)),
    update: (ask) => changed(() => updateDocument(client, ask)),
    delete: (ask) => changed(() => deleteDocument(client, ask)),
    close: () => client.close().catch(() => {}),
  };
}
