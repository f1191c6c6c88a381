/** Parses container image references, and refuses malformed ones and the platform's own images. */
import { JobFailure } from '../base/job-failure.ts';

export interface ImageRef {
  /** Host of the registry, with port; `undefined` for Docker's own. */
  registry: string | undefined;
  /** Includes the registry, but not tag and digest. */
  repository: string;
  /** `latest` if the reference has no tag; a digest as `sha256:...`. */
  tag: string;
  /** The reference has a digest, so its content can't change. */
  pinned: boolean;
  /** The whole reference, always with tag or digest: otherwise Docker might read a bare word as the start of an image id. */
  name: string;
}

/** distribution/reference, `grammar`: host with port; path of lower-case components; tag; digest. */
const host = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?$/;
const path = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const tagShape = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digestShape = /^sha256:[0-9a-f]{64}$/;

/**
 * Parses an image reference.
 * @throws JobFailure `source_refused` for a malformed reference, and for this platform's own images: they contain other services' code
 */
export function parseImageRef(text: string): ImageRef {
  const [beforeDigest = '', digest, ...more] = text.split('@');
  const segments = beforeDigest.split('/');
  const registry =
    segments.length > 1 && /[.:]|^localhost$/.test(segments[0] ?? '') ? segments.shift() : undefined;
  const [repositoryPath = '', tag, ...rest] = segments.join('/').split(':');
  const wellFormed =
    more.length + rest.length === 0 &&
    (registry === undefined || host.test(registry)) &&
    path.test(repositoryPath) &&
    (tag === undefined || tagShape.test(tag)) &&
    (digest === undefined || digestShape.test(digest));
  if (!wellFormed) throw new JobFailure('source_refused', `"${text}" is not a valid image reference.`);
  if (/(^|\/)longshore-(svc_|pinned$|private$)/.test(repositoryPath)) {
    throw new JobFailure(
      'source_refused',
      'Images that Longshore built cannot be used as the image of a service.',
    );
  }
  const repository = registry === undefined ? repositoryPath : `${registry}/${repositoryPath}`;
  const name = digest === undefined ? `${repository}:${tag ?? 'latest'}` : `${repository}@${digest}`;
  return { registry, repository, tag: digest ?? tag ?? 'latest', pinned: digest !== undefined, name };
}

/** `nginx:1.29` with a digest becomes `nginx@sha256:...`: its content can't change. @throws as `parseImageRef` */
export const pinnedTo = (imageRef: string, digest: string): string =>
  `${parseImageRef(imageRef).repository}@${digest}`;
