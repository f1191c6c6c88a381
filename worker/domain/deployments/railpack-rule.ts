/** The hosts on which a service may be built with Railpack. */

import { isBuilt, type ServiceKind } from '../services/service-kind.ts';
import { UndispatchableError } from './deploy-spec.ts';

/** The source of a deployment, and its host. */
export interface BuildPlace {
  service: { kind: ServiceKind };
  deployment: { sourceDeploymentId: string | null };
  /** Whether services of other tenants are on the host. */
  host: { isSharedWithOthers: boolean };
}

/**
 * Railpack's plan is not checked like a Dockerfile (docs/decisions/0020): it refers to images, caches and secrets, and its program runs
 * on the host itself. It may therefore build only where it can't harm other tenants.
 * @throws UndispatchableError with an alternative
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
