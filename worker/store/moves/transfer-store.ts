/**
 * A transferred service takes its secrets along: all are sealed with the new project's key and moved in one batch. The batch succeeds only
 * if nothing was sealed in between; a later write notices that the service has left its project (variable-store, dispatch-store) and reads
 * again.
 */
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import { keptVersions } from '../../domain/deployments/kept-versions.ts';
import { moveDeletedBackups } from '../deletions/deletion-store.ts';
import { selectKeptDeployments } from '../jobs/dispatch-store.ts';
import { type KeyScope, visible } from '../projects/project-store.ts';
import { imports } from '../schema/backups.ts';
import { deployments } from '../schema/deployments.ts';
import { projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { filesAsSeen, replaceSealedFiles, selectServiceFiles } from '../services/service-file-store.ts';
import type { ServiceRow } from '../services/service-store.ts';
import { selectProjectServiceViews } from '../services/service-view-store.ts';
import { replaceSealedValues, selectServiceVariables, type VariableRow } from '../services/variable-store.ts';
import { replaceSealedSecret, selectSealedSecret } from '../sources/git-webhook-store.ts';
import type { Database } from '../sql/database.ts';

/** Reads in one round trip: the target, if the key can access it; a service with the same slug there; and everything sealed for the service. */
export async function readTransfer(
  db: Database,
  scope: KeyScope,
  { serviceId, targetId }: { serviceId: string; targetId: string },
) {
  const [[target], [service], [namesake], variables, snapshots, versions, [webhook], importing, [files]] =
    await db.batch([
      db
        .select()
        .from(projects)
        .where(and(eq(projects.id, targetId), visible(db, scope))),
      db.select().from(services).where(eq(services.id, serviceId)),
      db
        .select({ name: services.name })
        .from(services)
        .where(
          and(
            eq(services.projectId, targetId),
            sql`slug = (select slug from services where id = ${serviceId})`,
          ),
        ),
      selectServiceVariables(db, serviceId),
      selectUsedSnapshots(db, serviceId),
      db
        .select({ version: sql<string>`${versionOf('sealed_snapshot')}`.as('version') })
        .from(deployments)
        .where(and(eq(deployments.serviceId, serviceId), sql`sealed_snapshot is not null`)),
      selectSealedSecret(db, serviceId),
      db
        .select({ id: imports.id })
        .from(imports)
        .where(and(eq(imports.serviceId, serviceId), eq(imports.status, 'running'))),
      selectServiceFiles(db, serviceId),
    ]);
  const snapshotVersions = versions.map(({ version }) => version);
  const sealedWebhookSecret = webhook?.sealedSecret ?? null;
  const isImporting = importing.length > 0;
  return {
    target,
    service,
    namesake,
    variables,
    snapshots,
    snapshotVersions,
    sealedWebhookSecret,
    sealedFiles: files?.sealedFiles ?? null,
    isImporting,
  };
}

export type TransferRows = Awaited<ReturnType<typeof readTransfer>>;

/** A ciphertext for the row with this id. */
export interface SealedForRow {
  id: string;
  sealed: string;
}

/** The rows from `readTransfer`, sealed with the new key. */
export interface Transfer {
  service: ServiceRow;
  targetId: string;
  sealedGitToken: string | null;
  sealedWebhookSecret: string | null;
  sealedFiles: string | null;
  variables: SealedForRow[];
  snapshots: SealedForRow[];
  seen: {
    variables: readonly VariableRow[];
    snapshotVersions: readonly string[];
    sealedWebhookSecret: string | null;
    sealedFiles: string | null;
  };
  at: number;
}

/**
 * Moves the service and its secrets, all or nothing.
 * @returns the target project's services after the transfer
 * @throws errors of D1: a violation of NOT NULL if something was sealed since it was read (read again), a violation of UNIQUE if a service of the
 *   target has the slug
 */
export async function writeTransfer(db: Database, transfer: Transfer) {
  const { service, targetId, sealedGitToken, sealedWebhookSecret, sealedFiles, at } = transfer;
  const [, , , , views] = await db.batch([
    // First statement: sets NULL if anything has changed. The column refuses NULL, which undoes the whole batch.
    db
      .update(services)
      .set({
        projectId: sql`case when ${isAsSeen(transfer)} then ${targetId} end`,
        sealedGitToken,
        updatedAt: at,
      })
      .where(eq(services.id, service.id)),
    replaceSealedValues(db, service.id, transfer.variables),
    db.update(deployments).set({ sealedSnapshot: null }).where(eq(deployments.serviceId, service.id)),
    db
      .update(projects)
      .set({ updatedAt: at })
      .where(inArray(projects.id, [service.projectId, targetId])),
    selectProjectServiceViews(db, targetId),
    moveDeletedBackups(db, service.id),
    ...(sealedWebhookSecret === null ? [] : [replaceSealedSecret(db, service.id, sealedWebhookSecret)]),
    ...(sealedFiles === null ? [] : [replaceSealedFiles(db, service.id, sealedFiles)]),
    ...transfer.snapshots.map(({ id, sealed }) =>
      db.update(deployments).set({ sealedSnapshot: sealed }).where(eq(deployments.id, id)),
    ),
  ]);
  return views;
}

/**
 * Condition: nothing sealed for the service is new or changed; deleted values do not matter. Plain SQL text, because drizzle omits the table in an
 * update.
 */
function isAsSeen({ service, seen }: Transfer): SQL {
  const { id, projectId, sealedGitToken } = service;
  const sealedValues = JSON.stringify(seen.variables.map(({ sealedValue }) => sealedValue));
  return sql`project_id = ${projectId} and sealed_git_token is ${sealedGitToken}
    and not exists (select 1 from git_webhooks where service_id = ${id}
      and sealed_secret is not ${seen.sealedWebhookSecret})
    and ${filesAsSeen(id, seen.sealedFiles)}
    and not exists (select 1 from variables where service_id = ${id}
      and sealed_value not in (select value from json_each(${sealedValues})))
    and not exists (select 1 from deployments where service_id = ${id} and sealed_snapshot is not null
      and ${versionOf('sealed_snapshot')} not in (select value from json_each(${JSON.stringify(seen.snapshotVersions)})))`;
}

/** Identifies a ciphertext by its random IV (security/secret-envelope): `v1.` and 16 characters. */
function versionOf(column: 'sealed_snapshot'): SQL {
  return sql.raw(`substr(${column}, 1, 19)`);
}

/** The snapshots of open deployments and of those available for a rollback; the others are not needed. */
function selectUsedSnapshots(db: Database, serviceId: string) {
  return db
    .select({ id: deployments.id, sealed: sql<string>`sealed_snapshot`.as('sealed') })
    .from(deployments)
    .where(
      and(
        eq(deployments.serviceId, serviceId),
        sql`sealed_snapshot is not null`,
        or(
          inArray(deployments.status, ['queued', 'building']),
          inArray(deployments.id, selectKeptDeployments(db, serviceId, '', keptVersions)),
        ),
      ),
    );
}
