/** The engines that each kind of source URL can fill, and the source's label in a list of imports. */
import type { EngineName } from '../../../protocol/database.ts';
import { labelOfClickhouse, parseClickhouseUrl } from '../../../protocol/import-source/clickhouse-url.ts';
import { labelOfMongo, parseMongoUrl } from '../../../protocol/import-source/mongodb-url.ts';
import { labelOfMysql, parseMysqlUrl } from '../../../protocol/import-source/mysql-url.ts';
import { labelOfPostgres, parsePostgresUrl } from '../../../protocol/import-source/postgres-url.ts';
import { labelOfRedis, parseRedisUrl } from '../../../protocol/import-source/redis-url.ts';
import type { UrlSourceKind } from '../../../protocol/import-source.ts';

export interface UrlSource {
  engines: readonly EngineName[];
  /** Summary of the route. */
  summary: string;
  /** The host and database of the URL, without credentials. @throws SourceUrlError for an invalid URL */
  label(url: string): string;
}

export const urlSourceOf: Readonly<Record<UrlSourceKind, UrlSource>> = {
  'postgres-url': {
    engines: ['postgres', 'timescale'],
    summary:
      'Import from another server into an empty PostgreSQL or TimescaleDB database. The source is only read. `replace` replaces existing data, after a backup of it.',
    label: (url) => labelOfPostgres(parsePostgresUrl(url)),
  },
  'mysql-url': {
    engines: ['mysql'],
    summary:
      'Import from another server into an empty MySQL database. The source is only read. `replace` replaces existing data, after a backup of it.',
    label: (url) => labelOfMysql(parseMysqlUrl(url)),
  },
  'redis-url': {
    engines: ['redis'],
    summary:
      'Import from another server into an empty Redis database. The source is only read. `replace` replaces existing data, after a backup of it.',
    label: (url) => labelOfRedis(parseRedisUrl(url)),
  },
  'mongodb-url': {
    engines: ['mongodb'],
    summary:
      'Import from another server into an empty MongoDB database. The source is only read. `replace` replaces existing data, after a backup of it.',
    label: (url) => labelOfMongo(parseMongoUrl(url)),
  },
  'clickhouse-url': {
    engines: ['clickhouse'],
    summary:
      'Import from another server into an empty ClickHouse database. The source is only read. `replace` replaces existing data, after a backup of it.',
    label: (url) => labelOfClickhouse(parseClickhouseUrl(url)),
  },
};
