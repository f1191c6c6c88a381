/** The target of a rollback without a given deployment. */
import type { Deployment } from '../../client/client.ts';

type Listed = Pick<Deployment, 'id' | 'status' | 'trigger'>;

/**
 * The version that was live before the current one. A restart is not a version, because it starts the image of the deployment before it. So after
 * restarts, the predecessor of that deployment is the target.
 * @param deployments newest first
 * @returns its id
 */
export function versionBefore(deployments: readonly Listed[]): string | undefined {
  const served = deployments.filter(({ status }) => status === 'running' || status === 'superseded');
  const live = served.findIndex(({ status }) => status === 'running');
  if (live < 0) return served[0]?.id;
  let present = live;
  while (served[present]?.trigger === 'restart') present++;
  return served[present + 1]?.id;
}
