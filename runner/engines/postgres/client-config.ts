import type pg from 'pg';
import { type EngineAddress, type EngineEnvironment, engineTimeoutMs } from '../engine.ts';

/** The role that the image creates, a superuser. https://hub.docker.com/_/postgres, "POSTGRES_USER" */
export const userOf = (env: EngineEnvironment) => env.POSTGRES_USER || 'postgres';

/** The service's database. */
export const databaseOf = (env: EngineEnvironment) => env.POSTGRES_DB || userOf(env);

/** The settings of every connection from the runner to the server. */
export function clientConfig({ host, port }: EngineAddress, env: EngineEnvironment): pg.ClientConfig {
  return {
    host,
    port,
    user: userOf(env),
    password: env.POSTGRES_PASSWORD,
    database: databaseOf(env),
    application_name: 'longshore',
    connectionTimeoutMillis: engineTimeoutMs,
    ssl: false,
  };
}
