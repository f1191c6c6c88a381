/** Continues a move when the image is ready on the new host: the service stops, and its files are copied. */
import type { DeployFacts } from '../../../protocol/job-report.ts';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { UndispatchableError } from '../../domain/deployments/deploy-spec.ts';
import type { DispatchRows } from '../../store/jobs/dispatch-store.ts';
import type { JobWithDeployment } from '../../store/jobs/job-store.ts';
import { countUnfilled, findRunningMove } from '../../store/moves/volume-move-store.ts';
import { beginTransfer } from '../../store/moves/volume-transfer-store.ts';
import { selectVolumes } from '../../store/services/volume-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** @returns the host that has work now; undefined if the job has changed since it was read: nothing was written then */
export async function endPreparation(
  { db, newId }: Pick<Dependencies, 'db' | 'newId'>,
  found: JobWithDeployment,
  end: { facts: DeployFacts; resultId: string; at: number },
): Promise<string | undefined> {
  const volumes = await selectVolumes(db, found.job.serviceId);
  return await beginTransfer(db, found, {
    ...end,
    ...{ stopTaskId: newId('hostTask'), deployJobId: newId('job') },
    volumes: volumes.map(({ id }) => ({
      ...{ volumeId: id, backupId: newId('backup'), backupJobId: newId('job') },
      ...{ restoreId: newId('restore'), fillJobId: newId('job') },
    })),
  });
}

/**
 * The spec of a deployment of a service with volumes: complete, or its part of a move. A volume's data is on the host that was filled last; a
 * start on another host would be without the data. @throws UndispatchableError if the data is on another host
 */
export async function partOfMove(
  { db, logs }: Pick<Dependencies, 'db' | 'logs'>,
  { job, service, deployment }: DispatchRows,
  spec: DeploySpec,
): Promise<DeploySpec> {
  if (!spec.volumes?.length || job.runnerId === service.runnerId) return spec;
  if (service.nextRunnerId !== job.runnerId)
    throw new UndispatchableError('The service is on another host with its volumes: deploy it again.');
  const jobIds = (await findRunningMove(db, service.id))?.jobIds ?? [];
  if (jobIds.length === 1 && jobIds[0] === job.id) return { ...spec, preparesOnly: true };
  if ((await countUnfilled(db, { serviceId: service.id, runnerId: job.runnerId })) > 0)
    throw new UndispatchableError(
      'The volumes of the service did not arrive on the new host, so nothing was started there.',
    );
  // Moves from earlier control planes have no preparation.
  if (deployment.imageTag === null || jobIds.at(-1) !== job.id) return spec;
  const written = (await logs.readTail(deployment.id, 1)).at(-1);
  return {
    ...spec,
    source: { type: 'kept', deploymentId: deployment.id, commitSha: deployment.commitSha },
    logLinesBefore: written?.id ?? 0,
  };
}
