/**
 * The steps after the commit point: names, removal of the old version, old images. The new version is already live, so no error here may
 * fail the deployment. While Docker is unavailable it waits; other errors are logged, and repaired by the reconcile at the next start.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { drainSecondsOf } from '../../../protocol/container-settings.ts';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { deploymentContainerName, imageTag, labels, replicaName } from '../../../protocol/names.ts';
import { releaseDirectory } from '../../builder/release-directory.ts';
import {
  type ContainerFacts,
  listServiceContainers,
  liveNameOf,
  renameContainer,
  replicaOf,
} from '../../docker/containers.ts';
import { DockerError, isConflict, isGone } from '../../docker/docker-error.ts';
import { serviceImages } from '../../docker/images.ts';
import { findProjectNetwork, setAliases } from '../../docker/networks/networks.ts';
import type { JobLog } from '../../job-log/job-log.ts';
import type { Route } from '../../proxy/traffic.ts';
import type { DeployParts } from './attempt.ts';

/** A restarting daemon answers again within seconds. If it stays unavailable, a person has to repair it, and the deployment has to end. */
const dockerAwayLimitMs = 5 * 60_000;
const dockerPollMs = 1_000;

/** @param before the route that the switch replaced; `undefined` for workers and first deployments */
export async function finishDeployment(
  parts: DeployParts,
  spec: DeploySpec,
  before: Route | undefined,
  log: JobLog,
): Promise<void> {
  const giveUpAt = performance.now() + dockerAwayLimitMs;
  const attempt = <T>(what: string, run: () => Promise<T>): Promise<T | undefined> =>
    onceDockerAnswers(run, giveUpAt).catch((error: unknown) => {
      log.line('system', `Could not ${what}: ${String(error)}`);
      return undefined;
    });
  const listed = await attempt('list the containers', () =>
    listServiceContainers(parts.docker, spec.serviceId),
  );
  const containers = listed ?? [];
  const isNew = (container: ContainerFacts) => container.labels[labels.deployment] === spec.deploymentId;
  const sendsNames = await parts.names.canSend();
  for (const old of containers.filter((container) => !isNew(container))) {
    if (!sendsNames) {
      await attempt(
        'take the alias from the old version',
        unlessGone(() => takeAlias(parts, spec, old)),
      );
    }
    await attempt(
      'rename the old version',
      unlessGone(() => renameContainer(parts.docker, old, nameOfOld(spec, old))),
    );
    parts.retireLater({
      kind: 'container',
      containerId: old.id,
      address: old.address,
      serviceId: spec.serviceId,
      drainMs: drainSecondsOf(spec.stop) * 1_000,
      since: Date.now(),
    });
  }
  for (const container of containers.filter(isNew)) {
    await attempt('rename the new version', () => takeStableName(parts, spec, container, log));
  }
  await parts.names.sync();
  await attempt('forget that the service was stopped', () => forgetStop(parts, spec));
  if (before?.target.type === 'site' && before.deploymentId !== spec.deploymentId) {
    parts.retireLater({
      kind: 'release',
      directory: releaseDirectory(parts.dataDirectory, before.deploymentId),
    });
  }
  await attempt('remove old images', () => retireImages(parts, spec));
}

/** A version retired by the previous deployment may be removed in the meantime: then nothing is left to do. */
const unlessGone = (run: () => Promise<void>) => (): Promise<void> =>
  run().catch((error: unknown) => {
    if (!isGone(error)) throw error;
  });

/** The other runner's container has the name after a move between two runners on the same Docker, until that runner removes it. */
async function takeStableName(
  { docker, retireLater }: DeployParts,
  { serviceId, deploymentId }: DeploySpec,
  container: ContainerFacts,
  log: JobLog,
): Promise<void> {
  const name = liveNameOf(container.labels);
  await renameContainer(docker, container, name).catch((error: unknown) => {
    if (!isConflict(error)) throw error;
    log.line('system', `The container gets its name ${name} once the old host has removed its own.`);
    retireLater({ kind: 'name', containerId: container.id, serviceId, deploymentId });
  });
}

/** A worker or database has a route only while it is stopped. The switch of other services has replaced theirs. */
async function forgetStop({ traffic }: DeployParts, { serviceId, deploymentId }: DeploySpec): Promise<void> {
  const route = traffic.current(serviceId);
  if (route?.target.type === 'stopped' && route.deploymentId !== deploymentId)
    await traffic.remove(serviceId);
}

async function onceDockerAnswers<T>(run: () => Promise<T>, giveUpAt: number): Promise<T> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof DockerError && error.retry) || performance.now() > giveUpAt) throw error;
      await delay(dockerPollMs);
    }
  }
}

const nameOfOld = (spec: DeploySpec, old: ContainerFacts) =>
  replicaName(
    deploymentContainerName(spec.serviceId, old.labels[labels.deployment] ?? old.id.slice(0, 12)),
    replicaOf(old.labels),
  );

/** Moves the name without firewall rules: peers in the project find only the new version, and peers in the previous project find none. */
async function takeAlias(parts: DeployParts, spec: DeploySpec, old: ContainerFacts): Promise<void> {
  const network = await findProjectNetwork(parts.docker, old.labels[labels.project] ?? spec.projectId);
  if (network && old.running && old.address) {
    await setAliases(parts.docker, { id: old.id, address: old.address }, network.id, []);
  }
}

/** The control plane decides which images are kept: it knows the order of the deployments and the images that a rollback may need. */
async function retireImages(parts: DeployParts, spec: DeploySpec): Promise<void> {
  if (!spec.keptDeployments) return;
  const kept = new Set(
    [spec.deploymentId, ...spec.keptDeployments].map((deployment) => imageTag(spec.serviceId, deployment)),
  );
  const images = await serviceImages(parts.docker, spec.serviceId);
  for (const tag of images) if (!kept.has(tag)) parts.retireLater({ kind: 'image', tag });
}
