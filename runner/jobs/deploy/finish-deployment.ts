/**
 * After the commit point: names, the old version's retirement, old images. The new version serves already, so nothing here may
 * fail the deployment; what goes wrong is logged and repaired by the reconcile of the next start.
 */

import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { deploymentContainerName, imageTag, labels, stableContainerName } from '../../../protocol/names.ts';
import { releaseDirectory } from '../../build/static-image.ts';
import { type ContainerFacts, listServiceContainers, renameContainer } from '../../docker/containers.ts';
import { removeImage, serviceImages } from '../../docker/images.ts';
import { findProjectNetwork, setAliases } from '../../docker/networks.ts';
import type { Route } from '../../proxy/traffic.ts';
import type { JobLog } from '../job.ts';
import type { DeployParts } from './attempt.ts';

/** Images kept for rollback, the serving one among them. */
const keptImages = 5;

/** @param before the route that the switch replaced; undefined for workers and first deployments */
export async function finishDeployment(
  parts: DeployParts,
  spec: DeploySpec,
  before: Route | undefined,
  log: JobLog,
): Promise<void> {
  const attempt = (what: string, run: () => Promise<void>) =>
    run().catch((error: unknown) => log.line('system', `Could not ${what}: ${String(error)}`));
  const containers = await listServiceContainers(parts.docker, spec.serviceId).catch((error: unknown) => {
    log.line('system', `Could not list the containers: ${String(error)}`);
    return [];
  });
  const isNew = (container: ContainerFacts) => container.labels[labels.deployment] === spec.deploymentId;
  for (const old of containers.filter((container) => !isNew(container))) {
    await attempt('take the alias from the old version', () => takeAlias(parts, spec, old));
    await attempt('rename the old version', () => renameContainer(parts.docker, old, nameOfOld(spec, old)));
    parts.retireLater({ kind: 'container', containerId: old.id, address: old.address });
  }
  for (const container of containers.filter(isNew)) {
    await attempt('name the new version', () =>
      renameContainer(parts.docker, container, stableContainerName(spec.serviceId)),
    );
  }
  if (before?.target.type === 'site' && before.deploymentId !== spec.deploymentId) {
    parts.retireLater({
      kind: 'release',
      directory: releaseDirectory(parts.dataDirectory, before.deploymentId),
    });
  }
  await attempt('remove old images', () => pruneImages(parts, spec));
}

const nameOfOld = (spec: DeploySpec, old: ContainerFacts) =>
  deploymentContainerName(spec.serviceId, old.labels[labels.deployment] ?? old.id.slice(0, 12));

/** Peers of the project must find the new version only. */
async function takeAlias(parts: DeployParts, spec: DeploySpec, old: ContainerFacts): Promise<void> {
  const network = await findProjectNetwork(parts.docker, spec.projectId);
  if (network && old.running && old.address) {
    await setAliases(parts.docker, { id: old.id, address: old.address }, network.id, []);
  }
}

/** Keeps the newest; those that a container uses stay by Docker's own refusal. */
async function pruneImages(parts: DeployParts, spec: DeploySpec): Promise<void> {
  const current = imageTag(spec.serviceId, spec.deploymentId);
  const others = (await serviceImages(parts.docker, spec.serviceId)).filter(({ tag }) => tag !== current);
  for (const { tag } of others.slice(keptImages - 1)) await removeImage(parts.docker, tag);
}
