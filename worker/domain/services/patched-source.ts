import { ApiError } from '../errors.ts';
import { kindOf, type ServiceKind, type ServiceSource, type SourceFields, sourceOf } from './service-kind.ts';

/**
 * The source fields of a service after a PATCH; undefined if it contains none of them.
 * @throws ApiError `unsupported` if the kind would change; `invalid_request` if the fields contradict each other.
 */
export function patchedSource(
  service: ServiceSource & { kind: ServiceKind },
  patch: SourceFields,
): ServiceSource | undefined {
  const { repoFullName, repoUrl, imageRef } = patch;
  if (repoFullName === undefined && repoUrl === undefined && imageRef === undefined) return undefined;
  const saysKind = repoUrl !== undefined || /^(image|database):/.test(repoFullName ?? '');
  if (saysKind && kindOf(patch) !== service.kind) {
    const field = repoUrl !== undefined && kindOf({ repoUrl }) !== service.kind ? 'repoUrl' : 'repoFullName';
    throw new ApiError(
      'unsupported',
      `The field "${field}" would change the kind of the service, which is permanent: create a new service instead.`,
    );
  }
  if (service.kind === 'image') {
    return sourceOf('image', {
      repoFullName,
      imageRef: imageRef === undefined ? service.imageRef : imageRef,
    });
  }
  if (service.kind === 'database') {
    if (repoFullName !== undefined && repoFullName !== service.repoFullName) {
      throw new ApiError(
        'unsupported',
        'The field "repoFullName" would change the engine of the database, which is permanent: create a new service instead.',
      );
    }
    return sourceOf('database', {
      repoFullName: service.repoFullName,
      imageRef: imageRef === undefined ? service.imageRef : imageRef,
    });
  }
  // A new repoFullName implies its own URL; a new repoUrl drops the old repoFullName.
  return sourceOf(service.kind, {
    imageRef,
    repoFullName: repoFullName === undefined && repoUrl === undefined ? service.repoFullName : repoFullName,
    repoUrl: repoUrl ?? (repoFullName ? undefined : service.repoUrl),
  });
}
