/** The name and the scheme under which visitors reach a service, for requests that the platform makes itself. Pure. */
import type { ServiceNames } from '../../protocol/service-names.ts';
import { isLocalName, isWildcard } from './route-names.ts';

export interface VisitorsName {
  hostname: string;
  scheme: 'http' | 'https';
}

/**
 * The first active domain, like `preferredDomain` of the API; otherwise the generated name.
 * @param hostnames of the route, for a service whose names the control plane has not sent
 */
export function visitorsName(
  names: Pick<ServiceNames, 'names'> | undefined,
  hostnames: readonly string[],
): VisitorsName {
  const exact = (names?.names ?? []).filter(({ hostname }) => !isWildcard(hostname));
  const preferred =
    exact.find(({ isCustom, isActive }) => isCustom && isActive) ?? exact.find(({ isCustom }) => !isCustom);
  const hostname = preferred?.hostname ?? hostnames.find((name) => !isWildcard(name)) ?? 'localhost';
  return { hostname, scheme: isLocalName(hostname) ? 'http' : 'https' };
}
