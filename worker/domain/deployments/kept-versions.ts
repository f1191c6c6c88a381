/** Number of versions per service that its host keeps, including the live one. Images are large, and rollbacks rarely go further back. */
import type { ServiceKind } from '../services/service-kind.ts';
export const keptVersions = 5;

/** The service and the deployment of a rollback request. */
export interface RollbackRequest {
  service: { kind: ServiceKind; runnerId: string };
  deployment: { status: string };
  job: { runnerId: string };
}

/** The reason to refuse a rollback to this deployment, as a sentence for the user. Null if nothing here prevents it. */
export function rollbackRefusal({ service, deployment, job }: RollbackRequest): string | null {
  if (service.kind === 'database')
    return "A database can't be rolled back: restore one of its backups instead.";
  switch (deployment.status) {
    case 'queued':
    case 'building':
      return "Can't roll back to this deployment: it has not run yet.";
    case 'failed':
    case 'aborted':
      return `Can't roll back to this deployment: it ${deployment.status === 'failed' ? 'failed' : 'was aborted'} and never ran.`;
    case 'running':
      return "Can't roll back to this deployment: it is already live.";
    default:
      return job.runnerId === service.runnerId ? null : hostChanged;
  }
}

/** The image stayed on the old host. */
export const hostChanged =
  "Can't roll back to this deployment: it ran on another host, and the service has moved since. Deploy again instead.";

/** The facts about a service that a restart or start needs. */
export interface RestartRequest {
  service: { id: string; stopped: boolean; lastDeployedAt: number | null };
  action: 'restart' | 'start';
}

/** The reason to refuse the action before anything is written, as a sentence for the user. Null if nothing here prevents it. */
export function restartRefusal({ service, action }: RestartRequest): string | null {
  const path = `/api/services/${service.id}`;
  if (service.lastDeployedAt === null)
    return `The service has no version to ${action}: deploy it first, with POST ${path}/deployments.`;
  if (action === 'restart' && service.stopped)
    return `The service is stopped: start it with POST ${path}/start.`;
  if (action === 'start' && !service.stopped)
    return `The service is not stopped: POST ${path}/restart gives it a new container.`;
  return null;
}

/** The live version to restart has left this host since the request. */
export const nothingToRestart =
  "The service can't be restarted: the version that was live has moved to another host or is gone. Deploy the service instead.";

/** The deployment ran, but too many newer versions have replaced it since. */
export const noLongerKept = `Can't roll back to this deployment: its image is no longer stored. Only the last ${keptVersions} versions of a service are kept.`;
