/** Makes stand-ins before they are needed: on a host without a registry, the first database would find no image. */
import { connectDocker } from '../docker/engine.ts';
import { type EnsureImageOptions, ensureImage } from './ensure-image.ts';
import { registryAnswers } from './registry-probe.ts';

/**
 * Makes the missing stand-ins, one after the other. When a registry answers, nothing is pulled in advance.
 * Never throws: a failure is printed, and the deployment that needs the image reports it again.
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
    // One failed image doesn't stop the others.
    for (const image of images) await ensureImage(image, alone).catch(sayWhy);
  } catch (error) {
    sayWhy(error);
  }
}
