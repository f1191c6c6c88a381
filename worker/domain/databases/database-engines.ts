/**
 * The control plane's facts about each database engine: its port and image, the variables that a new database gets, and the
 * variables that other services can refer to. The variable names are those of the official images' entrypoints.
 */
import { type EngineName, engineNames } from '../../../protocol/database.ts';
import { encodedReference as encoded, type ValuePart } from '../values/value-parts.ts';

export { type EngineName, engineNames };

/** The address of a database for a client. `host` is in the form that a URL needs. */
export interface DatabaseAddress {
  host: string;
  port: number;
}

/** A variable that a new database gets. */
export interface EngineVariable {
  key: string;
  /** A short description for people: `password`. */
  label: string;
  /** Value if the create body has none; `password`: a generated password. */
  initial: 'password' | { text: string };
  /** Whether other services need it to connect. */
  connects: boolean;
}

export interface DatabaseEngine {
  /** Display name. */
  title: string;
  port: number;
  /** Image of a new database, unless the service sets `imageRef`. It is stored with the database and does not change later. */
  image: string;
  variables: readonly EngineVariable[];
  /** Variable names under which its URL is offered. */
  urlKeys: readonly string[];
  /** The URL, built from the database's own variables. */
  urlOf(address: DatabaseAddress): ValuePart[];
}

/** Default name of the database and of its user. */
const initialName = { text: 'app' };
const connecting = (key: string, label: string, initial: EngineVariable['initial']): EngineVariable => ({
  key,
  label,
  initial,
  connects: true,
});
const setting = (key: string, label: string, initial: EngineVariable['initial']): EngineVariable => ({
  key,
  label,
  initial,
  connects: false,
});

const postgresVariables = [
  connecting('POSTGRES_DB', 'database', initialName),
  connecting('POSTGRES_USER', 'user', initialName),
  connecting('POSTGRES_PASSWORD', 'password', 'password'),
];

/** `postgresql`: SQLAlchemy no longer accepts `postgres`; other clients accept both. */
const postgresUrl = ({ host, port }: DatabaseAddress) => [
  ...credentials('postgresql', 'POSTGRES_USER', 'POSTGRES_PASSWORD'),
  text(`@${host}:${port}/`),
  encoded('POSTGRES_DB'),
];

export const databaseEngines: Readonly<Record<EngineName, DatabaseEngine>> = {
  postgres: {
    title: 'PostgreSQL',
    port: 5432,
    image: 'postgres:17',
    variables: postgresVariables,
    urlKeys: ['DATABASE_URL', 'POSTGRES_URL'],
    urlOf: postgresUrl,
  },
  timescale: {
    title: 'TimescaleDB',
    port: 5432,
    image: 'timescale/timescaledb:latest-pg17',
    variables: [...postgresVariables, setting('TIMESCALEDB_TELEMETRY', 'telemetry', { text: 'off' })],
    urlKeys: ['DATABASE_URL', 'POSTGRES_URL'],
    urlOf: postgresUrl,
  },
  mysql: {
    title: 'MySQL',
    port: 3306,
    image: 'mysql:9',
    variables: [
      connecting('MYSQL_DATABASE', 'database', initialName),
      connecting('MYSQL_USER', 'user', initialName),
      connecting('MYSQL_PASSWORD', 'password', 'password'),
      setting('MYSQL_ROOT_PASSWORD', 'password of root', 'password'),
    ],
    urlKeys: ['DATABASE_URL', 'MYSQL_URL'],
    urlOf: ({ host, port }) => [
      ...credentials('mysql', 'MYSQL_USER', 'MYSQL_PASSWORD'),
      text(`@${host}:${port}/`),
      encoded('MYSQL_DATABASE'),
    ],
  },
  redis: {
    title: 'Redis',
    port: 6379,
    image: 'redis:8',
    variables: [connecting('REDIS_PASSWORD', 'password', 'password')],
    urlKeys: ['REDIS_URL'],
    // `default` is the user that `requirepass` protects: https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/
    urlOf: ({ host, port }) => [
      text('redis://default:'),
      encoded('REDIS_PASSWORD'),
      text(`@${host}:${port}`),
    ],
  },
  mongodb: {
    title: 'MongoDB',
    port: 27017,
    image: 'mongo:7',
    variables: [
      connecting('MONGO_INITDB_ROOT_USERNAME', 'user', initialName),
      connecting('MONGO_INITDB_ROOT_PASSWORD', 'password', 'password'),
    ],
    urlKeys: ['MONGODB_URL'],
    // The root user is stored in `admin`, whichever database is used. Only the project can resolve the name of the replica set's
    // member, so clients must not look for other members.
    urlOf: ({ host, port }) => [
      ...credentials('mongodb', 'MONGO_INITDB_ROOT_USERNAME', 'MONGO_INITDB_ROOT_PASSWORD'),
      text(`@${host}:${port}/?authSource=admin&directConnection=true`),
    ],
  },
  clickhouse: {
    title: 'ClickHouse',
    port: 8123,
    image: 'clickhouse/clickhouse-server:26.7',
    variables: [
      connecting('CLICKHOUSE_DB', 'database', initialName),
      connecting('CLICKHOUSE_USER', 'user', initialName),
      connecting('CLICKHOUSE_PASSWORD', 'password', 'password'),
      // With 1 the user could grant itself rights that the query deny-list should prevent.
      setting('CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT', 'whether the user can manage users', { text: '0' }),
    ],
    urlKeys: ['CLICKHOUSE_URL'],
    // The port of the HTTP interface, which the official clients use.
    urlOf: ({ host, port }) => [
      ...credentials('http', 'CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD'),
      text(`@${host}:${port}/`),
      encoded('CLICKHOUSE_DB'),
    ],
  },
};

const prefix = 'database:';

/** The engine in `repoFullName`, or null. */
export function engineOf({ repoFullName }: { repoFullName: string | null }): EngineName | null {
  if (!repoFullName?.startsWith(prefix)) return null;
  return engineNames.find((name) => name === repoFullName.slice(prefix.length)) ?? null;
}

/** The default image to store for a database that sets no `imageRef`; `null` if none is needed. */
export function defaultImageOf(source: {
  repoFullName: string | null;
  imageRef: string | null;
}): string | null {
  const engine = engineOf(source);
  return engine && source.imageRef === null ? databaseEngines[engine].image : null;
}

/** The image that the next deployment of a database runs. */
export const databaseImageOf = (
  { imageRef, defaultImageRef }: { imageRef: string | null; defaultImageRef: string | null },
  engine: EngineName,
) => imageRef ?? defaultImageRef ?? databaseEngines[engine].image;

/** PostgreSQL and databases with its protocol. */
export const offersTls = (engine: EngineName) => engine === 'postgres' || engine === 'timescale';

/** `repoFullName` of a database. */
export const fullNameOf = (engine: EngineName) => `${prefix}${engine}`;

function text(plain: string): ValuePart {
  return { type: 'text', text: plain };
}

function credentials(scheme: string, user: string, password: string): ValuePart[] {
  return [text(`${scheme}://`), encoded(user), text(':'), encoded(password)];
}
