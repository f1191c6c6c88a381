/** Keeps the version before an upgrade, for an undo: a copy of the old container, with its volume and image, that is never started. */
import {
  labels,
  restoreContainerName,
  restoredVolumeName,
  stableContainerName,
} from '../../../../protocol/names.ts';
import {
  type ContainerFacts,
  environmentOf,
  inspectContainer,
  listServiceContainers,
  removeContainer,
} from '../../../docker/containers.ts';
import { copyContainer, copyFiles, dataVolumeOf } from '../../../docker/copy-container.ts';
import { isNotFound } from '../../../docker/docker-error.ts';
import { removeVolume, volumeLabels } from '../../../docker/volumes.ts';
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

/** @returns the container and its volume; `undefined` if nothing is kept */
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

/** Removes the kept container, so that the upgrade can't be undone; its volume stays. Also succeeds if nothing is kept. */
export const dropKeptVersion = (
  { docker, serviceId }: Pick<SwapParts, 'docker' | 'serviceId'>,
  names: RestoreNames,
): Promise<void> => removeContainer(docker, nameOf(serviceId, names));

/**
 * Removes a version with its data, while another volume is live. Does nothing after an undo: other work, such as a later restore, may use
 * the volume.
 * @param isUndone the version was left by an undo, so no container keeps it
 * @throws Error while the service has no live container, as the volume may then be its only data: the caller retries. DockerError
 */
export async function removeKeptVersion(
  parts: Pick<SwapParts, 'docker' | 'serviceId'>,
  { suffix, volume, isUndone }: RestoreNames & { volume: string; isUndone: boolean },
): Promise<void> {
  const { docker, serviceId } = parts;
  const kept = await findKeptVersion(parts, { suffix });
  if (!kept && (await volumeLabels(docker, volume)) === undefined) return;
  const containers = await listServiceContainers(docker, serviceId);
  const live = containers.find(({ name }) => name === stableContainerName(serviceId));
  if (!live) throw new Error(`the database ${serviceId} has no container now, so its old data stays`);
  const used = await dataVolumeOf(docker, live.id);
  if (used === volume) return;
  // The volume may still exist without its container, because an earlier try was interrupted.
  const isOwn = isUndone || kept !== undefined || used === restoredVolumeName(serviceId, suffix);
  if (!isOwn) return;
  await dropKeptVersion(parts, { suffix });
  await removeVolume(docker, volume);
}
