import { ApiError } from '../../domain/errors.ts';
import { selectServicesOfRepository, servicesPerPush } from '../../store/sources/github-app-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { deployPush } from '../deployments/deploy-push.ts';

export interface PushedService {
  serviceId: string;
  /** Null: there was nothing to deploy, or it could not be. */
  deploymentId: string | null;
  reason: string | null;
}

/**
 * Deploys a push in each service of the tenant that is built from this repository and branch. A service that can't be deployed does not hold
 * up the others.
 */
export async function deployPushedServices(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>,
  tenantId: string,
  {
    host,
    repository,
    ...push
  }: { host: string; repository: string; branch: string; commitSha: string; deliveryId: string | null },
): Promise<{ pushed: PushedService[]; isCut: boolean }> {
  const { branch, commitSha, deliveryId } = push;
  const found = await selectServicesOfRepository(deps.db, tenantId, {
    urls: urlsOf(host, repository),
    branch,
  });
  const pushed: PushedService[] = [];
  for (const { id } of found.slice(0, servicesPerPush)) {
    try {
      const { deployment, reason } = await deployPush(deps, { id }, { deliveryId, commitSha });
      pushed.push({ serviceId: id, deploymentId: deployment.id, reason });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      pushed.push({ serviceId: id, deploymentId: null, reason: error.message });
    }
  }
  return { pushed, isCut: found.length > servicesPerPush };
}

/** Every way in which a service can name a repository (domain/git-source), in lower case. */
function urlsOf(host: string, repository: string): string[] {
  const name = host.replace(/:\d+$/, '');
  const places = [`https://${host}/`, `git@${name}:`, `ssh://git@${name}/`];
  return places
    .flatMap((place) => ['', '.git', '/'].map((end) => `${place}${repository}${end}`))
    .map((url) => url.toLowerCase());
}
