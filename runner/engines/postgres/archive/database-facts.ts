/** Reads and writes the properties of a database itself, not its objects: locale, owner, grants, limits, comment, labels and settings. */
import pg from 'pg';
import { z } from 'zod';
import { listOf } from '../../archive/description.ts';
import { resetClause, setClause } from './setting.ts';

const grantSchema = z.object({
  grantor: z.string(),
  /** `null` for PUBLIC. */
  grantee: z.string().nullable(),
  privilege: z.string().regex(/^[A-Z ]+$/),
  grantable: z.boolean(),
});

export const databaseFactsSchema = z.object({
  name: z.string(),
  owner: z.string(),
  encoding: z.string(),
  collate: z.string(),
  ctype: z.string(),
  /** `c`: libc, `i`: ICU, `b`: builtin; `null` before PostgreSQL 15. */
  localeProvider: z.enum(['c', 'i', 'b']).nullable(),
  locale: z.string().nullable(),
  icuRules: z.string().nullable(),
  connectionLimit: z.int(),
  isTemplate: z.boolean(),
  tablespace: z.string(),
  comment: z.string().nullable(),
  /** `null` for PostgreSQL's defaults. */
  grants: listOf(grantSchema).nullable(),
  /** A `role` of `null` stands for all roles. */
  settings: listOf(z.object({ role: z.string().nullable(), config: listOf(z.string()) })),
  labels: listOf(z.object({ provider: z.string(), label: z.string() })),
});
export type DatabaseFacts = z.infer<typeof databaseFactsSchema>;

/** The prefix of databases that a restore has created. */
export const freshPrefix = 'longshore_restore_';
export const oldPrefix = 'longshore_before_';

/** All databases that accept connections, except PostgreSQL's own templates and databases created by restores. */
export async function readDatabases(client: pg.Client): Promise<DatabaseFacts[]> {
  const { rows } = await client.query<{ facts: unknown }>(
    `SELECT ${factsColumn} FROM pg_database d WHERE datallowconn AND datconnlimit <> -2 AND datname NOT IN ('template0', 'template1')
      AND NOT starts_with(datname, $1) AND NOT starts_with(datname, $2) ORDER BY datname`,
    [freshPrefix, oldPrefix],
  );
  return rows.map(({ facts }) => databaseFactsSchema.parse(facts));
}

export async function readDatabase(client: pg.Client, name: string): Promise<DatabaseFacts | undefined> {
  const { rows } = await client.query<{ facts: unknown }>(
    `SELECT ${factsColumn} FROM pg_database d WHERE datname = $1`,
    [name],
  );
  return rows[0] && databaseFactsSchema.parse(rows[0].facts);
}

/** Columns that only some versions have are read through jsonb. */
const factsColumn = `jsonb_build_object(
  'name', datname, 'owner', pg_get_userbyid(datdba), 'encoding', pg_encoding_to_char(encoding),
  'collate', datcollate, 'ctype', datctype, 'localeProvider', to_jsonb(d) -> 'datlocprovider',
  'locale', coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale'), 'icuRules', to_jsonb(d) ->> 'daticurules',
  'connectionLimit', datconnlimit, 'isTemplate', datistemplate,
  'tablespace', (SELECT spcname FROM pg_tablespace t WHERE t.oid = dattablespace),
  'comment', shobj_description(d.oid, 'pg_database'),
  'grants', CASE WHEN datacl IS NOT NULL THEN (SELECT coalesce(jsonb_agg(jsonb_build_object('grantor', pg_get_userbyid(grantor),
    'grantee', CASE WHEN grantee <> 0 THEN pg_get_userbyid(grantee) END, 'privilege', privilege_type, 'grantable', is_grantable)), '[]')
    FROM aclexplode(datacl)) END,
  'settings', (SELECT coalesce(jsonb_agg(jsonb_build_object('role', CASE WHEN setrole <> 0 THEN pg_get_userbyid(setrole) END,
    'config', to_jsonb(setconfig))), '[]') FROM pg_db_role_setting WHERE setdatabase = d.oid),
  'labels', (SELECT coalesce(jsonb_agg(jsonb_build_object('provider', provider, 'label', label)), '[]')
    FROM pg_shseclabel WHERE objoid = d.oid AND classoid = 'pg_database'::regclass)) AS facts`;

const name = (text: string) => pg.escapeIdentifier(text);
const text = (value: string) => pg.escapeLiteral(value);

/** @param fresh the new database's name */
export function createStatement(fresh: string, facts: DatabaseFacts): string {
  return `CREATE DATABASE ${name(fresh)} TEMPLATE template0 ENCODING ${text(facts.encoding)} LC_COLLATE ${text(facts.collate)}
    LC_CTYPE ${text(facts.ctype)} ${localeClause(facts)} OWNER ${name(facts.owner)}`;
}

function localeClause({ localeProvider, locale, icuRules }: DatabaseFacts): string {
  if (localeProvider === null) return '';
  if (localeProvider === 'c' || locale === null) return 'LOCALE_PROVIDER libc';
  if (localeProvider === 'b') return `LOCALE_PROVIDER builtin BUILTIN_LOCALE ${text(locale)}`;
  return `LOCALE_PROVIDER icu ICU_LOCALE ${text(locale)}${icuRules === null ? '' : ` ICU_RULES ${text(icuRules)}`}`;
}

/** Settings that change the results of a view or a constraint. All others could stop the load. */
const resultSettings = new Set([
  ...['timezone', 'datestyle', 'intervalstyle', 'default_text_search_config', 'lc_monetary', 'lc_numeric'],
  ...['lc_time', 'extra_float_digits', 'bytea_output', 'transform_null_equals'],
]);

/** The settings that the load itself needs: those of PostgreSQL above, and settings named by users, such as `app.tenant`. */
export const loadStatements = (database: string, { settings }: DatabaseFacts): string[] =>
  settings.flatMap(({ role, config }) =>
    role === null ? config.filter(isNeeded).map((each) => settingStatement(name(database), null, each)) : [],
  );

/** Resets the settings for the load, so that they can be set again in the order of the others. */
const loadedResets = (target: string, { settings }: DatabaseFacts): string[] =>
  settings.flatMap(({ role, config }) =>
    role === null
      ? config.filter(isNeeded).map((each) => `ALTER DATABASE ${target} ${resetClause(each)}`)
      : [],
  );

function isNeeded(setting: string): boolean {
  const [key = ''] = setting.toLowerCase().split('=');
  return key.includes('.') || resultSettings.has(key);
}

/** Run them in one transaction after the load: a setting such as `default_transaction_read_only` would stop the load. */
export function propertyStatements(database: string, facts: DatabaseFacts): string[] {
  const target = name(database);
  const { comment, connectionLimit, isTemplate, labels, settings } = facts;
  return [
    ...loadedResets(target, facts),
    ...settings.flatMap(({ role, config }) => config.map((each) => settingStatement(target, role, each))),
    ...grantStatements(target, facts),
    ...(comment === null ? [] : [`COMMENT ON DATABASE ${target} IS ${text(comment)}`]),
    ...labels.map(
      ({ provider, label }) => `SECURITY LABEL FOR ${name(provider)} ON DATABASE ${target} IS ${text(label)}`,
    ),
    ...(connectionLimit < 0 ? [] : [`ALTER DATABASE ${target} CONNECTION LIMIT ${connectionLimit}`]),
    ...(isTemplate ? [`ALTER DATABASE ${target} IS_TEMPLATE true`] : []),
  ];
}

const settingStatement = (target: string, role: string | null, setting: string) =>
  role === null
    ? `ALTER DATABASE ${target} ${setClause(setting)}`
    : `ALTER ROLE ${name(role)} IN DATABASE ${target} ${setClause(setting)}`;

/** Sets the grantor. A superuser's grant gets the owner as its grantor; for another grantor, the statement must run in that role. */
function grantStatements(target: string, { grants, owner }: DatabaseFacts): string[] {
  if (grants === null) return [];
  const given = [...grants].sort(
    (one, other) => Number(one.grantor !== owner) - Number(other.grantor !== owner),
  );
  return [
    `REVOKE ALL ON DATABASE ${target} FROM PUBLIC, ${name(owner)}`,
    ...given.flatMap(({ grantor, grantee, privilege, grantable }) => {
      const to = grantee === null ? 'PUBLIC' : name(grantee);
      const grant = `GRANT ${privilege} ON DATABASE ${target} TO ${to}${grantable ? ' WITH GRANT OPTION' : ''}`;
      return grantor === owner ? [grant] : [`SET LOCAL ROLE ${name(grantor)}`, grant, 'RESET ROLE'];
    }),
  ];
}
