/** The kind of a service: determined by `repoUrl`. A database stays one; other kinds can change. `upload`: built from a folder that a client sends. */
import {
  databaseEngines,
  type EngineName,
  engineNames,
  engineOf,
  fullNameOf,
} from '../databases/database-engines.ts';
import { imageVersionOf } from '../databases/image-version.ts';
import { ApiError } from '../errors.ts';
import { isSameRepository } from '../sources/git-source.ts';

export const serviceKinds = ['git', 'image', 'database', 'upload'] as const;
export type ServiceKind = (typeof serviceKinds)[number];

/** Values of `repoUrl` for services without a repository. */
export const imageRepoUrl = 'container-image';
export const databaseRepoUrl = 'database';
export const uploadRepoUrl = 'upload';

/** @returns the kind that a create body requests. */
export function kindOf(source: Pick<SourceFields, 'repoUrl' | 'repoFullName'>): ServiceKind {
  if (source.repoUrl === imageRepoUrl || source.repoFullName?.startsWith('image:')) return 'image';
  if (source.repoUrl === databaseRepoUrl || source.repoFullName?.startsWith('database:')) return 'database';
  if (source.repoUrl === uploadRepoUrl) return 'upload';
  return 'git';
}

/** Whether deployments build an image from files, in contrast to starting an existing one. */
export const isBuilt = ({ kind }: { kind: ServiceKind }): boolean => kind === 'git' || kind === 'upload';

/** Web and static services have a route: a port on the host, and host names. Workers and databases have none. */
export function isRouted(service: { kind: ServiceKind; runtimeMode: 'web' | 'worker' | 'static' }): boolean {
  return service.kind !== 'database' && service.runtimeMode !== 'worker';
}

/** A site whose files the proxy serves without a container. For some repositories this is only known after the build. */
export function isStaticSite(service: {
  runtimeMode: 'web' | 'worker' | 'static';
  staticOutput: string | null;
}): boolean {
  return service.runtimeMode === 'static' || (service.runtimeMode === 'web' && Boolean(service.staticOutput));
}

/** The stored fields that specify a service's source. */
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
 * Completes the source fields of a body and checks that they are consistent.
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
    case 'upload':
      return uploadSource(fields);
  }
}

function uploadSource({ repoFullName, repoUrl, imageRef }: SourceFields): ServiceSource {
  const given = imageRef ? 'imageRef' : repoFullName ? 'repoFullName' : undefined;
  if (given !== undefined) {
    throw new ApiError(
      'invalid_request',
      `The field "${given}" does not fit "repoUrl": "${uploadRepoUrl}", whose folder is sent with POST .../uploads: leave it out.`,
    );
  }
  if (repoUrl && repoUrl !== uploadRepoUrl) {
    throw new ApiError(
      'invalid_request',
      `The field "repoUrl" of a service that is built from an uploaded folder must be "${uploadRepoUrl}".`,
    );
  }
  return { repoFullName: null, repoUrl: uploadRepoUrl, imageRef: null };
}

/** `imageRef` stays null for the engine's default image. */
function databaseSource({ repoFullName, repoUrl, imageRef }: SourceFields): ServiceSource {
  if (repoUrl && repoUrl !== databaseRepoUrl) {
    throw new ApiError(
      'invalid_request',
      `The field "repoUrl" of a database service must be "${databaseRepoUrl}": "repoFullName" names its engine.`,
    );
  }
  const engine = engineOf({ repoFullName: repoFullName ?? null });
  if (!engine) {
    throw new ApiError(
      'invalid_request',
      `The field "repoFullName" of a database service must name its engine: ${engineChoices}.`,
    );
  }
  if (imageRef) assertImageOf(engine, imageRef);
  return { repoFullName: fullNameOf(engine), repoUrl: databaseRepoUrl, imageRef: imageRef ?? null };
}

/** TimescaleDB is PostgreSQL with an extension, so each runs the images of the other. */
function assertImageOf(engine: EngineName, imageRef: string): void {
  const { engine: other } = imageVersionOf(imageRef);
  const family = (name: EngineName) => (name === 'timescale' ? 'postgres' : name);
  if (other === null || family(other) === family(engine)) return;
  const { title } = databaseEngines[engine];
  throw new ApiError(
    'invalid_request',
    `The field "imageRef" is an image of ${databaseEngines[other].title}, but this database runs ${title}: create a database of that engine instead.`,
  );
}

const quoted = (engine: EngineName) => `"${fullNameOf(engine)}"`;
const engineChoices = new Intl.ListFormat('en', { type: 'disjunction' }).format(engineNames.map(quoted));

function imageSource({ repoFullName, repoUrl, imageRef }: SourceFields): ServiceSource {
  if (repoUrl && repoUrl !== imageRepoUrl) {
    throw new ApiError(
      'invalid_request',
      `The field "repoUrl" of a container image service must be "${imageRepoUrl}": "imageRef" names its image.`,
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
      'The field "repoUrl" is missing: give a Git URL, or set "repoFullName" to "<owner>/<repo>".',
    );
  }
  if (!repoFullName) return { repoFullName: null, repoUrl: repoUrl ?? '', imageRef: null };
  if (repoUrl && !isSameRepository(repoUrl, hostedUrl(repoFullName))) {
    throw new ApiError(
      'invalid_request',
      'The fields "repoFullName" (a repository on GitHub) and "repoUrl" name different repositories: leave one of them out.',
    );
  }
  return { repoFullName, repoUrl: repoUrl ?? hostedUrl(repoFullName), imageRef: null };
}

/** `<owner>/<repo>` is a repository on GitHub. */
function hostedUrl(fullName: string): string {
  return `https://github.com/${fullName}.git`;
}
