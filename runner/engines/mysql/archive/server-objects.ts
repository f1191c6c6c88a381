/** Objects of the whole server: those that a dump creates before the databases, and those that it leaves out. */
import { queryEach, quotedName, quotedText, systemSchemas, type ToolPlace } from './client.ts';

/** Tables in a general tablespace can only be created after it. https://dev.mysql.com/doc/refman/9.4/en/create-tablespace.html */
const tablespaces = `SELECT name, IF(zip_page_size > 0, zip_page_size, '') FROM information_schema.innodb_tablespaces
  WHERE space_type = 'General' AND name <> 'mysql'`;
/** Only newer servers have this column. https://dev.mysql.com/doc/refman/9.4/en/innodb-tablespace-autoextend-size.html */
const extensions = `SELECT name, autoextend_size FROM information_schema.innodb_tablespaces
  WHERE space_type = 'General' AND name <> 'mysql' AND autoextend_size > 0`;
/** Columns with their own SRID can only be created after it. The server's own systems have the organization EPSG, except number 0. */
const spatialSystems = `SELECT srs_id, srs_name, definition, IFNULL(organization, ''),
  IFNULL(organization_coordsys_id, ''), IFNULL(description, '')
  FROM information_schema.st_spatial_reference_systems WHERE srs_id <> 0 AND NOT (organization <=> 'EPSG')`;

/** The dump creates databases only if they are missing, and the image creates the service's own one with the server's collation. */
const collations = `SELECT schema_name, default_character_set_name, default_collation_name
  FROM information_schema.schemata WHERE schema_name NOT IN ${systemSchemas} ORDER BY 1`;
/** https://dev.mysql.com/doc/refman/9.4/en/alter-database.html#alter-database-read-only */
const readOnly = `SELECT schema_name FROM information_schema.schemata_extensions
  WHERE options LIKE '%READ ONLY=1%' ORDER BY 1`;

/** `mysqldump` recreates histograms, but without the option that keeps them current. */
const currentHistograms = `SELECT schema_name, table_name, column_name, histogram ->> '$."number-of-buckets-specified"'
  FROM information_schema.column_statistics WHERE histogram ->> '$."auto-update"' = 'true' ORDER BY 1, 2, 3`;
/** `mysqldump` enables the indexes of MyISAM again after it has inserted the rows. */
const disabledKeys = `SELECT DISTINCT table_schema, table_name FROM information_schema.statistics
  WHERE comment = 'disabled' AND table_schema NOT IN ${systemSchemas} ORDER BY 1, 2`;
/** Rows other than those of a new server: https://dev.mysql.com/doc/refman/9.4/en/sys-sys-config.html */
const sysSettings = `SELECT variable, IFNULL(value, ''), value IS NULL FROM sys.sys_config
  WHERE CONCAT(variable, '=', IFNULL(value, '')) NOT IN ('diagnostics.allow_i_s_tables=OFF', 'diagnostics.include_raw=OFF',
    'ps_thread_trx_info.max_length=65535', 'statement_performance_analyzer.limit=100', 'statement_performance_analyzer.view=',
    'statement_truncate_len=64') ORDER BY 1`;

/**
 * A server without this setting refuses to revoke a privilege on one database that was granted on all.
 * https://dev.mysql.com/doc/refman/9.4/en/partial-revokes.html
 */
const partialRevokes = 'SELECT 1 WHERE @@GLOBAL.partial_revokes';

/**
 * Finds the setting of MySQL 8.4 and newer by which a foreign key must name a unique key, unless the session allows others. Older tables
 * have such foreign keys. https://dev.mysql.com/doc/refman/9.4/en/server-system-variables.html#sysvar_restrict_fk_on_non_standard_key
 */
const looseKeys = `SELECT 1 FROM performance_schema.global_variables WHERE variable_name = 'restrict_fk_on_non_standard_key'`;

/** The statement can't be a part of another query. https://dev.mysql.com/doc/refman/9.4/en/xa-statements.html */
const prepared = 'XA RECOVER CONVERT XID';

/** Queries for the names of objects that are not in the dump. */
const leftOut: [sql: string, sentence: (names: string) => string][] = [
  [
    "SELECT variable_name FROM performance_schema.persisted_variables WHERE variable_name <> 'partial_revokes'",
    (names) => `Settings made with SET PERSIST are left out: ${names}.`,
  ],
  [
    // Variables that sessions have, too, are left out: the server also marks them as DYNAMIC when a session sets its own value.
    `SELECT variable_name FROM performance_schema.variables_info WHERE variable_source = 'DYNAMIC' AND set_user IS NOT NULL
      AND variable_name NOT IN (SELECT variable_name FROM performance_schema.variables_by_thread)
      AND variable_name NOT IN (SELECT variable_name FROM performance_schema.persisted_variables)`,
    (names) =>
      `Settings made with SET GLOBAL are left out, and end with a restore, which restarts the server: ${names}.`,
  ],
  ['SELECT name FROM mysql.func', (names) => `Loadable functions are left out: ${names}.`],
  ['SELECT name FROM mysql.plugin', (names) => `Installed plugins are left out: ${names}.`],
  ['SELECT component_urn FROM mysql.component', (names) => `Installed components are left out: ${names}.`],
  [
    'SELECT server_name FROM mysql.servers',
    (names) => `Servers made with CREATE SERVER are left out: ${names}.`,
  ],
  [
    "SELECT resource_group_name FROM information_schema.resource_groups WHERE resource_group_name NOT IN ('USR_default', 'SYS_default', 'SYS_internal')",
    (names) => `Resource groups are left out: ${names}.`,
  ],
  [
    `SELECT CONCAT(table_schema, '.', table_name) FROM information_schema.tables
      WHERE engine = 'MEMORY' AND table_rows > 0 AND table_schema NOT IN ${systemSchemas}`,
    (names) => `Tables of the engine MEMORY are empty after a restore, which restarts the server: ${names}.`,
  ],
  [
    // The server's own tables are in its tablespace `mysql`.
    `SELECT REPLACE(name, '/', '.') FROM information_schema.innodb_tables
      WHERE (name LIKE 'mysql/%' OR name LIKE 'sys/%') AND space_type = 'Single' AND name <> 'sys/sys_config'`,
    (names) => `Tables in the databases of the server itself are left out: ${names}.`,
  ],
  [
    `SELECT name FROM (SELECT CONCAT(routine_schema, '.', routine_name) AS name FROM information_schema.routines
      WHERE routine_schema IN ('mysql', 'sys') AND definer <> 'mysql.sys@localhost'
      UNION SELECT CONCAT(table_schema, '.', table_name) FROM information_schema.views
      WHERE table_schema IN ('mysql', 'sys') AND definer <> 'mysql.sys@localhost') own WHERE TRUE`,
    (names) => `Routines and views in the databases of the server itself are left out: ${names}.`,
  ],
  [
    `SELECT IF(channel_name = '', 'default', channel_name) FROM performance_schema.replication_connection_configuration`,
    (names) => `Replication channels (CHANGE REPLICATION SOURCE) and their filters are left out: ${names}.`,
  ],
  [
    `SELECT file_name FROM information_schema.files WHERE file_type = 'UNDO LOG' AND tablespace_name NOT LIKE 'innodb_undo%'`,
    (names) => `Undo tablespaces are left out: ${names}.`,
  ],
  [
    `SELECT DISTINCT CONCAT(user, '@', host) FROM mysql.password_history h WHERE password_timestamp <
      (SELECT MAX(password_timestamp) FROM mysql.password_history n WHERE n.user = h.user AND n.host = h.host)`,
    (names) =>
      `Earlier passwords of accounts (PASSWORD HISTORY) are left out, so they may be used again: ${names}.`,
  ],
  [
    `SELECT CONCAT(user, '@', host) FROM mysql.user WHERE user_attributes ->> '$.additional_password' IS NOT NULL`,
    (names) => `Second passwords of accounts (RETAIN CURRENT PASSWORD) are left out: ${names}.`,
  ],
];

export interface ServerObjects {
  /** Statements that a new server needs before the databases. */
  statements: string[];
  /** Statements after everything else: options of the databases. */
  lastStatements: string[];
  /** Sentences about objects of the server that the dump does not contain, one for each kind. */
  notKept: string[];
}

/** Older servers don't have all of the tables that this reads. @throws EngineError */
export async function readServerObjects(place: ToolPlace): Promise<ServerObjects> {
  const asked = [
    ...[tablespaces, extensions, spatialSystems, collations, readOnly],
    ...[partialRevokes, currentHistograms, disabledKeys, sysSettings, looseKeys, prepared],
  ];
  const [
    spaces,
    growths,
    systems,
    databases,
    locked,
    revokes,
    histograms,
    indexes,
    settings,
    keys,
    pending,
    ...others
  ] = await queryEach(place, [...asked, ...leftOut.map(([sql]) => `${sql} ORDER BY 1`)]);
  const alter = (name: string, option: string) => `ALTER DATABASE ${quotedName(name)} ${option};\n`;
  return {
    statements: [
      ...((keys?.rows.length ?? 0) > 0 ? ['SET SESSION restrict_fk_on_non_standard_key = OFF;\n'] : []),
      ...(revokes?.rows ?? []).map(() => 'SET PERSIST partial_revokes = ON;\n'),
      ...(spaces?.rows ?? []).map(tablespace),
      ...(growths?.rows ?? []).map(growth),
      ...(systems?.rows ?? []).map((system) => `${spatialSystem(system)};\n`),
    ],
    lastStatements: [
      ...(settings?.rows ?? []).map(sysSetting),
      ...(histograms?.rows ?? []).map(histogram),
      ...(indexes?.rows ?? []).map(disabled),
      ...(databases?.rows ?? []).map(([name = '', characters, collation]) =>
        alter(name, `CHARACTER SET ${characters} COLLATE ${collation}`),
      ),
      ...(locked?.rows ?? []).map(([name = '']) => alter(name, 'READ ONLY = 1')),
    ],
    notKept: [
      ...pendingSentence(pending?.rows.length ?? 0),
      ...leftOut.flatMap(([, sentence], at) => {
        const names = (others[at]?.rows ?? []).map(([name = '']) => name);
        return names.length > 0 ? [sentence(names.join(', '))] : [];
      }),
    ],
  };
}

const pendingSentence = (transactions: number) =>
  transactions === 0
    ? []
    : [
        `Prepared transactions (XA PREPARE) are left out, because they are not committed: ${transactions}. XA RECOVER lists them.`,
      ];

/** A tablespace for compressed tables has smaller blocks. */
const tablespace = ([name = '', blockBytes = '']: string[]) =>
  `CREATE TABLESPACE ${quotedName(name)}${blockBytes === '' ? '' : ` FILE_BLOCK_SIZE = ${blockBytes}`};\n`;

const growth = ([name = '', bytes = '']: string[]) =>
  `ALTER TABLESPACE ${quotedName(name)} AUTOEXTEND_SIZE = ${bytes};\n`;

const disabled = ([schema = '', table = '']: string[]) =>
  `ALTER TABLE ${quotedName(schema)}.${quotedName(table)} DISABLE KEYS;\n`;

const histogram = ([schema = '', table = '', column = '', buckets = '']: string[]) =>
  `ANALYZE NO_WRITE_TO_BINLOG TABLE ${quotedName(schema)}.${quotedName(table)} UPDATE HISTOGRAM ON ${quotedName(column)} WITH ${buckets} BUCKETS AUTO UPDATE;\n`;

function sysSetting([variable = '', value = '', isNull]: string[]): string {
  const text = isNull === '1' ? 'NULL' : quotedText(value);
  return `INSERT INTO sys.sys_config (variable, value) VALUES (${quotedText(variable)}, ${text}) AS new (variable, value) ON DUPLICATE KEY UPDATE value = new.value;\n`;
}

function spatialSystem([
  id = '',
  name = '',
  definition = '',
  organization = '',
  number = '',
  description = '',
]: string[]) {
  return [
    `CREATE SPATIAL REFERENCE SYSTEM IF NOT EXISTS ${id} NAME ${text(name)} DEFINITION ${text(definition)}`,
    ...(organization === '' ? [] : [`ORGANIZATION ${text(organization)} IDENTIFIED BY ${number}`]),
    ...(description === '' ? [] : [`DESCRIPTION ${text(description)}`]),
  ].join(' ');
}

/** Text for a statement that takes no expressions. A dump's lines have no line breaks in texts. */
const text = (value: string) =>
  `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''").replaceAll('\n', '\\n')}'`;
