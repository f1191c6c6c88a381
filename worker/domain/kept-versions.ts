/** Which earlier versions of a service can be brought back. */

/** Versions of a service that its host keeps, the live one among them: images are large, and a rollback rarely goes further back. */
export const keptVersions = 5;

/** The service and the deployment that a rollback names. */
export interface RollbackWish {
  service: { kind: 'git' | 'image' | 'database'; runnerId: string };
  deployment: { status: string };
  /** Of that deployment. */
  job: { runnerId: string };
}

/** Why there is no rollback to this deployment: a sentence for the user; null: nothing that is seen here is in the way. */
export function rollbackRefusal({ service, deployment, job }: RollbackWish): string | null {
  if (service.kind === 'database')
    return 'A database is not rolled back: restore one of its backups instead.';
  switch (deployment.status) {
    case 'queued':
    case 'building':
      return 'There is no rollback to this deployment: it has not run yet.';
    case 'failed':
    case 'aborted':
      return `There is no rollback to this deployment: it never ran, it ${deployment.status === 'failed' ? 'failed' : 'was aborted'}.`;
    case 'running':
      return 'There is no rollback to this deployment: it is the one that runs now.';
    default:
      return job.runnerId === service.runnerId ? null : hostChanged;
  }
}

/** Its image is gone with the old host. */
export const hostChanged =
  'There is no rollback to this deployment: it ran on another host, which the service has left.';

/** It ran, but was replaced too many times since. */
export const noLongerKept = `There is no rollback to this deployment: it is no longer kept; of each service the last ${keptVersions} versions are.`;
