/** ClickHouse. Its user is a setting, not data: a new container simply starts with another password. */
import { openConnection } from './clickhouse/connection.ts';
import { openSession } from './clickhouse/session.ts';
import type { InPlaceEngine } from './database-engine.ts';
import { engineTimeoutMs } from './engine.ts';
import { EngineError } from './engine-error.ts';

const secretsFile = '/etc/clickhouse-server/config.d/longshore-secrets.xml';
/**
 * Without it a backup has no passwords of dictionaries and of tables elsewhere. A query still has to ask for them by a setting of its own, and
 * its user needs the right. https://clickhouse.com/docs/operations/server-configuration-parameters/settings#display_secrets_in_show_and_select
 */
const showSecrets =
  '<clickhouse><display_secrets_in_show_and_select>1</display_secrets_in_show_and_select></clickhouse>\n';

export const clickhouse: InPlaceEngine = {
  name: 'clickhouse',
  // The image's entrypoint creates the user from its environment at every start.
  credentialsIn: 'settings',
  container: ({ env }) => ({
    port: 8123,
    dataDirectory: '/var/lib/clickhouse',
    command: undefined,
    stopSignal: undefined,
    env: { ...env },
    files: { [secretsFile]: showSecrets },
  }),
  async ping(address, env) {
    const connection = openConnection(address, env);
    try {
      await connection.ask({ text: 'SELECT 1', timeoutMs: engineTimeoutMs });
    } catch (error) {
      // Whatever the error says, the database is not ready to serve.
      throw new EngineError('unavailable', EngineError.from(error).message, { cause: error });
    } finally {
      await connection.close();
    }
  },
  async changeCredentials(_address, before, after) {
    if (before.CLICKHOUSE_DB === after.CLICKHOUSE_DB) return;
    throw new EngineError(
      'unsupported',
      'CLICKHOUSE_DB cannot be changed after the first start: set it back, and create another database with SQL.',
    );
  },
  connect: openSession,
  restore: 'in-place',
  data: async () => (await import('./clickhouse/data.ts')).clickhouseData,
};
