/** How programs reach a database. */
import { Failure } from '../base/failure.ts';
import type { Engine, FoundDatabase } from '../names/databases.ts';
import type { Session } from '../session.ts';

/** The variable that has the URL; that of a public database ends with `_PUBLIC`. */
const urlVariables: Record<Engine, string> = {
  postgres: 'DATABASE_URL',
  timescale: 'DATABASE_URL',
  mysql: 'DATABASE_URL',
  redis: 'REDIS_URL',
  mongodb: 'MONGODB_URL',
  clickhouse: 'CLICKHOUSE_URL',
};

/** @throws Failure when the database is not public, or the key may not read the URL */
export async function connectionUrl(
  { client }: Session,
  { service, engine }: FoundDatabase,
  isPublic: boolean,
): Promise<string> {
  const key = urlVariables[engine] + (isPublic ? '_PUBLIC' : '');
  const { env } = await client.call('GET /api/services/:serviceId/env', {
    params: { serviceId: service.id },
  });
  const variable = env.find((one) => one.key === key);
  if (variable === undefined && isPublic)
    throw new Failure(
      `${service.slug} is reached from its host only. Open its port: longshore api PATCH /api/services/${service.id} '{"databasePublicEnabled":true}' && longshore deploy ${service.id} --wait`,
    );
  if (variable === undefined) throw new Failure(`${service.slug} has no variable ${key}.`);
  if (variable.resolvedValue === '')
    throw new Failure(`This key may not read ${key}: use a key that may write.`);
  return variable.resolvedValue;
}

/** A program with its arguments. The password is in its environment, never in an argument that other users see. */
export interface Program {
  name: string;
  args: string[];
  env: Record<string, string>;
}

/** The engine's own program for a URL. @param at another address than that of the URL */
export function shellProgram(engine: Engine, url: string, at?: { host: string; port?: string }): Program {
  const parsed = new URL(url);
  const user = decodeURIComponent(parsed.username);
  const password = decodeURIComponent(parsed.password);
  const database = decodeURIComponent(parsed.pathname.slice(1));
  const host = at?.host ?? parsed.hostname;
  const port = at === undefined ? parsed.port : (at.port ?? '');
  const address = ['-h', host, ...(port ? [engine === 'mysql' ? '-P' : '-p', port] : [])];
  switch (engine) {
    case 'postgres':
    case 'timescale': {
      const sslMode = at === undefined ? parsed.searchParams.get('sslmode') : null;
      const env = { PGPASSWORD: password, ...(sslMode ? { PGSSLMODE: sslMode } : {}) };
      return { name: 'psql', args: [...address, '-U', user, '-d', database], env };
    }
    case 'mysql':
      return { name: 'mysql', args: [...address, '-u', user, database], env: { MYSQL_PWD: password } };
    case 'redis': {
      const tls = at === undefined && parsed.protocol === 'rediss:' ? ['--tls', '--insecure'] : [];
      const login = user === '' || user === 'default' ? [] : ['--user', user];
      return { name: 'redis-cli', args: [...address, ...login, ...tls], env: { REDISCLI_AUTH: password } };
    }
    case 'mongodb': {
      if (at !== undefined) parsed.host = at.host + (at.port ? `:${at.port}` : '');
      const connect = 'db = connect(process.env.LONGSHORE_DATABASE_URL)';
      return {
        name: 'mongosh',
        args: ['--nodb', '--quiet', '--shell', '--eval', connect],
        env: { LONGSHORE_DATABASE_URL: parsed.href },
      };
    }
    case 'clickhouse':
      return {
        name: 'clickhouse-client',
        args: ['--host', host, ...(database ? ['--database', database] : [])],
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
