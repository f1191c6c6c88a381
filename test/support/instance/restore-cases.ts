/** The data of each engine's database for a restore, and the way in which all of it is lost before. */
import type { EngineName } from '../../../protocol/database.ts';
import type { EngineAddress, EngineEnvironment } from '../../../runner/engines/engine.ts';
import {
  postgres as postgresEngine,
  timescale as timescaleEngine,
} from '../../../runner/engines/postgres.ts';
import {
  asked as askedClickhouse,
  fixture as clickhouseFixture,
} from '../../runner/engines/clickhouse-fixture.ts';
import type { EngineFixture } from '../../runner/engines/engine-contract.ts';
import { mongoFixture, withMongo } from '../../runner/engines/mongodb-fixture.ts';
import { asRoot, mysqlFixture } from '../../runner/engines/mysql-fixture.ts';
import { asked, postgresFixture } from '../../runner/engines/postgres-fixture.ts';
import { redisFixture, withClient } from '../../runner/engines/redis-fixture.ts';

export interface RestoreCase {
  engine: EngineName;
  /** The service gets its environment, and its data is backed up. */
  fixture: Pick<EngineFixture, 'env' | 'fill'>;
  /** Drops everything. */
  destroy(address: EngineAddress, env: EngineEnvironment): Promise<void>;
}

const postgres: RestoreCase = {
  engine: 'postgres',
  fixture: postgresFixture(postgresEngine, 'postgres:17'),
  destroy: (address, env) =>
    asked(
      address,
      async (client) => {
        const { rows } = await client.query<{ name: string }>(
          "SELECT quote_ident(nspname) AS name FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema|_?timescaledb)'",
        );
        await client.query(`DROP SCHEMA ${rows.map(({ name }) => name).join(', ')} CASCADE`);
        await client.query('CREATE SCHEMA public');
      },
      env,
    ),
};

const hypertables = `
  CREATE EXTENSION IF NOT EXISTS timescaledb;
  CREATE TABLE readings (at timestamptz NOT NULL, device int, celsius float8);
  SELECT create_hypertable('readings', 'at', chunk_time_interval => interval '1 day');
  INSERT INTO readings SELECT timestamptz '2026-01-01' + n * interval '1 hour', n % 3, n FROM generate_series(0, 99) n;
`;

const timescale: RestoreCase = {
  engine: 'timescale',
  fixture: {
    env: postgres.fixture.env,
    async fill(address, env) {
      await postgresFixture(timescaleEngine, '').fill(address, env);
      await asked(address, async (client) => void (await client.query(hypertables)), env);
    },
  },
  destroy: postgres.destroy,
};

const mysql: RestoreCase = {
  engine: 'mysql',
  fixture: mysqlFixture,
  destroy: (address, env) =>
    asRoot(address, env, async (connection) => {
      const [rows] = await connection.query('SHOW DATABASES');
      const own = ['mysql', 'sys', 'information_schema', 'performance_schema'];
      for (const { Database } of rows as { Database: string }[])
        if (!own.includes(Database))
          // With `??`, the driver would treat a dot as the border between two names.
          await connection.query(`DROP DATABASE \`${Database.replaceAll('`', '``')}\``);
    }),
};

const redis: RestoreCase = {
  engine: 'redis',
  fixture: redisFixture,
  destroy: (address, env) => withClient(address, env, async (client) => void (await client.flushall())),
};

const mongodb: RestoreCase = {
  engine: 'mongodb',
  fixture: mongoFixture,
  destroy: (address, env) =>
    withMongo(address, env, async (client) => {
      const { databases } = await client.db('admin').admin().listDatabases();
      for (const { name } of databases)
        if (!['admin', 'config', 'local'].includes(name)) await client.db(name).dropDatabase();
    }),
};

const quoted = (name: string) => `\`${name.replace(/[\\`]/g, '\\$&')}\``;

const clickhouse: RestoreCase = {
  engine: 'clickhouse',
  fixture: clickhouseFixture,
  destroy: (address, env) =>
    askedClickhouse(address, env, async (client) => {
      const named = async (query: string) =>
        await (await client.query({ query, format: 'JSONEachRow' })).json<{ name: string }>();
      const own = `('system', 'INFORMATION_SCHEMA', 'information_schema', currentDatabase())`;
      for (const { name } of await named(`SELECT name FROM system.databases WHERE name NOT IN ${own}`))
        await client.command({ query: `DROP DATABASE ${quoted(name)} SYNC` });
      // The client is connected to its own database; inner tables are dropped with their views.
      const tables = `SELECT name FROM system.tables WHERE database = currentDatabase() AND name NOT LIKE '.inner%'`;
      for (const { name } of await named(tables))
        await client.command({ query: `DROP TABLE IF EXISTS ${quoted(name)} SYNC` });
    }),
};

export const restoreCases = { postgres, timescale, mysql, redis, mongodb, clickhouse };
