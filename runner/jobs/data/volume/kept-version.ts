/** The way back of an upgrade: a container like the one before, on the old volume and with the old image. It is never started. */
import { labels, restoreContainerName, stableContainerName } from '../../../../protocol/names.ts';
import {
  type ContainerFacts,
  environmentOf,
  inspectContainer,
  listServiceContainers,
  removeContainer,
} from '../../../docker/containers.ts';
import { copyContainer, copyFiles, dataVolumeOf } from '../../../docker/copy-container.ts';
import { isNotFound } from '../../../docker/docker-error.ts';
import { removeVolume } from '../../../docker/volumes.ts';
import type { RestoreNames } from '../../../engines/archive/archive.ts';
import { ownerOf } from './isolated-engine.ts';
import { settingFiles } from './setting-files.ts';
import type { SwapParts } from './swap-containers.ts';

const nameOf = (serviceId: string, { suffix }: RestoreNames) =>
  restoreContainerName(serviceId, 'kept', suffix);

/** Keeps image, volume, settings and files of this container. While the copy exists, Docker removes neither image nor volume. */
export async function keepVersion(
  { docker, serviceId, engine }: SwapParts,
  old: ContainerFacts,
  { suffix, volume }: RestoreNames & { volume: string },
): Promise<void> {
  const name = nameOf(serviceId, { suffix });
  await removeContainer(docker, name);
  const owner = { ...ownerOf(old), [labels.role]: 'kept' };
  const id = await copyContainer(docker, old.id, { name, volume, labels: owner });
  await copyFiles(docker, old.id, id, settingFiles(engine, await environmentOf(docker, old.id), old));
}

/** @returns the container and its volume; undefined when nothing is kept (any more) */
export async function findKeptVersion(
  { docker, serviceId }: Pick<SwapParts, 'docker' | 'serviceId'>,
  names: RestoreNames,
): Promise<{ id: string; volume: string } | undefined> {
  try {
    const { id } = await inspectContainer(docker, nameOf(serviceId, names));
    const volume = await dataVolumeOf(docker, id);
    return volume === undefined ? undefined : { id, volume };
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Gives up the way back; its volume stays. Also succeeds when nothing is kept. */
export const dropKeptVersion = (
  { docker, serviceId }: Pick<SwapParts, 'docker' | 'serviceId'>,
  names: RestoreNames,
): Promise<void> => removeContainer(docker, nameOf(serviceId, names));

/** Removes a version with its data, once another volume is live. Without a live container nothing is removed: it may be the only data. */
export async function removeKeptVersion(
  parts: Pick<SwapParts, 'docker' | 'serviceId'>,
  { suffix, volume }: RestoreNames & { volume: string },
): Promise<void> {
  const { docker, serviceId } = parts;
  const containers = await listServiceContainers(docker, serviceId);
  const live = containers.find(({ name }) => name === stableContainerName(serviceId));
  if (!live || (await dataVolumeOf(docker, live.id)) === volume) return;
  await dropKeptVersion(parts, { suffix });
  await removeVolume(docker, volume);
}
