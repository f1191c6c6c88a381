/**
 * Restores and imports of engines whose data can't be exchanged inside the running server. The data is loaded into a volume of its own by a
 * container that the host alone reaches; a container like the live one then takes its place on that volume. The old volume stays. Which of
 * the two is live is to be read from the names and volumes alone, so that a restarted runner knows.
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
 * @param fill puts the data into the engine on it, which has just been started, and counts what it has put there
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

/** Ends what a dead process began; the database need not run. */
export async function recoverVolumeSwap(
  parts: SwapParts,
  names: RestoreNames,
): Promise<'swapped' | 'untouched'> {
  const ended = await recoverContainerSwap(parts, names);
  if (ended === 'untouched') await discard(parts, names);
  return ended;
}

/** The volume that the restored one says it has replaced; a volume that was replaced again has gone with its own restore's turn. */
export async function removeOldVolume(
  { docker, serviceId }: Pick<SwapParts, 'docker' | 'serviceId'>,
  { suffix }: RestoreNames,
): Promise<void> {
  const restored = await volumeLabels(docker, restoredVolumeName(serviceId, suffix));
  const old = restored?.[labels.replaces];
  if (old) await removeVolume(docker, old);
}

/** Everything but the old: what serves already keeps its volume, since Docker removes none that is in use. */
async function discard(
  { docker, serviceId }: Pick<SwapParts, 'docker' | 'serviceId'>,
  names: RestoreNames,
): Promise<void> {
  await removeIsolatedEngine({ docker, serviceId }, names);
  await removeContainer(docker, restoreContainerName(serviceId, 'restored', names.suffix));
  await removeVolume(docker, restoredVolumeName(serviceId, names.suffix));
}
