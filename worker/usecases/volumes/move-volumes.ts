/** Starts moves of services with volumes. The image is prepared on the new host first; after that jobs/begin-transfer stops the service. */
import { ApiError } from '../../domain/errors.ts';
import { type Host, namedHost } from '../../domain/hosts/placement.ts';
import { findDeployment, type StartedDeployment } from '../../store/deployments/deployment-store.ts';
import { selectUsableHosts } from '../../store/hosts/placement-store.ts';
import { insertVolumeMove } from '../../store/moves/volume-move-store.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { selectVolumes, type VolumeRow } from '../../store/services/volume-store.ts';
import { assertBucket } from '../backups/assert-bucket.ts';
import type { Dependencies } from '../dependencies.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'blobs' | 'now' | 'newId' | 'initiator'>;

export interface PlannedMove {
  host: Host;
  /** The service's present host; undefined if its tenant may not use that host any more. */
  from: Host | undefined;
  volumes: VolumeRow[];
}

/**
 * The effects of a move, without starting it. @throws ApiError `conflict` if the service can't be moved this way, with an
 * alternative; `invalid_request`, `not_isolated` as for any host
 */
export async function planVolumeMove(
  deps: Needs,
  { service, project }: { service: ServiceRow; project: Pick<ProjectRow, 'tenantId'> },
  runnerId: string,
): Promise<PlannedMove> {
  const { db } = deps;
  if (service.kind === 'database') {
    throw new ApiError(
      'conflict',
      'A database can\'t move to another host: create a database there, and restore a backup into it ("targetServiceId"). The steps: docs/guide/databases.md#move-to-another-host.',
    );
  }
  const [volumes, hosts] = await Promise.all([
    selectVolumes(db, service.id),
    selectUsableHosts(db, project.tenantId, [runnerId, service.runnerId]),
  ]);
  if (volumes.length === 0) {
    throw new ApiError(
      'conflict',
      'The service has no volumes, so it moves without being away: set "runnerId" by PATCH /api/services/<id>, then deploy it.',
    );
  }
  if (runnerId === service.runnerId)
    throw new ApiError('conflict', 'runnerId: the service is on this host already.');
  const host = namedHost(hosts, project.tenantId, runnerId);
  await assertBucket(
    deps,
    (trouble) =>
      `The volumes go through the control plane's bucket, and that is not working (${trouble}): ask the operator to check it (the setting "backupBucket", or else R2).`,
  );
  return { host, from: hosts.find(({ id }) => id === service.runnerId), volumes };
}

/**
 * Starts the move: the service serves until its image is ready on the new host.
 * @returns the deployment on the new host, whose end is also the end of the move
 * @throws ApiError as `planVolumeMove`; `conflict` while the service is stopped, is not live or has a job
 */
export async function moveVolumes(
  deps: Needs,
  service: ServiceRow,
  { host }: Pick<PlannedMove, 'host'>,
): Promise<StartedDeployment> {
  const { db, hubs, newId, now } = deps;
  const at = now();
  const deployment = {
    ...{ id: newId('deployment'), jobId: newId('job'), serviceId: service.id, trigger: 'manual' as const },
    ...{ sourceDeploymentId: null, startedBy: deps.initiator, createdAt: at },
  };
  const begun = await insertVolumeMove(db, {
    ...{ id: newId('move'), service, fromRunnerId: service.runnerId },
    to: { id: host.id, ports: host.facts.webPorts },
    ...{ deployment, at },
  });
  if (!begun) {
    throw new ApiError(
      'conflict',
      `The service can't move now: it must be live, not stopped and without a job in progress, and the host "${host.name}" needs a free port.`,
    );
  }
  await hubs.wake(host.id);
  const found = await findDeployment(db, deployment.id);
  if (found) return found.deployment;
  throw new ApiError('conflict', 'The service was deleted while its move started.');
}
