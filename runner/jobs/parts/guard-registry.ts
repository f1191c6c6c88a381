/** Which registries a service may name. */
import { parseImageRef } from '../../docker/image-ref.ts';
import { imageId } from '../../docker/images.ts';
import { guardedAddress } from '../../source/address-guard.ts';
import type { Attempt } from './attempt.ts';

/**
 * The registry's host is held to the same rule as a git host, unless the image is here already.
 * @throws JobFailure `source_refused`, `source_failed`
 */
export async function guardRegistry({ parts, context }: Attempt, imageRef: string): Promise<void> {
  const { registry, name } = parseImageRef(imageRef);
  if (registry === undefined || parts.allowPrivateSources) return;
  if (await imageId(parts.docker, name, context.signal)) return;
  const [, host = registry, port] = /^(.*?)(?::(\d+))?$/.exec(registry) ?? [];
  await guardedAddress(host, { allowPrivate: false, port: port === undefined ? 443 : Number(port) });
}
