/** Manifests and indexes of images (https://github.com/opencontainers/image-spec): the parts that a pull has to check. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { JobFailure } from '../base/job-failure.ts';
import { RegistryError } from './registry-error.ts';
import { jsonOf } from './registry-token.ts';

/** Docker's own limit for a manifest. */
export const manifestBytesMax = 4 * 2 ** 20;
/** The limit of all files of an image, compressed. Larger images are not meant for one host's disk. */
const imageBytesMax = 64 * 2 ** 30;

export const manifestTypes = [
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
];

export interface Manifest {
  bytes: Buffer;
  type: string;
  digest: string;
  /** Bytes by digest of the referenced objects: the manifests of an index; config and layers of an image. */
  sizes: ReadonlyMap<string, number>;
}

const descriptorSchema = z.object({
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  size: z.number().int().nonnegative(),
  urls: z.array(z.string()).nullish(),
});

const manifestSchema = z
  .object({
    mediaType: z.string().optional(),
    manifests: z.array(descriptorSchema).optional(),
    config: descriptorSchema.optional(),
    layers: z.array(descriptorSchema).optional(),
  })
  .refine(({ manifests, config, layers }) => manifests ?? (config && layers));

const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/**
 * Checks a manifest before Docker sees it.
 * @param type the `Content-Type` of the answer
 * @throws RegistryError `broken`; JobFailure `source_refused` when files have addresses in the manifest: Docker's newer store of images
 *   would fetch these itself
 */
export function checkManifest(bytes: Buffer, type: string | undefined): Manifest {
  const json = jsonOf(bytes);
  if ((json as { schemaVersion?: unknown } | undefined)?.schemaVersion === 1) {
    throw new RegistryError(
      'broken',
      'its manifest has the old schema 1, which Docker no longer reads: push the image again with a newer Docker',
    );
  }
  const read = manifestSchema.safeParse(json);
  if (!read.success) throw new RegistryError('broken', 'the registry sent something else than a manifest');
  const { mediaType, manifests = [], config, layers = [] } = read.data;
  const named = [...manifests, ...(config ? [config] : []), ...layers];
  if (named.some(({ urls }) => urls?.length)) {
    throw new JobFailure(
      'source_refused',
      'The image has layers at addresses outside its registry ("urls" in its manifest): push it again with all its layers.',
    );
  }
  const filesBytes = layers.reduce((sum, { size }) => sum + size, 0);
  if (filesBytes > imageBytesMax)
    throw new RegistryError('broken', `its layers have more than ${imageBytesMax / 2 ** 30} GiB`);
  const given = type?.split(';')[0]?.trim() ?? '';
  const known = [given, mediaType ?? ''].find((one) => manifestTypes.includes(one));
  if (known === undefined)
    throw new RegistryError('broken', 'its manifest is of a type that Docker does not know');
  return {
    bytes,
    type: known,
    digest: digestOf(bytes),
    sizes: new Map(named.map(({ digest, size }) => [digest, size])),
  };
}
