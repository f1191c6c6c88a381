import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { VolumeEngine } from './database-engine.ts';
import { type EngineAddress, type EngineEnvironment, engineTimeoutMs } from './engine.ts';
import { EngineError } from './engine-error.ts';
import { fullOf, isUnknownDatabase } from './mysql/errors.ts';
import type { MysqlLogin } from './mysql/mysql-connection.ts';
import { openMysqlSession } from './mysql/mysql-session.ts';
import { openConnection, signedIn } from './mysql/open-connection.ts';
import { adminOption, optionsOf, settingsForMemory } from './mysql/server-settings.ts';

/** The accounts that the image's entrypoint creates: the user, and root both from anywhere and from inside the container. */
const rootAccounts = [
  { user: 'root', host: '%' },
  { user: 'root', host: 'localhost' },
];

/** https://dev.mysql.com/doc/refman/8.4/en/memory-storage-engine.html; `table_rows` is exact for this engine. */
const memoryTables = `SELECT /*+ SET_VAR(information_schema_stats_expiry = 0) */ concat(table_schema, '.', table_name) AS name
  FROM information_schema.tables
  WHERE engine = 'MEMORY' AND table_rows > 0
    AND table_schema NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys') ORDER BY 1`;

const connectionUsers = `SELECT @@max_connections AS max, processlist_user AS name, count(*) AS count
  FROM performance_schema.threads WHERE type = 'FOREGROUND' AND processlist_user IS NOT NULL AND connection_type IS NOT NULL
    AND processlist_id <> connection_id()
  GROUP BY processlist_user ORDER BY 3 DESC, 2`;

/** The server's own record of changes does not distinguish a SET GLOBAL of these variables from a SET SESSION. */
const sessionVariables = `SELECT variable_name AS name, variable_value AS value FROM performance_schema.global_variables
  WHERE variable_name IN (SELECT variable_name FROM performance_schema.variables_by_thread)
    AND variable_name NOT IN (SELECT variable_name FROM performance_schema.persisted_variables)`;

export const mysql: VolumeEngine = {
  name: 'mysql',
  credentialsIn: 'data',
  errorLine: /\[ERROR\] \[MY-/,
  container({ env, memoryLimitMb, chosen }) {
    const fromMemory = settingsForMemory(memoryLimitMb, chosen);
    return {
      port: 3306,
      dataDirectory: '/var/lib/mysql',
      command: ['mysqld', adminOption, ...optionsOf({ ...fromMemory, ...chosen })],
      stopSignal: undefined,
      env: { ...env },
      files: {},
      fromMemory,
    };
  },
  connect: (address, env) => openMysqlSession(address, userOf(env)),
  restore: 'volume',
  data: async () => (await import('./mysql/data.ts')).mysqlData,
  async ping(address, env) {
    try {
      await connected(address, userOf(env), async (connection) => void (await connection.query('SELECT 1')));
    } catch (error) {
      // The server is up and accepted the user. A dropped database can be created again.
      if (!(error instanceof EngineError && isUnknownDatabase(error.cause))) throw error;
    }
  },
  /** A server keeps one more connection for root: https://dev.mysql.com/doc/refman/9.0/en/too-many-connections.html */
  async usage(address, env) {
    const rows = await askedAsRoot(address, env, connectionUsers);
    return {
      max: Number(rows[0]?.max ?? 0),
      users: rows.map(({ name, count }) => ({ name: String(name), count: Number(count) })),
    };
  },
  async lostByStop(address, env) {
    const rows = await askedAsRoot(address, env, memoryTables);
    return rows.map(({ name }) => String(name));
  },
  liveSettings: {
    async read(address, env) {
      const rows = await askedAsRoot(address, env, sessionVariables);
      return Object.fromEntries(rows.map(({ name, value }) => [String(name), String(value)]));
    },
    notKept: (names) =>
      `Settings for new sessions that were made with SET GLOBAL are left out, and end with a restore, which restarts the server: ${names}.`,
  },
  async changeCredentials(address, before, after) {
    for (const key of ['MYSQL_USER', 'MYSQL_DATABASE'] as const) {
      if (before[key] === after[key]) continue;
      throw new EngineError(
        'unsupported',
        `${key} cannot be changed after the first start: set it back, and create another one with SQL.`,
      );
    }
    const changes = [
      ...(before.MYSQL_PASSWORD === after.MYSQL_PASSWORD || !after.MYSQL_USER
        ? []
        : [{ user: after.MYSQL_USER, host: '%', password: after.MYSQL_PASSWORD ?? '' }]),
      ...(before.MYSQL_ROOT_PASSWORD === after.MYSQL_ROOT_PASSWORD
        ? []
        : rootAccounts.map((account) => ({ ...account, password: after.MYSQL_ROOT_PASSWORD ?? '' }))),
    ];
    if (changes.length === 0) return;
    const root = { user: 'root', password: before.MYSQL_ROOT_PASSWORD ?? '' };
    // Changes all accounts or none, because it is one statement.
    const accounts = changes.map(() => '?@? IDENTIFIED BY ?').join(', ');
    const values = changes.flatMap(({ user, host, password }) => [user, host, password]);
    await connected(address, root, async (connection) => {
      await connection.query(`ALTER USER ${accounts}`, values);
    });
  },
};

/** Only root sees the tables of all users. @throws EngineError */
function askedAsRoot(address: EngineAddress, env: EngineEnvironment, sql: string): Promise<RowDataPacket[]> {
  const root = env.MYSQL_ROOT_PASSWORD ? { user: 'root', password: env.MYSQL_ROOT_PASSWORD } : userOf(env);
  return connected(address, root, async (connection) => {
    const [rows] = await connection.query<RowDataPacket[]>(sql);
    return rows;
  });
}

function userOf(env: EngineEnvironment): MysqlLogin {
  return env.MYSQL_USER
    ? { user: env.MYSQL_USER, password: env.MYSQL_PASSWORD ?? '', database: env.MYSQL_DATABASE }
    : { user: 'root', password: env.MYSQL_ROOT_PASSWORD ?? '', database: env.MYSQL_DATABASE };
}

/** @throws EngineError */
async function connected<T>(
  { host, port }: EngineAddress,
  { database, ...login }: MysqlLogin,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  let connection: Connection | undefined;
  try {
    const opened = openConnection({
      host,
      port,
      ...login,
      ...(database ? { database } : {}),
      connectTimeout: engineTimeoutMs,
    });
    connection = opened.promise();
    await signedIn(opened);
    return await use(connection);
  } catch (error) {
    throw fullOf(error) ?? EngineError.from(error);
  } finally {
    connection?.destroy();
  }
}
