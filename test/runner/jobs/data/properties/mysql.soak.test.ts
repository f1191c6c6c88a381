/** The table of properties for MySQL. */
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { type Database, useDatabases } from '../../../../support/docker/use-databases.ts';
import { everyObject, outdated } from '../backups/mysql-objects.ts';
import { type Proofs, propertyContract } from './property-contract.ts';

const env = {
  MYSQL_ROOT_PASSWORD: 'root-secret',
  MYSQL_DATABASE: 'app',
  MYSQL_USER: 'app',
  MYSQL_PASSWORD: 'app-secret',
};
const image = { engine: 'mysql', image: 'mysql:9', env } as const;
const { server, elsewhere } = useDatabases({ server: image, elsewhere: image });

async function asRoot(of: Database, ...statements: string[]): Promise<string[][]> {
  const connection = await createConnection({
    ...{ host: '127.0.0.1', port: of.port, user: 'root', password: env.MYSQL_ROOT_PASSWORD },
    ...{ database: 'app', charset: 'utf8mb4', rowsAsArray: true, jsonStrings: true, dateStrings: true },
  });
  try {
    const found: string[][] = [];
    for (const sql of statements) {
      const [rows] = await connection.query<RowDataPacket[][]>(sql);
      if (Array.isArray(rows)) found.push(...rows.map((row) => Object.values(row).map(String)));
    }
    return found;
  } finally {
    await connection.end();
  }
}
const asks =
  (...queries: string[]) =>
  (of: Database) =>
    asRoot(of, ...queries);
const own = "NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema', 'outdated')";
/** The users of the image are another service's there. */
const made = "user NOT LIKE 'mysql.%' AND user NOT IN ('root', 'app')";

const proofs: Proofs = {
  'one moment of all data': { kept: asks('SELECT (SELECT n FROM a_first) = (SELECT n FROM z_last)') },
  'all databases of the server': {
    kept: asks(`SELECT schema_name FROM information_schema.schemata WHERE schema_name ${own} ORDER BY 1`),
  },
  'exact values': {
    kept: asks(
      'SELECT id, f + 0e0, fd + 0e0, fu + 0e0, d, dd, n, HEX(b), y, t, dt, j, u FROM numbers ORDER BY id',
      'SELECT f + 0e0, s FROM unordered ORDER BY 2',
    ),
    listed: /^Decimals, dates and bytes inside the documents of outdated\.documents\.j/,
  },
  'indexes, constraints, sequences': {
    kept: asks(
      ...['SHOW CREATE TABLE kinds', 'SHOW CREATE TABLE parted', 'SHOW CREATE TABLE child'],
      "SELECT table_name, index_name FROM information_schema.statistics WHERE comment = 'disabled'",
    ),
  },
  'views, functions, triggers': {
    kept: asks(
      `SELECT table_name, view_definition, definer FROM information_schema.views WHERE table_schema ${own} ORDER BY 1`,
      `SELECT routine_name, routine_definition, definer, security_type FROM information_schema.routines WHERE routine_schema ${own} ORDER BY 1`,
      `SELECT trigger_name, action_statement, action_order FROM information_schema.triggers WHERE trigger_schema ${own} ORDER BY 1`,
      `SELECT event_name, event_definition, interval_value, starts FROM information_schema.events WHERE event_schema ${own} ORDER BY 1`,
    ),
    listed: /^The view `outdated`\.`broken` is broken/,
  },
  'users, roles, memberships': {
    kept: asks(
      `SELECT user, host, plugin, account_locked, max_questions, password_lifetime FROM mysql.user WHERE ${made} ORDER BY 1, 2`,
      'SELECT from_user, to_user, with_admin_option FROM mysql.role_edges ORDER BY 1, 2',
      'SELECT user, default_role_user FROM mysql.default_roles ORDER BY 1, 2',
    ),
    listed: /^Options of the account root@% .*ours/,
  },
  passwords: {
    kept: asks(`SELECT user, HEX(authentication_string) FROM mysql.user WHERE ${made} ORDER BY 1`),
    listed: /^Second passwords of accounts .* are left out: outdated_two@%/,
  },
  'grants on objects, default privileges': {
    kept: asks(
      "SELECT user, table_name, table_priv, column_priv FROM mysql.tables_priv WHERE db NOT IN ('outdated', 'sys') ORDER BY 1, 2",
      "SELECT user, column_name, column_priv FROM mysql.columns_priv WHERE db <> 'outdated' ORDER BY 1, 2",
      "SELECT user, routine_name, proc_priv FROM mysql.procs_priv WHERE db <> 'outdated' ORDER BY 1, 2",
    ),
    listed: /^A privilege of `bob`@`%` is left out: `outdated`\.`gone` no longer exists/,
  },
  'grants, limits, comment and settings of a database': {
    kept: asks(
      `SELECT schema_name, default_collation_name FROM information_schema.schemata WHERE schema_name ${own} ORDER BY 1`,
      "SELECT schema_name, options FROM information_schema.schemata_extensions WHERE schema_name = 'locked'",
    ),
  },
  'comments, collations, statistics objects': {
    kept: asks(
      "SELECT table_name, table_comment, table_collation FROM information_schema.tables WHERE table_schema = 'app' AND table_type = 'BASE TABLE' ORDER BY 1",
      "SELECT table_name, column_name, column_comment, collation_name FROM information_schema.columns WHERE table_schema = 'app' AND (column_comment <> '' OR collation_name IS NOT NULL) ORDER BY 1, 2",
    ),
  },
  'planner statistics': {
    kept: asks(
      'SELECT table_name, column_name, histogram ->> \'$."auto-update"\' FROM information_schema.column_statistics ORDER BY 1, 2',
    ),
  },
  tablespaces: {
    kept: asks(
      "SELECT name, autoextend_size FROM information_schema.innodb_tablespaces WHERE name = 'own_space'",
      'SHOW CREATE TABLE placed',
    ),
  },
  'settings of the server': {
    kept: asks('SELECT variable, value FROM sys.sys_config ORDER BY 1'),
    listed: /^Settings made with SET PERSIST are left out: max_connect_errors/,
  },
};

propertyContract({
  ...{ engine: 'mysql', server, elsewhere, proofs },
  addToBoth: () =>
    asRoot(
      server,
      'START TRANSACTION',
      'UPDATE a_first SET n = n + 1',
      'UPDATE z_last SET n = n + 1',
      'COMMIT',
    ),
  fill: () =>
    asRoot(
      server,
      ...[...everyObject, ...outdated],
      'CREATE TABLE a_first AS SELECT 1 AS n',
      'CREATE TABLE z_last AS SELECT 1 AS n',
      "ALTER USER root@'%' COMMENT 'ours'",
    ),
});
