/** Takes away all that one deployment has made, by its names and labels: for attempts that died without their undo. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { imageTag, labels } from '../../../protocol/names.ts';
import { releaseDirectory } from '../../build/static-image.ts';
import type { DockerHost } from '../../docker/client.ts';
import { listContainers, removeContainer } from '../../docker/containers.ts';
import { removeImage } from '../../docker/images.ts';

export const workDirectory = (dataDirectory: string, deploymentId: string) =>
  join(dataDirectory, 'work', deploymentId);

/** Idempotent. The deployment must not be the one that serves. */
export async function removeAttempt(
  parts: { docker: DockerHost; dataDirectory: string },
  deployment: { serviceId: string; deploymentId: string },
): Promise<void> {
  for (const container of await listContainers(parts.docker, {
    [labels.deployment]: deployment.deploymentId,
  })) {
    await removeContainer(parts.docker, container.id);
  }
  await removeImage(parts.docker, imageTag(deployment.serviceId, deployment.deploymentId));
  await removeDirectory(releaseDirectory(parts.dataDirectory, deployment.deploymentId));
  await removeDirectory(workDirectory(parts.dataDirectory, deployment.deploymentId));
}

const removeDirectory = (path: string) => rm(path, { recursive: true, force: true, maxRetries: 3 });
