import { z } from 'zod';

/**
 * Container image references: `[<host>[:<port>]/]<path>[:<tag>][@<digest>]`
 * (grammar: https://pkg.go.dev/github.com/distribution/reference; the name without tag has at most 255 characters).
 */
const domain =
  '(?:(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])(?:\\.(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9]))*|\\[[0-9A-Fa-f:]+\\])(?::[0-9]+)?';
const pathComponent = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const name = `(?:${domain}/)?${pathComponent}(?:/${pathComponent})*`;
const tag = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}';
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,128}';
const pattern = new RegExp(`^(${name})(?::${tag})?(?:@${digest})?$`);
const nameMax = 255;
const referenceMax = 512;

export const imageReferenceSchema = z
  .string()
  .refine(
    isImageReference,
    'must be an image reference, such as "nginx:1.27" or "ghcr.io/owner/app@sha256:..."',
  )
  .refine(hasPossiblePort, 'has an invalid registry port: ports are 1 to 65535');

/** The host of an image's registry, with its port; undefined for images without a host in their name, which are from Docker Hub. */
export function registryHostOf(imageRef: string): string | undefined {
  const [first = '', ...rest] = imageRef.split('/');
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : undefined;
}

function isImageReference(text: string): boolean {
  if (text.length > referenceMax) return false;
  const [, imageName] = pattern.exec(text) ?? [];
  return imageName !== undefined && imageName.length <= nameMax;
}

/** Digits between ":" and the first "/" are a port; without a "/" they are a tag. */
function hasPossiblePort(text: string): boolean {
  const [, port] = /^[^/]*:([0-9]+)\//.exec(text) ?? [];
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
}
