import type { Initiator } from '../../domain/access/initiator.ts';
import { ApiError } from '../../domain/errors.ts';
import { unwatched } from '../../domain/sources/git-push.ts';
import { selectServicesOfRepository, servicesPerPush } from '../../store/sources/github-app-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { takePush } from './deploy-push.ts';

export interface PushedService {
  serviceId: string;
  /** `null` if there was nothing to deploy, if the push waits for checks, or if it failed. */
  deploymentId: string | null;
  reason: string | null;
}

/**
 * Deploys a push in each service of the tenant that is built from this repository and branch. A service that can't be deployed does not
 * delay the others.
 */
export async function deployPushedServices(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'newId' | 'now'>,
  tenantId: string,
  {
    host,
    repository,
    ...push
  }: {
    host: string;
    repository: string;
    branch: string;
    commitSha: string;
    /** What it changed; undefined: not all of it is known. */
    paths: string[] | undefined;
    message: string | undefined;
    startedBy: Initiator;
    deliveryId: string | null;
  },
): Promise<{ pushed: PushedService[]; isCut: boolean }> {
  const { branch, paths, ...accepted } = push;
  const found = await selectServicesOfRepository(deps.db, tenantId, {
    urls: urlsOf(host, repository),
    branch,
  });
  const pushed: PushedService[] = [];
  for (const { id, pushSettings } of found.slice(0, servicesPerPush)) {
    const ignored = unwatched(paths, pushSettings?.watchPaths ?? null);
    if (ignored !== undefined) {
      pushed.push({ serviceId: id, deploymentId: null, reason: ignored });
      continue;
    }
    try {
      const { deployment, reason } = await takePush(deps, { id, pushSettings }, accepted);
      pushed.push({ serviceId: id, deploymentId: deployment?.id ?? null, reason });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      pushed.push({ serviceId: id, deploymentId: null, reason: error.message });
    }
  }
  return { pushed, isCut: found.length > servicesPerPush };
}

/** Every URL by which a service can refer to this repository (domain/git-source), in lower case. */
function urlsOf(host: string, repository: string): string[] {
  const name = host.replace(/:\d+$/, '');
  const places = [`https://${host}/`, `git@${name}:`, `ssh://git@${name}/`];
  return places
    .flatMap((place) => ['', '.git', '/'].map((end) => `${place}${repository}${end}`))
    .map((url) => url.toLowerCase());
}
