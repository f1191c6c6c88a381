/** Which custom domains a service may have. */
import { ApiError } from './errors.ts';
import { isReservedName } from './host-names.ts';
import { isLocalName } from './hostname.ts';
import { isRouted, type ServiceKind } from './service-kind.ts';
import { defaultTenantId } from './tenant.ts';

/** @throws ApiError `unsupported` for what requests are not led to by name. */
export function assertTakesDomains(service: {
  kind: ServiceKind;
  runtimeMode: 'web' | 'worker' | 'static';
}): void {
  if (isRouted(service)) return;
  throw new ApiError(
    'unsupported',
    service.kind === 'database'
      ? 'A database takes no custom domains: set "databasePublicHostname" instead.'
      : 'A worker takes no custom domains: nothing is sent to it. Set "runtimeMode" to "web" first.',
  );
}

/** @throws ApiError `conflict`: the service would have the name twice. */
export function assertNotOwnName(hostname: string, service: { generatedHostname: string | null }): void {
  if (hostname !== service.generatedHostname) return;
  throw new ApiError(
    'conflict',
    'The name in "hostname" is the generated one of this very service: it leads to it already, without a custom domain.',
  );
}

/** What a worker would be that has some. */
export const workerWithDomains = () =>
  new ApiError(
    'conflict',
    'A worker takes no custom domains: delete those of the service before you set "runtimeMode" to "worker".',
  );

/**
 * Names below the root domain are free to all, first come, first served: generated names go around those that are taken.
 * @throws ApiError `unsupported` for the root domain itself where others than the operator use the instance, and for reserved names.
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
      `The name in "hostname" is the root domain of this instance: give a name below it, such as "shop.${rootDomain}".`,
    );
  }
  if (isReservedName(hostname, rootDomain)) {
    throw new ApiError(
      'unsupported',
      'The name in "hostname" is one that programs look up by themselves: choose another one.',
    );
  }
}

/** `active` where no DNS is needed, else `pending` until the host has seen that it points there. */
export function initialStatus(hostname: string): 'active' | 'pending' {
  return isLocalName(hostname) ? 'active' : 'pending';
}
