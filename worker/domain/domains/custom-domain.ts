import { ApiError } from '../errors.ts';
import { isReservedName } from '../names/host-names.ts';
import { isLocalName, isWildcard } from '../names/hostname.ts';
import { isRouted, type ServiceKind } from '../services/service-kind.ts';
import { defaultTenantId } from '../tenants/tenant-limits.ts';

/** @throws ApiError `unsupported` for services that receive no HTTP requests by name. */
export function assertTakesDomains(service: {
  kind: ServiceKind;
  runtimeMode: 'web' | 'worker' | 'static';
}): void {
  if (isRouted(service)) return;
  throw new ApiError(
    'unsupported',
    service.kind === 'database'
      ? 'A database has no custom domains: set "databasePublicHostname" instead.'
      : 'A worker has no custom domains because it receives no requests. Set "runtimeMode" to "web" first.',
  );
}

/** @throws ApiError `conflict` for the service's own generated name. */
export function assertNotOwnName(hostname: string, service: { generatedHostname: string | null }): void {
  if (hostname !== service.generatedHostname) return;
  throw new ApiError(
    'conflict',
    'The name in "hostname" is the generated host name of this service, which already works without a custom domain.',
  );
}

/** Custom domains of one service; the default tenant has no limit. */
export const domainsPerService = 100;

export const tooManyDomains = () =>
  new ApiError(
    'conflict',
    `A service has at most ${domainsPerService} custom domains: delete some, or add the name to another service.`,
  );

/** The error for turning a service with custom domains into a worker. */
export const workerWithDomains = () =>
  new ApiError(
    'conflict',
    'A worker has no custom domains: delete those of the service before you set "runtimeMode" to "worker".',
  );

/**
 * Names below the root domain are first come, first served; generated names avoid the taken ones.
 * @throws ApiError `unsupported` for reserved names, and for the root domain itself unless the project belongs to the default tenant.
 */
export function assertFreeName(
  hostname: string,
  rootDomain: string | null,
  project: { tenantId: string },
): void {
  if (rootDomain === null) return;
  if (hostname === rootDomain && project.tenantId !== defaultTenantId) {
    throw new ApiError(
      'unsupported',
      `The name in "hostname" is the root domain of this instance: choose a name below it, such as "shop.${rootDomain}".`,
    );
  }
  if (isWildcard(hostname) && hostname.slice(2) === rootDomain) {
    throw new ApiError(
      'unsupported',
      `The name in "hostname" stands for all generated names of this instance: choose a wildcard below one name, such as "*.shop.${rootDomain}".`,
    );
  }
  if (isReservedName(hostname, rootDomain)) {
    throw new ApiError(
      'unsupported',
      'The name in "hostname" is reserved because programs look it up automatically: choose another one.',
    );
  }
}

/** `active` if no DNS is needed; otherwise `pending` until the host confirms that the DNS points to it. */
export function initialStatus(hostname: string): 'active' | 'pending' {
  return isLocalName(hostname) ? 'active' : 'pending';
}
