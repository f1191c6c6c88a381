/** ClickHouse. Its user is a setting, not data: a new container simply starts with another password. */
import { openConnection } from './clickhouse/connection.ts';
import { deleteRow, insertRow, updateRow } from './clickhouse/edit.ts';
import { runQuery } from './clickhouse/query.ts';
import { pageOf, tablesOf } from './clickhouse/rows.ts';
import { ConnectionsFull } from './connections-full.ts';
import type { InPlaceEngine } from './database-engine.ts';
import { type EngineAddress, type EngineEnvironment, type EngineSession, engineTimeoutMs } from './engine.ts';
import { EngineError } from './engine-error.ts';
import { inBytes } from './memory-size.ts';

/** The server merges this file into its own configuration: https://clickhouse.com/docs/operations/configuration-files */
const configFile = '/etc/clickhouse-server/config.d/longshore.xml';

const secretsFile = '/etc/clickhouse-server/config.d/longshore-secrets.xml';
/**
 * Without this setting, a backup has no passwords of dictionaries and of tables on other servers. A query must still request them with its
 * own setting, and its user needs the privilege.
 * https://clickhouse.com/docs/operations/server-configuration-parameters/settings#display_secrets_in_show_and_select
 */
const showSecrets =
  '<clickhouse><display_secrets_in_show_and_select>1</display_secrets_in_show_and_select></clickhouse>\n';

/** Finds tables of the engine Memory: https://clickhouse.com/docs/engines/table-engines/special/memory */
const memoryTables = `SELECT concat(database, '.', name) FROM system.tables
  WHERE engine = 'Memory' AND total_rows > 0 AND NOT is_temporary ORDER BY 1`;

/**
 * Clients change these settings in files of the server: https://clickhouse.com/docs/operations/system-tables/server_settings. Settings that
 * the server itself changes are left out: its share of the machine's memory, and the size of each background pool, when it first needs the
 * pool.
 */
const serverSettings =
  "SELECT name, value FROM system.server_settings WHERE NOT match(name, '^(max_server_memory_usage|background_.*pool_size)$')";

export const clickhouse: InPlaceEngine = {
  name: 'clickhouse',
  // The image's entrypoint creates the user from its environment at every start.
  credentialsIn: 'settings',
  errorLine: /Exception: |<Error>/,
  container({ env, memoryLimitMb, chosen }) {
    const fromMemory = settingsForMemory(memoryLimitMb, chosen);
    return {
      port: 8123,
      dataDirectory: '/var/lib/clickhouse',
      command: undefined,
      stopSignal: undefined,
      env: { ...env },
      files: { [secretsFile]: showSecrets, [configFile]: configText({ ...fromMemory, ...chosen }) },
      fromMemory,
    };
  },
  async ping(address, env) {
    const connection = openConnection(address, env);
    try {
      await connection.ask({ text: 'SELECT 1', timeoutMs: engineTimeoutMs });
    } catch (error) {
      if (error instanceof ConnectionsFull) throw error;
      // Every error means here that the database is not ready.
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
  async lostByStop(address, env) {
    const connection = openConnection(address, env);
    try {
      return (await connection.ask({ text: memoryTables })).rows.map(([name]) => String(name));
    } finally {
      await connection.close();
    }
  },
  liveSettings: {
    async read(address, env) {
      const connection = openConnection(address, env);
      try {
        const { rows } = await connection.ask({ text: serverSettings });
        return Object.fromEntries(rows.map(([name, value]) => [String(name), String(value)]));
      } catch (error) {
        // Old versions don't have the table.
        if (error instanceof EngineError && /UNKNOWN_TABLE/.test(error.message)) return {};
        throw error;
      } finally {
        await connection.close();
      }
    },
    notKept: (names) =>
      `Settings of the server that were changed since its deployment are left out, and end with the next one: ${names}.`,
  },
  connect: openSession,
  restore: 'in-place',
  data: async () => (await import('./clickhouse/data.ts')).clickhouseData,
};

/**
 * ClickHouse's own share of the memory, 90 %, applied to the container instead of the host:
 * https://clickhouse.com/docs/operations/server-configuration-parameters/settings#max_server_memory_usage_to_ram_ratio
 */
function settingsForMemory(
  memoryLimitMb: number | null,
  { max_server_memory_usage }: Readonly<Record<string, string>>,
): Record<string, string> {
  if (memoryLimitMb === null || max_server_memory_usage !== undefined) return {};
  return { max_server_memory_usage: `${Math.floor(memoryLimitMb * 0.9)}MB` };
}

/** The control plane allows no value with a character that XML would read as markup. */
function configText(settings: Readonly<Record<string, string>>): string {
  const elements = Object.entries(settings).map(([name, value]) => `<${name}>${inBytes(value)}</${name}>`);
  return `<clickhouse>${elements.join('')}</clickhouse>\n`;
}

/**
 * Queries on one ClickHouse server.
 * @throws EngineError `unavailable` when it does not answer or refuses the credentials
 */
async function openSession(address: EngineAddress, env: EngineEnvironment): Promise<EngineSession> {
  const connection = openConnection(address, env);
  try {
    await connection.ask({ text: 'SELECT 1' });
  } catch (error) {
    await connection.close();
    throw error;
  }
  return {
    tables: () => tablesOf(connection),
    rows: (ask) => pageOf(connection, ask),
    query: ({ text }, caps) => runQuery(connection, text, caps),
    insert: (ask) => insertRow(connection, ask),
    update: (ask) => updateRow(connection, ask),
    delete: (ask) => deleteRow(connection, ask),
    close: () => connection.close(),
  };
}
