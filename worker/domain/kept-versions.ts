/** Number of versions per service that its host keeps, including the live one. Images are large, and rollbacks rarely go further back. */
export const keptVersions = 5;

/** The service and the deployment of a rollback request. */
export interface RollbackRequest {
  service: { kind: 'git' | 'image' | 'database'; runnerId: string };
  deployment: { status: string };
  /** The job of that deployment. */
  job: { runnerId: string };
}

/** Why a rollback to this deployment is refused: a sentence for the user. Null: nothing here prevents it. */
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

/** It ran, but too many newer versions have replaced it since. */
export const noLongerKept = `Can't roll back to this deployment: its image is no longer stored. Only the last ${keptVersions} versions of a service are kept.`;
