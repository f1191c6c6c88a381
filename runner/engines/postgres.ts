/** PostgreSQL, and TimescaleDB, which is PostgreSQL with an extension. */
import type { EngineName } from '../../protocol/database.ts';
import type { InPlaceEngine } from './database-engine.ts';
import type { BrowsableEngine, EngineAddress, EngineEnvironment, EngineSession, Usage } from './engine.ts';
import { EngineError } from './engine-error.ts';
import { clientConfig, userOf } from './postgres/client-config.ts';
import { connected } from './postgres/connected.ts';
import { openConnections } from './postgres/connections.ts';
import { deleteRow, insertRow, updateRow } from './postgres/edit.ts';
import { runQuery } from './postgres/query.ts';
import { ReplicationClient } from './postgres/replication-slot.ts';
import { pageOf, tablesOf } from './postgres/rows.ts';
import {
  configFile,
  configText,
  optionsOf,
  settingsForMemory,
  shmSizeMb,
  withOwnLibraries,
} from './postgres/server-settings.ts';
import { postgresTls } from './postgres/tls-files.ts';

export const postgres: InPlaceEngine = {
  ...postgresEngine('postgres'),
  restore: 'in-place',
  data: async () => (await import('./postgres/data.ts')).postgresData,
};

export const timescale: InPlaceEngine = {
  ...postgresEngine('timescale'),
  restore: 'in-place',
  data: async () => (await import('./postgres/data.ts')).timescaleData,
};

const dataDirectory = '/var/lib/postgresql/data';
const pgData = `${dataDirectory}/pgdata`;

function postgresEngine(name: EngineName): BrowsableEngine {
  return {
    name,
    credentialsIn: 'data',
    errorLine: /\b(FATAL|PANIC): /,
    container: ({ env, logicalReplication, memoryLimitMb, chosen }) => ({
      port: 5432,
      dataDirectory,
      command: [
        'postgres',
        ...optionsOf({ config_file: configFile, ...(logicalReplication ? { wal_level: 'logical' } : {}) }),
        ...optionsOf(withOwnLibraries(name, chosen)),
      ],
      // "Fast shutdown": ends open sessions and writes a checkpoint. https://www.postgresql.org/docs/17/server-shutdown.html
      stopSignal: 'SIGINT',
      // The image may declare another path for the volume (postgres:18 does); the data stays at this path.
      env: { ...env, PGDATA: pgData },
      files: { [configFile]: configText(pgData, settingsForMemory(memoryLimitMb, chosen)) },
      fromMemory: settingsForMemory(memoryLimitMb, chosen),
      shmSizeMb: shmSizeMb(memoryLimitMb),
      tls: postgresTls,
    }),
    ping: (address, env) => connected(address, env, async (client) => void (await client.query('SELECT 1'))),
    usage,
    async changeCredentials(address, before, after) {
      for (const key of ['POSTGRES_USER', 'POSTGRES_DB'] as const) {
        if (before[key] === after[key]) continue;
        throw new EngineError(
          'unsupported',
          `${key} cannot be changed after the first start: set it back, and create another one with SQL.`,
        );
      }
      if (before.POSTGRES_PASSWORD === after.POSTGRES_PASSWORD) return;
      await connected(address, before, async (client) => {
        const user = client.escapeIdentifier(userOf(after));
        const password = client.escapeLiteral(after.POSTGRES_PASSWORD ?? '');
        // The server would log the statement and its password with `log_statement = ddl`.
        await client.query("SET log_statement = 'none'");
        await client.query(`ALTER ROLE ${user} PASSWORD ${password}`);
      });
    },
    connect: openSession,
  };
}

/**
 * Queries on one PostgreSQL server.
 * @throws EngineError `unavailable` when it does not answer or refuses the credentials
 */
async function openSession(address: EngineAddress, env: EngineEnvironment): Promise<EngineSession> {
  const connections = openConnections(clientConfig(address, env));
  try {
    await connections.reading((client) => client.query('SELECT 1'));
  } catch (error) {
    await connections.close();
    throw error;
  }
  const user = userOf(env);
  return {
    tables: () => tablesOf(connections),
    rows: (ask) => pageOf(connections, ask),
    query: ({ text }, caps) => runQuery(connections, { text, user }, caps),
    insert: (ask) => insertRow(connections, ask),
    update: (ask) => updateRow(connections, ask),
    delete: (ask) => deleteRow(connections, ask),
    close: () => connections.close(),
  };
}

/** The users of the server's connections, read through a place for replication. @throws EngineError */
function usage(address: EngineAddress, env: EngineEnvironment): Promise<Usage> {
  return connected(
    address,
    env,
    async (client) => {
      const { rows } = await client.query<{ max: number; name: string; count: number }>(
        `SELECT current_setting('max_connections')::int AS max, usename AS name, count(*)::int AS count
          FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend' AND usename IS NOT NULL
          GROUP BY usename ORDER BY 3 DESC, 2`,
      );
      return { max: rows[0]?.max ?? 0, users: rows.map(({ name, count }) => ({ name, count })) };
    },
    ReplicationClient,
  );
}
