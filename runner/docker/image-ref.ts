/** Container image references: which registry they name, and which are refused. */
import { JobFailure } from '../jobs/job.ts';

export interface ImageRef {
  /** Host of the registry, with port; undefined for Docker's own. */
  registry: string | undefined;
  /** With the registry, without tag and digest. */
  repository: string;
  /** `latest` when the reference names none; a digest as `sha256:...`. */
  tag: string;
  pinned: boolean;
}

/** The shape of the distribution project's reference grammar (distribution/reference), lower-case repository, tag, digest. */
const shape =
  /^(?<repository>[a-z0-9](?:[a-zA-Z0-9._:/-]*[a-z0-9])?)(?::(?<tag>[\w][\w.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$/;

/**
 * Reads an image reference.
 * @throws JobFailure `source_refused` for a malformed one, and for names of this platform's own images: they hold other services' code
 */
export function parseImageRef(text: string): ImageRef {
  const match = splitTag(text);
  if (!match) throw new JobFailure('source_refused', `"${text}" is not a valid image reference.`);
  const { repository, tag, digest } = match;
  const [first = '', ...rest] = repository.split('/');
  const registry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : undefined;
  const path = registry === undefined ? repository : rest.join('/');
  if (/[A-Z:]/.test(path) || path.includes('//') || path.includes('..')) {
    throw new JobFailure('source_refused', `"${text}" is not a valid image reference.`);
  }
  if (registry === undefined && /^(?:library\/)?longshore-svc_/.test(path)) {
    throw new JobFailure(
      'source_refused',
      'Images that Longshore built cannot be used as the image of a service.',
    );
  }
  return { registry, repository, tag: digest ?? tag ?? 'latest', pinned: digest !== undefined };
}

function splitTag(text: string) {
  const groups = shape.exec(text)?.groups;
  if (!groups) return undefined;
  let repository = groups.repository ?? '';
  let tag = groups.tag;
  // "host:5000/app": what looks like a tag can't hold a slash, but a greedy repository may have eaten ":tag".
  const eaten = /^(.*[^:]):([\w][\w.-]{0,127})$/.exec(repository);
  if (tag === undefined && eaten?.[1] && eaten[2]) [repository, tag] = [eaten[1], eaten[2]];
  return { repository, tag, digest: groups.digest };
}
