/**
 * Restores and imports for engines whose data can't be swapped inside the running server. A container that only the host can reach loads
 * the data into a separate volume. Then a container like the live one replaces it, on that volume. The old volume stays. Only the names and
 * volumes show which of the two is live, so a restarted runner knows it, too.
 */
import {
  labels,
  restoreContainerName,
  restoredVolumeName,
  stableContainerName,
} from '../../../../protocol/names.ts';
import { inspectContainer, removeContainer } from '../../../docker/containers.ts';
import { dataVolumeOf } from '../../../docker/copy-container.ts';
import { createVolume, removeVolume, volumeLabels } from '../../../docker/volumes.ts';
import type {
  Contents,
  DataPlace,
  FreshPlace,
  LoadedData,
  RestoreNames,
} from '../../../engines/archive/archive.ts';
import type { VolumeEngine } from '../../../engines/database-engine.ts';
import {
  type IsolatedEngineParts,
  ownerOf,
  removeIsolatedEngine,
  withIsolatedEngine,
} from './isolated-engine.ts';
import { recoverContainerSwap, type SwapParts, swapContainers } from './swap-containers.ts';

/**
 * Fills a new volume.
 * @param fill puts the data into the engine on the volume, which was just started, and counts it
 */
export async function loadVolume(
  parts: IsolatedEngineParts & { engine: VolumeEngine },
  place: DataPlace,
  { suffix }: RestoreNames,
  fill: (fresh: FreshPlace) => Promise<Contents>,
): Promise<LoadedData> {
  const { docker, serviceId, engine } = parts;
  const names = { suffix };
  await discard(parts, names);
  const live = await inspectContainer(docker, stableContainerName(serviceId));
  const volume = restoredVolumeName(serviceId, suffix);
  try {
    await createVolume(docker, volume, {
      ...ownerOf(live),
      [labels.replaces]: (await dataVolumeOf(docker, live.id)) ?? '',
    });
    const { loadingArguments } = (await engine.data()).archive;
    const isolated = { live, volume, suffix, arguments: loadingArguments };
    const contents = await withIsolatedEngine(parts, place, isolated, fill);
    return {
      contents: async () => contents,
      swap: () => swapContainers(parts, live, names),
      discard: () => discard(parts, names),
    };
  } catch (error) {
    await discard(parts, names).catch(() => {});
    throw error;
  }
}

/** Finishes or undoes the work of a crashed process. The database need not be running. */
export async function recoverVolumeSwap(
  parts: SwapParts,
  names: RestoreNames,
): Promise<'swapped' | 'untouched'> {
  const ended = await recoverContainerSwap(parts, names);
  if (ended === 'untouched') await discard(parts, names);
  return ended;
}

/**
 * Removes the volume that the restored one has replaced, according to its label. If a later restore has replaced the restored volume, that
 * restore removes it.
 */
export async function removeOldVolume(
  { docker, serviceId }: Pick<SwapParts, 'docker' | 'serviceId'>,
  { suffix }: RestoreNames,
): Promise<void> {
  const restored = await volumeLabels(docker, restoredVolumeName(serviceId, suffix));
  const old = restored?.[labels.replaces];
  if (old) await removeVolume(docker, old);
}

/**
 * Removes all objects of the attempt, but not the old data. If the new data is already live, its volume stays: Docker removes no volume in
 * use.
 */
async function discard(
  { docker, serviceId }: Pick<SwapParts, 'docker' | 'serviceId'>,
  names: RestoreNames,
): Promise<void> {
  await removeIsolatedEngine({ docker, serviceId }, names);
  await removeContainer(docker, restoreContainerName(serviceId, 'restored', names.suffix));
  await removeVolume(docker, restoredVolumeName(serviceId, names.suffix));
}
