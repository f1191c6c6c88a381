/** What a service is made of: told by `repoUrl`, fixed at creation. */
import { type EngineName, engineNames, engineOf, fullNameOf } from './database-engines.ts';
import { ApiError } from './errors.ts';

export type ServiceKind = 'git' | 'image' | 'database';

/** The constants of `repoUrl` for services without a repository. */
export const imageRepoUrl = 'container-image';
export const databaseRepoUrl = 'database';

/** @returns the kind that a create body asks for. */
export function kindOf(source: Pick<SourceFields, 'repoUrl' | 'repoFullName'>): ServiceKind {
  if (source.repoUrl === imageRepoUrl || source.repoFullName?.startsWith('image:')) return 'image';
  if (source.repoUrl === databaseRepoUrl || source.repoFullName?.startsWith('database:')) return 'database';
  return 'git';
}

/** Web and static services have a route: a port on the host and host names. Workers and databases have none. */
export function isRouted(service: { kind: ServiceKind; runtimeMode: 'web' | 'worker' | 'static' }): boolean {
  return service.kind !== 'database' && service.runtimeMode !== 'worker';
}

/** Files that the proxy itself serves: there is no container. A repository may turn out to be one only when it is built. */
export function isStaticSite(service: {
  runtimeMode: 'web' | 'worker' | 'static';
  staticOutput: string | null;
}): boolean {
  return service.runtimeMode === 'static' || (service.runtimeMode === 'web' && Boolean(service.staticOutput));
}

/** The fields that say where a service comes from, as they are stored. */
export interface ServiceSource {
  repoFullName: string | null;
  repoUrl: string;
  imageRef: string | null;
}

export interface SourceFields {
  repoFullName?: string | null | undefined;
  repoUrl?: string | undefined;
  imageRef?: string | null | undefined;
}

/**
 * Completes the source fields of a body and checks that they agree.
 * @throws ApiError `invalid_request`, `unsupported`.
 */
export function sourceOf(kind: ServiceKind, fields: SourceFields): ServiceSource {
  switch (kind) {
    case 'image':
      return imageSource(fields);
    case 'git':
      return gitSource(fields);
    case 'database':
      return databaseSource(fields);
  }
}

/** `imageRef` stays null where the engine's own image is meant. */
function databaseSource({ repoFullName, repoUrl, imageRef }: SourceFields): ServiceSource {
  if (repoUrl && repoUrl !== databaseRepoUrl) {
    throw new ApiError(
      'invalid_request',
      `The field "repoUrl" of a database service must be "${databaseRepoUrl}": its engine is named by "repoFullName".`,
    );
  }
  const engine = engineOf({ repoFullName: repoFullName ?? null });
  if (!engine) {
    throw new ApiError(
      'invalid_request',
      `The field "repoFullName" of a database service must name its engine: ${engineChoices}.`,
    );
  }
  return { repoFullName: fullNameOf(engine), repoUrl: databaseRepoUrl, imageRef: imageRef ?? null };
}

const quoted = (engine: EngineName) => `"${fullNameOf(engine)}"`;
const engineChoices = new Intl.ListFormat('en', { type: 'disjunction' }).format(engineNames.map(quoted));

function imageSource({ repoFullName, repoUrl, imageRef }: SourceFields): ServiceSource {
  if (repoUrl && repoUrl !== imageRepoUrl) {
    throw new ApiError(
      'invalid_request',
      `The field "repoUrl" of a container image service must be "${imageRepoUrl}": its image is named by "imageRef".`,
    );
  }
  if (!imageRef) {
    throw new ApiError(
      'invalid_request',
      'The field "imageRef" is missing: a container image service needs an image reference, such as "nginx:1.27".',
    );
  }
  const fullName = `image:${imageRef}`;
  if (repoFullName && repoFullName !== fullName) {
    throw new ApiError(
      'invalid_request',
      `The field "repoFullName" of a container image service must be "${fullName}" or left out.`,
    );
  }
  return { repoFullName: fullName, repoUrl: imageRepoUrl, imageRef };
}

function gitSource({ repoFullName, repoUrl, imageRef }: SourceFields): ServiceSource {
  if (imageRef) {
    throw new ApiError(
      'invalid_request',
      `The field "imageRef" belongs to container image services: leave it out, or set "repoUrl" to "${imageRepoUrl}".`,
    );
  }
  if (!repoFullName && !repoUrl) {
    throw new ApiError(
      'invalid_request',
      'The field "repoUrl" is missing: give the Git URL there, or "<owner>/<repo>" in "repoFullName".',
    );
  }
  if (!repoFullName) return { repoFullName: null, repoUrl: repoUrl ?? '', imageRef: null };
  if (repoUrl && !isSameRepository(repoUrl, hostedUrl(repoFullName))) {
    throw new ApiError(
      'invalid_request',
      'The fields "repoFullName" (a repository on GitHub) and "repoUrl" name two repositories: leave one of them out.',
    );
  }
  return { repoFullName, repoUrl: repoUrl ?? hostedUrl(repoFullName), imageRef: null };
}

function isSameRepository(one: string, other: string): boolean {
  const plain = (url: string) => url.toLowerCase().replace(/(?:\.git)?\/?$/, '');
  return plain(one) === plain(other);
}

/** `<owner>/<repo>` alone is a repository on GitHub. */
function hostedUrl(fullName: string): string {
  return `https://github.com/${fullName}.git`;
}
