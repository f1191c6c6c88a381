/** Where a service may be built with Railpack. */

import { isBuilt, type ServiceKind } from '../services/service-kind.ts';
import { UndispatchableError } from './deploy-spec.ts';

/** What a deployment is built from, and on which host. */
export interface BuildPlace {
  service: { kind: ServiceKind };
  deployment: { sourceDeploymentId: string | null };
  /** Whether services of other tenants are on the host. */
  host: { isSharedWithOthers: boolean };
}

/**
 * Railpack's plan is not checked as Dockerfiles are (docs/decisions/0020): it names images, caches and secrets, and its program runs on
 * the host itself. So it builds only where no other tenant can be harmed.
 * @throws UndispatchableError with what to do instead
 */
export function assertRailpackAllowed(place: BuildPlace, env: Readonly<Record<string, string>>): void {
  const { service, deployment, host } = place;
  const builds = isBuilt(service) && deployment.sourceDeploymentId === null;
  if (!builds || !host.isSharedWithOthers || env.BUILDER !== 'railpack') return;
  throw new UndispatchableError(
    'BUILDER is "railpack", and other tenants have services on this host: Railpack\'s builds are not kept apart from theirs. Remove the variable BUILDER to build with the analyzer, add a Dockerfile, or move the service to a host of your own ("runnerId").',
    'build_method_missing',
  );
}
