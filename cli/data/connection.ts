/** How people and programs reach a database. */
import { Failure } from '../base/failure.ts';
import type { Session } from '../session.ts';
import type { Engine, FoundDatabase } from './databases.ts';

/** The suffix of a derived variable that has the address for other machines (docs/guide/databases.md). */
const publicSuffix = '_PUBLIC';

/**
 * @param isPublic true: for other machines; false: for containers of its project
 * @throws Failure if the database is not public, or the key may not read its password
 */
export async function urlOf(
  { client }: Session,
  { service }: FoundDatabase,
  isPublic: boolean,
): Promise<string> {
  if (isPublic && !service.databasePublicEnabled)
    throw new Failure(
      `${service.slug} is reached from its host only. Open its port: longshore settings set -s ${service.id} databasePublicEnabled=true && longshore deploy ${service.id} --wait`,
      { code: 'not_public' },
    );
  const { derivedVariables } = await client.call('GET /api/services/:serviceId/overview', {
    params: { serviceId: service.id },
  });
  const url = derivedVariables.find(({ key }) => key.endsWith(publicSuffix) === isPublic);
  if (url?.value) return url.value;
  throw new Failure(`This key may not read the password of ${service.slug}: use a key that may write.`);
}

const postgres =
  'PGPASSWORD="$POSTGRES_PASSWORD" exec psql -U "$POSTGRES_USER" -d "$POSTGRES_DB" -h 127.0.0.1 "$@"';

/** Lines for sh in the database's container, whose environment has the password, so that no argument contains it. */
const lines: Record<Engine, string> = {
  postgres,
  timescale: postgres,
  mysql:
    'MYSQL_PWD="$MYSQL_PASSWORD" exec mysql --protocol=TCP -h 127.0.0.1 -u "$MYSQL_USER" "$MYSQL_DATABASE" "$@"',
  redis: 'REDISCLI_AUTH="$REDIS_PASSWORD" exec redis-cli "$@"',
  mongodb: `exec mongosh --nodb --quiet --shell --eval 'db = connect("mongodb://" + encodeURIComponent(process.env.MONGO_INITDB_ROOT_USERNAME) + ":" + encodeURIComponent(process.env.MONGO_INITDB_ROOT_PASSWORD) + "@127.0.0.1/?authSource=admin&directConnection=true")' "$@"`,
  // The client reads CLICKHOUSE_USER and CLICKHOUSE_PASSWORD itself (https://github.com/ClickHouse/ClickHouse/pull/48440).
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a default of sh
  clickhouse: 'exec clickhouse-client --database "${CLICKHOUSE_DB:-default}" "$@"',
};

/** The engine's own shell, as a command in its container. */
export const shellCommand = (engine: Engine): [string, ...string[]] => ['sh', '-c', lines[engine], 'sh'];
