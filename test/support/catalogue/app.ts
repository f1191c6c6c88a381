/** The notation of a published app: its services in the form of the API. */

/** Replaces a value that a person would create with `openssl rand -hex 32`. */
export const secret = 'a-secret-of-the-test-0123456789abcdef';

export interface CatalogueService {
  /** Absent: a database; this name is its engine. */
  image?: string;
  engine?: 'postgres' | 'mysql' | 'redis' | 'mongodb' | 'clickhouse';
  /** Absent: a worker, without a route. */
  port?: number;
  env?: Record<string, string>;
  /** Names in the container that are not valid keys. */
  names?: Record<string, string>;
  /** Paths by name. */
  volumes?: Record<string, string>;
  /** Contents by path. */
  files?: Record<string, string>;
  schedules?: Record<string, string>;
  /** Other fields of the service. */
  more?: object;
}

export interface CatalogueApp {
  name: string;
  /** The original template. */
  from: string;
  services: Record<string, CatalogueService>;
}

export const app = (
  name: string,
  from: string,
  services: Record<string, CatalogueService>,
): CatalogueApp => ({
  name,
  from,
  services,
});

export const postgres = (database = 'app', more: CatalogueService = {}): CatalogueService => ({
  engine: 'postgres',
  env: { POSTGRES_USER: 'app', POSTGRES_DB: database },
  ...more,
});
export const mysql = (database = 'app'): CatalogueService => ({
  engine: 'mysql',
  env: { MYSQL_USER: 'app', MYSQL_PASSWORD: secret, MYSQL_DATABASE: database },
});
export const redis: CatalogueService = { engine: 'redis' };

/** Variables for the connection to a database, with the names that an app reads. */
export const connection = (
  [host, user, password, database]: [string, string, string, string],
  engine: 'POSTGRES' | 'MYSQL' = 'POSTGRES',
): Record<string, string> => {
  const prefix = engine === 'MYSQL' ? 'MYSQL_' : 'POSTGRES_';
  const name = engine === 'MYSQL' ? 'MYSQL_DATABASE' : 'POSTGRES_DB';
  return {
    [host]: 'db',
    [user]: `\${db.${prefix}USER}`,
    [password]: `\${db.${prefix}PASSWORD}`,
    [database]: `\${db.${name}}`,
  };
};
