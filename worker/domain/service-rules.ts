/** What must hold for the fields of a service together: after creation and after every change alike. */
import { ApiError } from './errors.ts';
import type { ServiceKind } from './service-kind.ts';

/** @throws ApiError `unsupported` */
export function assertServiceRules(service: {
  kind: ServiceKind;
  runtimeMode: 'web' | 'worker' | 'static';
}): void {
  if (service.kind === 'image' && service.runtimeMode === 'static') {
    throw new ApiError(
      'unsupported',
      'The field "runtimeMode" of a container image service must be "web" or "worker": static sites come from a repository.',
    );
  }
  if (service.kind === 'database' && service.runtimeMode !== 'web') {
    throw new ApiError('unsupported', 'The field "runtimeMode" of a database service must be "web".');
  }
}
