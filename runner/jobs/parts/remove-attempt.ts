/** Removes all objects of one deployment, by names and labels: for interrupted attempts that did not undo their work. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { imageTag, labels } from '../../../protocol/names.ts';
import { releaseDirectory } from '../../builder/release-directory.ts';
import type { DockerHost } from '../../docker/client.ts';
import { listContainers, removeContainer } from '../../docker/containers.ts';
import { removeImage } from '../../docker/images.ts';

/** The directory for the checkout and other files of one deployment. */
export const workDirectory = (dataDirectory: string, deploymentId: string) =>
  join(dataDirectory, 'work', deploymentId);

/**
 * Idempotent. The deployment must not be the live one.
 * @param deployment.epoch if given, the containers of other attempts are kept
 */
export async function removeAttempt(
  parts: { docker: DockerHost; dataDirectory: string },
  deployment: { serviceId: string; deploymentId: string; epoch?: number },
  { keepsImage = false } = {},
): Promise<void> {
  const epoch: Record<string, string> =
    deployment.epoch === undefined ? {} : { [labels.epoch]: String(deployment.epoch) };
  const wanted = { [labels.deployment]: deployment.deploymentId, ...epoch };
  for (const container of await listContainers(parts.docker, wanted)) {
    await removeContainer(parts.docker, container.id);
  }
  if (!keepsImage) await removeImage(parts.docker, imageTag(deployment.serviceId, deployment.deploymentId));
  await removeDirectory(releaseDirectory(parts.dataDirectory, deployment.deploymentId));
  await removeDirectory(workDirectory(parts.dataDirectory, deployment.deploymentId));
}

const removeDirectory = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 3 });
