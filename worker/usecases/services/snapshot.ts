/** The input of a deployment, stored in its row. */
import { z } from 'zod';
import { deploySecretsSchema, deploySpecSchema } from '../../../protocol/job-spec.ts';
import { scopedVariablesSchema } from '../../../protocol/variable-scope.ts';
import { type ServiceKind, serviceKinds } from '../../domain/services/service-kind.ts';
import { snapshotPlace } from '../../security/secret-places.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from './resolve-variables.ts';

const snapshotSchema = scopedVariablesSchema.extend({
  spec: deploySpecSchema,
  /** Absent in snapshots of earlier versions: then all values are masked. */
  secretKeys: deploySecretsSchema.shape.secretKeys,
  files: deploySecretsSchema.shape.files,
  /** The kind of the version. Absent in snapshots of earlier versions, in which it never changed. */
  kind: z.enum(serviceKinds).optional(),
});
export type Snapshot = z.infer<typeof snapshotSchema>;

/** @throws Error if it can't be decrypted */
export async function openSnapshot(
  { envelope }: Pick<Dependencies, 'envelope'>,
  project: SecretsOwner,
  deploymentId: string,
  sealed: string,
): Promise<Snapshot> {
  const place = snapshotPlace(deploymentId);
  const clear = await envelope.open(project.wrappedDataKey, project.id, place, sealed);
  return snapshotSchema.parse(JSON.parse(clear));
}

/** The kind of the service when this version was built. @param service as it is now */
export function kindOfVersion({ kind, spec }: Snapshot, service: { kind: ServiceKind }): ServiceKind {
  return kind ?? (spec.source.type === 'kept' ? service.kind : spec.source.type);
}
