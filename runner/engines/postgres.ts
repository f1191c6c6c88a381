/** PostgreSQL, and TimescaleDB, which is PostgreSQL with an extension. */
import type { EngineName } from '../../protocol/database.ts';
import type { InPlaceEngine } from './database-engine.ts';
import type { BrowsableEngine } from './engine.ts';
import { EngineError } from './engine-error.ts';
import { userOf } from './postgres/client-config.ts';
import { connected } from './postgres/connected.ts';
import {
  configFile,
  configText,
  optionsOf,
  settingsForMemory,
  shmSizeMb,
  withOwnLibraries,
} from './postgres/server-settings.ts';
import { openSession } from './postgres/session.ts';
import { postgresTls } from './postgres/tls-files.ts';
import { usage } from './postgres/usage.ts';

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
      // The image may declare the volume at another path (postgres:18 does); the data stays at this one.
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
        // With `log_statement = ddl` the server would log the statement and its password.
        await client.query("SET log_statement = 'none'");
        await client.query(`ALTER ROLE ${user} PASSWORD ${password}`);
      });
    },
    connect: openSession,
  };
}
