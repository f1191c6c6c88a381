/** What a deployment started with, as its row keeps it. */
import { z } from 'zod';
import { deploySecretsSchema, deploySpecSchema } from '../../../protocol/job-spec.ts';
import { snapshotPlace } from '../../security/secret-places.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from './resolve-variables.ts';

const snapshotSchema = z.object({
  spec: deploySpecSchema,
  env: deploySecretsSchema.shape.env,
  /** Absent in snapshots of earlier versions: all values are masked. */
  secretKeys: deploySecretsSchema.shape.secretKeys,
  files: deploySecretsSchema.shape.files,
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
