/** Which deployment a rollback means if none is named. */
import type { Deployment } from '../../client/client.ts';

type Listed = Pick<Deployment, 'id' | 'status' | 'trigger'>;

/**
 * The version that was live before the present one. A restart is no version: it starts the image of the deployment before it, so after one or
 * more of them, that deployment's predecessor is meant.
 * @param deployments newest first @returns its id
 */
export function versionBefore(deployments: readonly Listed[]): string | undefined {
  const served = deployments.filter(({ status }) => status === 'running' || status === 'superseded');
  const live = served.findIndex(({ status }) => status === 'running');
  if (live < 0) return served[0]?.id;
  let present = live;
  while (served[present]?.trigger === 'restart') present++;
  return served[present + 1]?.id;
}
