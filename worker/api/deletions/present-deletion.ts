/** Deletions as the API shows them. */

import { z } from 'zod';
import { deletionKinds, type RestoreChange, restoreRequest } from '../../domain/projects/deletions.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import type { DeletionRow } from '../../store/deletions/deletion-store.ts';
import type { Position } from '../../store/sql/keyset.ts';

export const deletionSchema = z.strictObject({
  /** Id of the deleted service, project, backup or volume. */
  id: z.string(),
  kind: z.enum(deletionKinds),
  name: z.string().describe('Its name; that of its service for a backup.'),
  projectId: z.string(),
  projectName: z.string(),
  serviceId: z.string().nullable(),
  serviceName: z
    .string()
    .nullable()
    .describe('Name of the service that it is or was part of; null for a project.')
    .meta({ examples: ['web'] }),
  deletedAt: timestampSchema,
  restorableUntil: timestampSchema,
  /** Bytes of its backups, which still count against the quota. */
  backupBytes: z.int(),
  /** The request that restores it. */
  restore: z.string().describe('The request that restores it.'),
});

export const operatorDeletionSchema = deletionSchema.extend({
  tenantId: z.string(),
  /** Hosts that keep data or images of it. */
  runnerIds: z.array(z.string()),
  /** Its final removal has begun, so it can't be restored any more. */
  purging: z.boolean(),
});

/** A slug, port or name that was given to something else in the meantime. `after` is null if it was left out. */
export const changeSchema = z.strictObject({
  serviceId: z.string().nullable(),
  field: z.enum(['slug', 'hostPort', 'generatedHostname', 'databasePublicHostname', 'domain']),
  before: z.string(),
  after: z.string().nullable(),
}) satisfies z.ZodType<RestoreChange>;

export interface ShownDeletion {
  deletion: DeletionRow;
  backupBytes: number;
  /** Null unless it is a volume. */
  volumeName: string | null;
}

export function presentDeletion({
  deletion,
  backupBytes,
  volumeName,
}: ShownDeletion): z.infer<typeof deletionSchema> {
  const { resourceId, kind, name, projectId, projectName, serviceId } = deletion;
  return {
    id: resourceId,
    kind,
    name: volumeName ?? name,
    projectId,
    projectName,
    serviceId,
    serviceName: kind === 'project' ? null : name,
    deletedAt: timestamp(deletion.deletedAt),
    restorableUntil: timestamp(deletion.restorableUntil),
    backupBytes,
    restore: restoreRequest(deletion),
  };
}

export function presentOperatorDeletion(
  shown: ShownDeletion & { runnerIds: string },
): z.infer<typeof operatorDeletionSchema> {
  const { tenantId, purgingAt } = shown.deletion;
  const runnerIds = z.array(z.string()).parse(JSON.parse(shown.runnerIds));
  return { ...presentDeletion(shown), tenantId, runnerIds, purging: purgingAt !== null };
}

/** Where a deletion is in the lists of deletions. */
export const placeOfDeletion = ({
  deletion,
}: {
  deletion: Pick<DeletionRow, 'deletedAt' | 'resourceId'>;
}): Position => ({
  at: deletion.deletedAt,
  id: deletion.resourceId,
});
