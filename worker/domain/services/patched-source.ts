import { ApiError } from '../errors.ts';
import { kindOf, type ServiceKind, type ServiceSource, type SourceFields, sourceOf } from './service-kind.ts';

/** The columns that specify a source, with the kind that they determine. */
export interface KindAndSource extends ServiceSource {
  kind: ServiceKind;
}

/**
 * The source of a service after a PATCH; undefined if the PATCH contains none of its fields. A source of another kind needs the same fields as at
 * creation.
 * @throws ApiError `unsupported` if a database would become something else, or something else a database; `invalid_request` if the fields contradict
 *   each other.
 */
export function patchedSource(service: KindAndSource, patch: SourceFields): KindAndSource | undefined {
  const { repoFullName, repoUrl, imageRef } = patch;
  if (repoFullName === undefined && repoUrl === undefined && imageRef === undefined) return undefined;
  const kind = repoUrl !== undefined || repoFullName ? kindOf(patch) : service.kind;
  if (kind === service.kind) return { kind, ...sourceOfSameKind(service, patch) };
  if (kind !== 'database' && service.kind !== 'database') return { kind, ...sourceOf(kind, patch) };
  const field = repoUrl !== undefined && kindOf({ repoUrl }) !== service.kind ? 'repoUrl' : 'repoFullName';
  throw new ApiError(
    'unsupported',
    service.kind === 'database'
      ? `The field "${field}" would replace the database by an app: create a new service instead.`
      : `The field "${field}" would replace the app by a database: create a new service instead.`,
  );
}

function sourceOfSameKind(service: KindAndSource, patch: SourceFields): ServiceSource {
  const { repoFullName, repoUrl, imageRef } = patch;
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
