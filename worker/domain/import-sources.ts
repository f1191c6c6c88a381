/** What the URLs of each kind of source fill, and how a list of imports names them. */
import type { EngineName } from '../../protocol/database.ts';
import { labelOfClickhouse, parseClickhouseUrl } from '../../protocol/import-source/clickhouse-url.ts';
import { labelOfMongo, parseMongoUrl } from '../../protocol/import-source/mongodb-url.ts';
import { labelOfMysql, parseMysqlUrl } from '../../protocol/import-source/mysql-url.ts';
import { labelOfPostgres, parsePostgresUrl } from '../../protocol/import-source/postgres-url.ts';
import { labelOfRedis, parseRedisUrl } from '../../protocol/import-source/redis-url.ts';
import type { UrlSourceKind } from '../../protocol/import-source.ts';

export interface UrlSource {
  engines: readonly EngineName[];
  /** Of the route. */
  summary: string;
  /** Host and database, never credentials. @throws SourceUrlError for a URL that is not taken */
  label(url: string): string;
}

export const urlSourceOf: Readonly<Record<UrlSourceKind, UrlSource>> = {
  'postgres-url': {
    engines: ['postgres', 'timescale'],
    summary:
      'Fill an empty PostgreSQL or TimescaleDB database from another server, which is only read. `replace` takes the place of what is there, after a backup of it.',
    label: (url) => labelOfPostgres(parsePostgresUrl(url)),
  },
  'mysql-url': {
    engines: ['mysql'],
    summary:
      'Fill an empty MySQL database from another server, which is only read. `replace` takes the place of what is there, after a backup of it.',
    label: (url) => labelOfMysql(parseMysqlUrl(url)),
  },
  'redis-url': {
    engines: ['redis'],
    summary:
      'Fill an empty Redis database from another server, which is only read. `replace` takes the place of what is there, after a backup of it.',
    label: (url) => labelOfRedis(parseRedisUrl(url)),
  },
  'mongodb-url': {
    engines: ['mongodb'],
    summary:
      'Fill an empty MongoDB database from another server, which is only read. `replace` takes the place of what is there, after a backup of it.',
    label: (url) => labelOfMongo(parseMongoUrl(url)),
  },
  'clickhouse-url': {
    engines: ['clickhouse'],
    summary:
      'Fill an empty ClickHouse database from another server, which is only read. `replace` takes the place of what is there, after a backup of it.',
    label: (url) => labelOfClickhouse(parseClickhouseUrl(url)),
  },
};
