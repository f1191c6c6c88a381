/** Stand-ins made before anybody asks for them: on a host without a registry, the first database would find no image. */
import { connectDocker } from '../docker/engine.ts';
import { type EnsureImageOptions, ensureImage } from './ensure-image.ts';
import { registryAnswers } from './registry-probe.ts';

/**
 * Makes the stand-ins that are missing, one after the other. Where a registry answers nothing is pulled unasked.
 * Never throws: a failure is said, and the deployment that needs the image says it again.
 */
export async function makeStandInsAhead(
  images: readonly string[],
  options: EnsureImageOptions = {},
): Promise<void> {
  const { docker = connectDocker(), say = () => {}, registryReachable = registryAnswers } = options;
  const sayWhy = (error: unknown) => say(error instanceof Error ? error.message : String(error));
  try {
    if (await registryReachable(docker)) return;
    const alone = { ...options, docker, registryReachable: async () => false };
    // One that can't be made keeps no other from being made.
    for (const image of images) await ensureImage(image, alone).catch(sayWhy);
  } catch (error) {
    sayWhy(error);
  }
}
