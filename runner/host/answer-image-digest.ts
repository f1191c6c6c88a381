import { z } from 'zod';
import { registryLoginSchema } from '../../protocol/credentials.ts';
import type { ImageDigestAnswer } from '../../protocol/host-request.ts';
import type { DockerHost } from '../docker/client.ts';
import type { RegistryAccess } from '../registry/pull-image.ts';
import { readImageDigest } from '../registry/read-image-digest.ts';

/** @param logins `RegistryLogin[]` as JSON @throws ZodError for other content; errors of Docker */
export function answerImageDigest(
  { docker, ...access }: Pick<RegistryAccess, 'allowPrivate' | 'clock'> & { docker: DockerHost },
  imageRef: string,
  logins: string,
): Promise<ImageDigestAnswer> {
  const parsed = z.array(registryLoginSchema).parse(JSON.parse(logins));
  return readImageDigest(docker, imageRef, { ...access, logins: parsed });
}
