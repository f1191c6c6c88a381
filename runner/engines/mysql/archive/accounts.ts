/**
 * Users, roles and their privileges. Like the data, they belong to the whole server, but a `mysqldump` of databases does not contain them.
 * https://dev.mysql.com/doc/refman/9.4/en/grant-tables.html
 */
import { EngineError } from '../../engine-error.ts';
import { query, queryEach, quotedName, type ToolPlace } from './client.ts';
import { existingPrivileges, missingObjectsOf, missingObjectsQuery } from './missing-objects.ts';

/** The image creates these on every new server. */
const builtIn = `user IN ('mysql.sys', 'mysql.session', 'mysql.infoschema')
  OR (user = 'root' AND host IN ('localhost', '%'))`;
const accounts = `SELECT user, host, IF(p.plugin_library IS NULL AND p.plugin_name IS NOT NULL, '', u.plugin)
  FROM mysql.user u LEFT JOIN information_schema.plugins p
  ON CONVERT(p.plugin_name USING utf8mb4) = CONVERT(u.plugin USING utf8mb4) WHERE NOT (${builtIn})`;
/** Quotes names with backticks and strings with backslashes, regardless of the server's own settings. */
const plainNames =
  "SET SESSION sql_mode = '', SESSION sql_quote_show_create = 1, SESSION print_identified_with_as_hex = ON";

export interface Accounts {
  /** Statements that create the accounts on a new server. Accounts that already exist keep their passwords. */
  create: string[];
  /** Statements that give the accounts their privileges. They need the tables, columns and routines in the grants. */
  grants: string[];
  /** Privileges on objects that no longer exist: one sentence each. */
  notKept: string[];
}

/** @throws EngineError when the privileges could not be read */
export async function readAccounts(place: ToolPlace): Promise<Accounts> {
  const found = await query(place, accounts);
  const names = found
    .filter(([, , library]) => library === '')
    .map(([user = '', host = '']) => accountName(user, host));
  const asked = [
    plainNames,
    ...names.flatMap((name) => [`SHOW CREATE USER ${name}`, `SHOW GRANTS FOR ${name}`]),
  ];
  const [missing, roles, , ...shown] = await queryEach(place, [missingObjectsQuery, defaultRoles, ...asked]);
  // An account may have been removed in the meantime.
  const [made, granted] = [0, 1].map((of) =>
    shown.filter((_, at) => at % 2 === of).flatMap(({ rows }) => rows.map(([statement = '']) => statement)),
  ) as [string[], string[]];
  if (missing === undefined || missing.hasFailed)
    throw new EngineError('unavailable', 'The privileges of the accounts could not be read.');
  const create = made.map((line) => line.replace(/^CREATE USER/, 'CREATE USER IF NOT EXISTS'));
  // A role must exist before it can be a user's default role.
  create.sort((one, other) => Number(/ DEFAULT ROLE /.test(one)) - Number(/ DEFAULT ROLE /.test(other)));
  const kept = granted.map((line) => existingPrivileges(line, missingObjectsOf(missing.rows)));
  return {
    create: [...create, ...limitsOf(place, made)].map((line) => `${line};\n`),
    grants: [
      ...revoked(place, granted),
      ...kept.flatMap(({ statement }) => (statement === undefined ? [] : [`${statement};\n`])),
      ...defaultRolesOf(roles?.rows ?? []),
    ],
    notKept: [...found.flatMap(unloadable), ...kept.flatMap(({ skipped }) => skipped)],
  };
}

/** A new server has not installed the plugin. */
const unloadable = ([user = '', host = '', plugin = '']: string[]) =>
  plugin === ''
    ? []
    : [
        `The account ${accountName(user, host)} is left out: it logs in with the plugin ${plugin}, which is not part of the server.`,
      ];

const accountName = (user: string, host: string) => `${quotedName(user)}@${quotedName(host)}`;

/** The image gives MYSQL_USER all rights on MYSQL_DATABASE when it starts with a new volume. */
function revoked({ env }: ToolPlace, granted: string[]): string[] {
  if (!env.MYSQL_USER || !env.MYSQL_DATABASE) return [];
  const account = accountName(env.MYSQL_USER, '%');
  const database = quotedName(env.MYSQL_DATABASE.replaceAll('_', '\\_'));
  const all = `GRANT ALL PRIVILEGES ON ${database}.* TO ${account}`;
  if (granted.some((line) => line.startsWith(all))) return [];
  return [
    `/*!80030 REVOKE IF EXISTS ALL PRIVILEGES ON ${database}.* FROM ${account} IGNORE UNKNOWN USER */;\n`,
  ];
}

/**
 * The image creates MYSQL_USER without limits. Its password, lock and expiry are not changed: the service uses the account.
 */
function limitsOf({ env }: ToolPlace, made: string[]): string[] {
  if (!env.MYSQL_USER) return [];
  const account = accountName(env.MYSQL_USER, '%');
  const line = made.find((one) => one.startsWith(`CREATE USER ${account} `));
  const options =
    / (?:AS 0x[0-9A-F]+|BY RANDOM PASSWORD)?(?: DEFAULT ROLE [^;]*?)? (REQUIRE (?:NONE|SSL|X509|SUBJECT|ISSUER|CIPHER) .*)$/s
      .exec(line ?? '')?.[1]
      ?.replace(/ ACCOUNT (?:UN)?LOCK\b/, '')
      .replace(/ PASSWORD EXPIRE(?! (?:DEFAULT|NEVER|INTERVAL)\b)/, '');
  return options === undefined ? [] : [`ALTER USER IF EXISTS ${account} ${options}`];
}

const defaultRoles =
  'SELECT user, host, default_role_user, default_role_host FROM mysql.default_roles ORDER BY 1, 2, 3, 4';

/** The default roles, also of accounts that already exist. */
function defaultRolesOf(rows: string[][]): string[] {
  const roles = Map.groupBy(rows, ([user = '', host = '']) => accountName(user, host));
  return [...roles].map(([account, of]) => {
    const names = of.map(([, , user = '', host = '']) => accountName(user, host));
    return `SET DEFAULT ROLE ${names.join(', ')} TO ${account};\n`;
  });
}
