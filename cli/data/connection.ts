/** How programs reach a database. */
import { Failure } from '../base/failure.ts';
import type { Session } from '../session.ts';
import type { Engine, FoundDatabase } from './databases.ts';

/** Where a database is and who logs in. */
export interface Connection {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

interface Kind {
  scheme: string;
  /** Port inside of its project. */
  port: number;
  /** Names of its variables; a constant where the engine has none. */
  user: string | { text: string };
  password: string;
  database: string | { text: string };
  query?: string;
}

const postgres: Kind = {
  scheme: 'postgresql',
  port: 5432,
  user: 'POSTGRES_USER',
  password: 'POSTGRES_PASSWORD',
  database: 'POSTGRES_DB',
};
const kinds: Record<Engine, Kind> = {
  postgres,
  timescale: postgres,
  mysql: {
    scheme: 'mysql',
    port: 3306,
    user: 'MYSQL_USER',
    password: 'MYSQL_PASSWORD',
    database: 'MYSQL_DATABASE',
  },
  redis: {
    scheme: 'redis',
    port: 6379,
    user: { text: 'default' },
    password: 'REDIS_PASSWORD',
    database: { text: '' },
  },
  mongodb: {
    scheme: 'mongodb',
    port: 27017,
    user: 'MONGO_INITDB_ROOT_USERNAME',
    password: 'MONGO_INITDB_ROOT_PASSWORD',
    database: { text: '' },
    query: '?authSource=admin&directConnection=true',
  },
  clickhouse: {
    scheme: 'http',
    port: 8123,
    user: 'CLICKHOUSE_USER',
    password: 'CLICKHOUSE_PASSWORD',
    database: 'CLICKHOUSE_DB',
  },
};

/**
 * From the variables of the database, as references of the API do it (docs/guide/databases.md).
 * @param isPublic for other machines, else for containers of its project
 * @throws Failure when the database is not public, or the key may not read its password
 */
export async function connectionOf(
  { client }: Session,
  { service, engine }: FoundDatabase,
  isPublic: boolean,
): Promise<Connection> {
  if (isPublic && !service.databasePublicEnabled)
    throw new Failure(
      `${service.slug} is reached from its host only. Open its port: longshore api PATCH /api/services/${service.id} '{"databasePublicEnabled":true}' && longshore deploy ${service.id} --wait`,
      { code: 'not_public' },
    );
  const { env, publicIp } = await client.call('GET /api/services/:serviceId/overview', {
    params: { serviceId: service.id },
  });
  const kind = kinds[engine];
  const read = (from: string | { text: string }) => {
    if (typeof from !== 'string') return from.text;
    const value = env.find(({ key }) => key === from)?.resolvedValue ?? '';
    if (value !== '') return value;
    throw new Failure(`This key may not read ${from} of ${service.slug}: use a key that may write.`);
  };
  return {
    host: isPublic ? service.databasePublicHostname || publicIp : service.slug,
    port: isPublic ? service.hostPort : kind.port,
    user: read(kind.user),
    password: read(kind.password),
    database: read(kind.database),
  };
}

/** User and password are percent-encoded. */
export function urlOf(engine: Engine, { host, port, user, password, database }: Connection): string {
  const { scheme, query = '' } = kinds[engine];
  const [name, secret, path] = [user, password, database].map(encodeURIComponent);
  const address = host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${name}:${secret}@${address}:${port}${path || query ? `/${path}` : ''}${query}`;
}

/** A program with its arguments. The password is in its environment, never in an argument that other users see. */
export interface Program {
  name: string;
  args: string[];
  env: Record<string, string>;
}

/** The engine's own program, for a terminal. */
export function shellProgram(engine: Engine, connection: Connection): Program {
  const { host, user, password, database } = connection;
  const port = String(connection.port);
  switch (engine) {
    case 'postgres':
    case 'timescale':
      return {
        name: 'psql',
        args: ['-h', host, '-p', port, '-U', user, '-d', database],
        env: { PGPASSWORD: password },
      };
    case 'mysql':
      return {
        name: 'mysql',
        args: ['-h', host, '-P', port, '-u', user, database],
        env: { MYSQL_PWD: password },
      };
    case 'redis':
      return { name: 'redis-cli', args: ['-h', host, '-p', port], env: { REDISCLI_AUTH: password } };
    case 'mongodb': {
      const connect = 'db = connect(process.env.LONGSHORE_DATABASE_URL)';
      return {
        name: 'mongosh',
        args: ['--nodb', '--quiet', '--shell', '--eval', connect],
        env: { LONGSHORE_DATABASE_URL: urlOf(engine, connection) },
      };
    }
    case 'clickhouse':
      // Speaks the native port, which only its container has: the public one is HTTP.
      return {
        name: 'clickhouse-client',
        args: ['--host', host, '--database', database],
        env: { CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password },
      };
  }
}

/** How Debian and Ubuntu install the program. */
export const installCommands: Record<Engine, string> = {
  postgres: 'apt install postgresql-client',
  timescale: 'apt install postgresql-client',
  mysql: 'apt install default-mysql-client',
  redis: 'apt install redis-tools',
  mongodb: 'npm install --global mongosh',
  clickhouse: 'apt install clickhouse-client',
};
