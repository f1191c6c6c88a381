/**
 * Restores of engines whose data can't be exchanged inside the running server. The dump is loaded into a volume of its own by a container
 * that nobody reaches; a container like the live one then takes its place on that volume. The old volume stays. Which of the two is live
 * is to be read from the names and volumes alone, so that a restarted runner knows.
 */
import {
  labels,
  restoreContainerName,
  restoredVolumeName,
  stableContainerName,
} from '../../../../protocol/names.ts';
import type { DockerHost } from '../../../docker/client.ts';
import { containerTools } from '../../../docker/container-tools.ts';
import {
  type ContainerFacts,
  inspectContainer,
  removeContainer,
  startContainer,
  stopContainer,
} from '../../../docker/containers.ts';
import { copyContainer, copyFiles, dataVolumeOf } from '../../../docker/copy-container.ts';
import { createVolume, removeVolume, volumeLabels } from '../../../docker/volumes.ts';
import type {
  ArchiveFile,
  ArchivingEngine,
  DataPlace,
  FreshPlace,
  LoadedData,
  RestoreNames,
  VolumeArchive,
} from '../../../engines/archive/archive.ts';
import { volumeArchives } from '../../../engines/archive/index.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import { endExchange, exchange, type SwitchParts, stopGraceSeconds } from './exchange.ts';
import { settingFiles } from './setting-files.ts';

/** An archive whose `recover` and `removeOld` need no database that runs. */
export type VolumeSwitch = Omit<ArchivingEngine, 'recover' | 'removeOld'> & {
  recover(names: RestoreNames): ReturnType<ArchivingEngine['recover']>;
  removeOld(names: RestoreNames): Promise<void>;
};

/** undefined for engines that exchange their data themselves. */
export function volumeSwitch(parts: SwitchParts): VolumeSwitch | undefined {
  const archive = volumeArchives[parts.engine];
  return (
    archive && {
      dump: archive.dump,
      check: archive.check,
      load: (place, file, names) => load(parts, archive, place, file, names),
      async recover(names) {
        const ended = await endExchange(parts, names);
        if (ended === 'untouched') await discard(parts, names);
        return ended;
      },
      removeOld: (names) => removeOld(parts, names),
    }
  );
}

async function load(
  parts: SwitchParts,
  archive: VolumeArchive,
  place: DataPlace,
  file: ArchiveFile,
  names: RestoreNames,
): Promise<LoadedData> {
  const { docker, serviceId } = parts;
  await discard(parts, names);
  const live = await inspectContainer(docker, stableContainerName(serviceId));
  const volume = restoredVolumeName(serviceId, names.suffix);
  try {
    await createVolume(docker, volume, {
      ...ownerOf(live),
      [labels.replaces]: (await dataVolumeOf(docker, live.id)) ?? '',
    });
    const contents = await loadAlone(parts, archive, place, file, { live, volume, ...names });
    return {
      contents: async () => contents,
      swap: () => exchange(parts, live, names),
      discard: () => discard(parts, names),
    };
  } catch (error) {
    await discard(parts, names).catch(() => {});
    throw error;
  }
}

/** The engine runs on the new volume, on no network, until the data is in it and written down. */
async function loadAlone(
  { docker, serviceId, engine }: SwitchParts,
  archive: VolumeArchive,
  { env, signal, progress }: DataPlace,
  file: ArchiveFile,
  { live, volume, suffix }: RestoreNames & { live: ContainerFacts; volume: string },
) {
  const id = await copyContainer(docker, live.id, {
    name: restoreContainerName(serviceId, 'loading', suffix),
    volume,
    labels: { ...ownerOf(live), [labels.role]: 'load' },
    aloneWith: archive.loadingArguments,
  });
  await copyFiles(docker, live.id, id, settingFiles(engine, env, live));
  await startContainer(docker, id);
  const place: FreshPlace = {
    env,
    signal,
    progress,
    tools: containerTools(docker, id),
    async restart() {
      await stopContainer(docker, id, stopGraceSeconds);
      await startContainer(docker, id);
    },
  };
  const contents = await archive.load(place, file).catch(async (error: unknown) => {
    signal.throwIfAborted();
    throw (await deathOf(docker, id)) ?? error;
  });
  await stopContainer(docker, id, stopGraceSeconds);
  signal.throwIfAborted();
  await removeContainer(docker, id);
  return contents;
}

/** Its end, when that is why nothing more was heard of it. */
async function deathOf(docker: DockerHost, id: string): Promise<EngineError | undefined> {
  const { running, outOfMemory, exitCode } = await inspectContainer(docker, id);
  if (running) return undefined;
  const why = outOfMemory ? 'it needs more memory than the service may take' : `exit code ${exitCode}`;
  return new EngineError('unavailable', `The database ended while it loaded the backup: ${why}.`);
}

/** Everything but the old: what serves already keeps its volume, since Docker removes none that is in use. */
async function discard({ docker, serviceId }: SwitchParts, { suffix }: RestoreNames): Promise<void> {
  await removeContainer(docker, restoreContainerName(serviceId, 'loading', suffix));
  await removeContainer(docker, restoreContainerName(serviceId, 'restored', suffix));
  await removeVolume(docker, restoredVolumeName(serviceId, suffix));
}

/** The volume that the restored one says it has replaced; a volume that was replaced again has gone with its own restore's turn. */
async function removeOld({ docker, serviceId }: SwitchParts, { suffix }: RestoreNames): Promise<void> {
  const restored = await volumeLabels(docker, restoredVolumeName(serviceId, suffix));
  const old = restored?.[labels.replaces];
  if (old) await removeVolume(docker, old);
}

/** A volume without a deployment's label is nobody's to take back. */
function ownerOf({ labels: of }: ContainerFacts): Record<string, string> {
  const kept = [labels.instance, labels.project, labels.service];
  return Object.fromEntries(kept.flatMap((label) => (of[label] ? [[label, of[label]]] : [])));
}
