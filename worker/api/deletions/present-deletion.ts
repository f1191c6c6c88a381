/** Deletions as the API shows them. */

import { z } from 'zod';
import { exampleTime, note } from '../../../protocol/note.ts';
import { deletionKinds, type RestoreChange, restoreRequest } from '../../domain/projects/deletions.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import type { DeletionRow } from '../../store/deletions/deletion-store.ts';
import type { Position } from '../../store/sql/keyset.ts';

export const deletionSchema = z.strictObject({
  id: z.string().describe('Id of the deleted service, project, backup or volume.'),
  kind: z.enum(deletionKinds).meta(notes.kind),
  name: z.string().describe('Its name; that of its service for a backup.'),
  projectId: z.string().meta(notes.projectId),
  projectName: z.string().meta(note('Name of the project.', 'Shop')),
  serviceId: z.string().nullable().meta(notes.serviceId),
  serviceName: z
    .string()
    .nullable()
    .describe('Name of the service that it is or was part of; null for a project.')
    .meta({ examples: ['web'] }),
  deletedAt: timestampSchema.meta(note('When it was deleted.', exampleTime)),
  restorableUntil: timestampSchema.meta(note('Until when it can be restored.', exampleTime)),
  backupBytes: z.int().describe('Bytes of its backups, which still count against the quota.'),
  restore: z.string().describe('The request that restores it.'),
});

export const operatorDeletionSchema = deletionSchema.extend({
  tenantId: z.string().meta(notes.tenantId),
  runnerIds: z
    .array(z.string())
    .meta(note('Hosts that keep data or images of it.', ['run_1a2s3d4f5g6h7j8k'])),
  /** Its permanent removal has begun, so it can't be restored any more. */
  purging: z.boolean().describe('Whether it is being removed permanently.'),
});

/** A slug, port or name that something else has taken since the deletion. `after` is null if it was left out. */
export const changeSchema = z.strictObject({
  serviceId: z.string().nullable().meta(notes.serviceId),
  field: z
    .enum(['slug', 'hostPort', 'generatedHostname', 'databasePublicHostname', 'domain'])
    .describe('The field whose value had to change, because another service has it now.'),
  before: z.string().meta(note('The value before.', 'web')),
  after: z.string().nullable().meta(note('The value after.', 'web-2')),
}) satisfies z.ZodType<RestoreChange>;

export interface ShownDeletion {
  deletion: DeletionRow;
  backupBytes: number;
  /** `null` unless it is a volume. */
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

/** The position of a deletion in the lists of deletions. */
export const placeOfDeletion = ({
  deletion,
}: {
  deletion: Pick<DeletionRow, 'deletedAt' | 'resourceId'>;
}): Position => ({
  at: deletion.deletedAt,
  id: deletion.resourceId,
});
