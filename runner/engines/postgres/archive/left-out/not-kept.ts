/** Lists parts of a server that a backup does not contain. */
import type pg from 'pg';
import type { DataPlace } from '../../../archive/archive.ts';
import type { Manifest } from '../manifest.ts';
import { findEditedSettings } from './edited-settings.ts';

/** Condition: the current database has objects created by users, other than extensions. Smaller ids belong to PostgreSQL. */
export const hasObjects = `EXISTS (SELECT 1 FROM (
    SELECT 'pg_class'::regclass AS class, oid FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'S', 'f')
    UNION ALL SELECT 'pg_proc'::regclass, oid FROM pg_proc UNION ALL SELECT 'pg_namespace'::regclass, oid FROM pg_namespace
    UNION ALL SELECT 'pg_type'::regclass, oid FROM pg_type WHERE typrelid = 0 AND typelem = 0) o
  WHERE oid >= 16384 AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.oid AND d.deptype = 'e'))`;

/** @param client connected to `template1` @returns one sentence for each thing */
export async function findNotKept(
  client: pg.Client,
  { databases, serverVersion }: Pick<Manifest, 'databases' | 'serverVersion'>,
  { env, withoutPassword }: Pick<DataPlace, 'env'> & { withoutPassword: readonly string[] },
): Promise<string[]> {
  const found: string[] = [];
  for (const [query, sentence, since = 0] of searches) {
    if (serverVersion < since) continue;
    const { rows } = await client.query<{ name: string }>(query);
    found.push(...rows.map(({ name }) => sentence(name)));
  }
  return [
    ...withoutPassword.map(
      (name) =>
        `The password of the role ${name}, which is an MD5 hash: set it again to have it stored as SCRAM.`,
    ),
    ...databases
      .filter(({ tablespace }) => tablespace !== 'pg_default')
      .map(
        ({ name }) => `The tablespace of the database ${name}: it is restored into the default tablespace.`,
      ),
    ...found,
    ...(await findEditedSettings(client, env)),
  ];
}

const searches: readonly (readonly [query: string, (name: string) => string, sinceVersion?: number])[] = [
  [
    "SELECT spcname AS name FROM pg_tablespace WHERE spcname NOT IN ('pg_default', 'pg_global')",
    (name) => `The tablespace ${name}: its contents are restored into the default tablespace.`,
  ],
  [
    "SELECT datname AS name FROM pg_database WHERE NOT datallowconn AND datname <> 'template0' AND NOT starts_with(datname, 'longshore_')",
    (name) => `The database ${name}, which accepts no connections.`,
  ],
  [`SELECT 'template1' AS name WHERE ${hasObjects}`, (name) => `The objects in the database ${name}.`],
  [
    `SELECT datname AS name FROM pg_database d WHERE datname = 'template1' AND (datconnlimit <> -1
      OR EXISTS (SELECT 1 FROM pg_db_role_setting WHERE setdatabase = d.oid)
      OR EXISTS (SELECT 1 FROM pg_database t WHERE t.datname = 'template0' AND t.datacl IS DISTINCT FROM d.datacl))`,
    (name) => `The settings, grants and limit of the database ${name}.`,
  ],
  [
    `SELECT split_part(setting, '=', 1) AS name FROM pg_db_role_setting, unnest(setconfig) AS setting
      WHERE setdatabase = 0 AND setrole = 0 ORDER BY 1`,
    (name) => `The setting ${name} of ALTER ROLE ALL.`,
  ],
  [
    `SELECT spcname AS name FROM pg_tablespace WHERE spcname IN ('pg_default', 'pg_global')
      AND (spcacl IS NOT NULL OR spcoptions IS NOT NULL OR shobj_description(oid, 'pg_tablespace') IS NOT NULL)`,
    (name) => `The grants, options and comment of the tablespace ${name}.`,
  ],
  [
    `SELECT format('%s of the database %s', gid, database) AS name FROM pg_prepared_xacts ORDER BY 1`,
    (name) =>
      `The changes of the prepared transaction ${name}: they are not committed. Commit it or roll it back: until then, a restore into this service fails.`,
  ],
  [
    `SELECT roname AS name FROM pg_replication_origin WHERE roname !~ '^pg_[0-9]+(_[0-9]+)?$' ORDER BY 1`,
    (name) => `The replication origin ${name}.`,
  ],
  [
    `SELECT 'pg_hba.conf' AS name FROM pg_hba_file_rules WHERE address NOT IN ('127.0.0.1', '::1', 'all')
      OR user_name <> '{all}' OR database NOT IN ('{all}', '{replication}') LIMIT 1`,
    (name) => `The rules that were added to ${name}.`,
  ],
  [
    "SELECT 'pg_ident.conf' AS name FROM pg_ident_file_mappings LIMIT 1",
    (name) => `The user names in ${name}.`,
    150_000,
  ],
  [
    'SELECT slot_name AS name FROM pg_replication_slots',
    (name) => `The replication slot ${name}: create it again after a restore.`,
  ],
  [
    'SELECT subname AS name FROM pg_subscription WHERE subenabled',
    (name) => `The subscription ${name} is restored disabled: enable it after a restore.`,
  ],
  [
    `SELECT DISTINCT name FROM pg_file_settings WHERE sourcefile LIKE '%postgresql.auto.conf' AND name <> '' ORDER BY 1`,
    (name) => `The setting ${name} of ALTER SYSTEM.`,
  ],
  [
    `SELECT DISTINCT parname AS name FROM pg_parameter_acl ORDER BY 1`,
    (name) => `The grants on the parameter ${name}.`,
    150_000,
  ],
];
