/**
 * Moves the rows of deleted resources into `deleted_rows` and back. Statements on the tables themselves can't find them there, so a
 * deletion is complete for all other code, and queries need no additional condition.
 */
import { type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { apiKeyProjects } from '../schema/api-keys.ts';
import { backupSettings, backups, drills, imports, restores } from '../schema/backups.ts';
import { databaseUpgrades } from '../schema/database-upgrades.ts';
import { deployments } from '../schema/deployments.ts';
import { domains, ownCertificates } from '../schema/domains.ts';
import { awaitedPushes, gitWebhookDeliveries, gitWebhooks } from '../schema/git-webhooks.ts';
import { imageUpdates } from '../schema/image-updates.ts';
import { jobs } from '../schema/jobs.ts';
import { gitCredentials, projects } from '../schema/projects.ts';
import { runs } from '../schema/runs.ts';
import { occurrences, schedules } from '../schema/schedules.ts';
import { serviceFiles, services, variables } from '../schema/services.ts';
import { volumeMoves, volumes } from '../schema/volumes.ts';
import type { Database } from './database.ts';

/** The extent of a deletion: a service, a project with all its services, a volume, or a claimed backup (backup-removal-store). */
export type Deleted =
  | { serviceId: string }
  | { projectId: string }
  | { volumeId: string }
  | { backupId: string; claimedUntil: number };

/** Every table whose rows disappear with a service or a project; parents first. A test compares it with the schema's foreign keys. */
export const archivedTables: readonly SQLiteTable[] = [
  projects,
  apiKeyProjects,
  gitCredentials,
  services,
  jobs,
  deployments,
  variables,
  serviceFiles,
  domains,
  ownCertificates,
  gitWebhooks,
  gitWebhookDeliveries,
  awaitedPushes,
  backups,
  restores,
  drills,
  backupSettings,
  imports,
  databaseUpgrades,
  runs,
  schedules,
  occurrences,
  volumes,
  volumeMoves,
  imageUpdates,
];

/** Tables whose rows may also belong to another resource, which may have been deleted since; these rows are then left out. */
const sharedTables: ReadonlySet<SQLiteTable> = new Set([apiKeyProjects, restores]);

/** D1 allows 32 arguments per function, and each column needs two: https://developers.cloudflare.com/d1/platform/limits/ */
const columnsPerObject = 15;

/** Copies the rows of the deleted resources, in order. This must be in the same batch as the deletion, before it. */
export function archiveRows(db: Database, resourceId: string, deleted: Deleted) {
  return archivedTables.flatMap((table) => {
    const condition = conditionOn(table, deleted);
    if (condition === undefined) return [];
    const { name } = getTableConfig(table);
    return [
      db.run(sql`insert into deleted_rows (resource_id, source, row)
        select ${resourceId}, ${name}, ${rowAsJson(table)} from ${table} where ${condition} order by rowid`),
    ];
  });
}

/**
 * Copies the rows back, parents first. A violated rule (`UNIQUE`: a name or port is in use now; `FOREIGN KEY`: the project or
 * service of the resource no longer exists) makes the batch fail.
 * @param condition whether the deletion can be restored; nothing is written if it does not hold
 */
export function restoreRows(db: Database, resourceId: string, condition: SQL) {
  return archivedTables.map((table) => {
    const { name, columns } = getTableConfig(table);
    const names = columns.map((column) => sql.identifier(column.name));
    return db.run(sql`insert into ${table} (${sql.join(names, sql`, `)})
      select ${sql.join(columns.map(archivedValue), sql`, `)} from deleted_rows
      where resource_id = ${resourceId} and source = ${name} and ${condition} and ${parentsExist(table)}
      order by position`);
  });
}

function conditionOn(table: SQLiteTable, deleted: Deleted): SQL | undefined {
  if ('backupId' in deleted) {
    if (table === backups) return sql`id = ${deleted.backupId}`;
    return table === restores || table === drills ? sql`backup_id = ${deleted.backupId}` : undefined;
  }
  if ('volumeId' in deleted) return table === volumes ? sql`id = ${deleted.volumeId}` : undefined;
  const isProject = 'projectId' in deleted;
  if (table === projects) return isProject ? sql`id = ${deleted.projectId}` : undefined;
  if (table === apiKeyProjects || table === gitCredentials)
    return isProject ? sql`project_id = ${deleted.projectId}` : undefined;
  const ids = serviceIdsOf(deleted);
  if (table === services) return sql`id in ${ids}`;
  if (table !== restores) return sql`service_id in ${ids}`;
  return sql`(service_id in ${ids} or backup_id in (select id from backups where service_id in ${ids}))`;
}

/** Subquery for the ids of the deleted services. */
export function serviceIdsOf(deleted: Extract<Deleted, { serviceId: string } | { projectId: string }>): SQL {
  return 'serviceId' in deleted
    ? sql`(select ${deleted.serviceId})`
    : sql`(select services.id from services where services.project_id = ${deleted.projectId})`;
}

/** The row as one JSON object. A merge patch removes null columns; they are read back as null. */
function rowAsJson(table: SQLiteTable): SQL {
  const { columns } = getTableConfig(table);
  let object = sql`'{}'`;
  for (let first = 0; first < columns.length; first += columnsPerObject) {
    const pairs = columns
      .slice(first, first + columnsPerObject)
      .map(({ name }) => sql`${sql.raw(`'${name}'`)}, ${sql.identifier(name)}`);
    object = sql`json_patch(${object}, json_object(${sql.join(pairs, sql`, `)}))`;
  }
  return object;
}

/** A column that did not exist yet when the row was deleted gets its default. */
function archivedValue(column: SQLiteColumn): SQL {
  const value = sql`row ->> ${sql.raw(`'${column.name}'`)}`;
  const fallback = column.default;
  if (fallback === undefined || typeof fallback === 'object') return value;
  return sql`coalesce(${value}, ${column.mapToDriverValue(fallback)})`;
}

function parentsExist(table: SQLiteTable): SQL {
  if (!sharedTables.has(table)) return sql`true`;
  const conditions = getTableConfig(table).foreignKeys.map((key) => {
    const { columns, foreignTable, foreignColumns } = key.reference();
    const [own, other] = [columns[0]?.name, foreignColumns[0]?.name];
    return sql.raw(
      `exists (select 1 from ${getTableConfig(foreignTable).name} parent where parent.${other} = row ->> '${own}')`,
    );
  });
  return sql.join(conditions, sql` and `);
}
