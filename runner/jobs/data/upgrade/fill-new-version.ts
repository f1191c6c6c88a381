/** Loads a dump into a new volume under another image, in a container that only the host can reach. */
import { labels, restoredVolumeName, stableContainerName } from '../../../../protocol/names.ts';
import { type ContainerFacts, inspectContainer } from '../../../docker/containers.ts';
import { dataVolumeOf } from '../../../docker/copy-container.ts';
import { createVolume, removeVolume } from '../../../docker/volumes.ts';
import type { ArchiveFile, Contents, DataPlace, FreshPlace } from '../../../engines/archive/archive.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import { ownerOf, removeIsolatedEngine, withIsolatedEngine } from '../volume/isolated-engine.ts';
import { untilServing } from '../volume/until-serving.ts';
import { watchingDisk } from '../watch-disk.ts';
import { namesOf, partsOf, type Upgrade } from './upgrade-parts.ts';

export interface NewVersion {
  /** The container whose settings are copied. */
  live: ContainerFacts;
  /** Id of the new image. */
  image: string;
  file: ArchiveFile;
  /** The tables and rows of the file; the loaded data must have the same. */
  counts: Contents;
}

/**
 * @param source the dumped database: the service's own users, which are not in the file, are copied from it
 * @throws EngineError, DockerError; JobFailure, `disk_full` among them; the signal's reason. Then no new version is left
 */
export async function fillNewVersion(
  upgrade: Upgrade,
  source: DataPlace,
  { live, image, file, counts }: NewVersion,
): Promise<{ discard(): Promise<void> }> {
  const parts = partsOf(upgrade);
  const { docker, serviceId, engine } = parts;
  const names = namesOf(upgrade.spec);
  const volume = restoredVolumeName(serviceId, names.suffix);
  const discard = async () => {
    await removeIsolatedEngine({ docker, serviceId }, names);
    await removeVolume(docker, volume);
  };
  await discard();
  try {
    const replaced = (await dataVolumeOf(docker, live.id)) ?? '';
    await createVolume(docker, volume, { ...ownerOf(live), [labels.replaces]: replaced });
    const own = engine.restore === 'volume' ? (await engine.data()).archive.loadingArguments : [];
    const isolated = { live, volume, image, ...names, arguments: own };
    const loaded = await watchingDisk(upgrade.parts, source, (watched) =>
      withIsolatedEngine(parts, watched, isolated, (fresh) => fill(upgrade, fresh, file, source)),
    );
    refuseDifference(loaded, counts);
  } catch (error) {
    await discard().catch(() => {});
    throw error;
  }
  return { discard };
}

/** An engine that swaps its data in place does so on the new server, too: the loaded data gets its names, roles and settings. */
async function fill(
  { parts, spec }: Pick<Upgrade, 'parts' | 'spec'>,
  fresh: FreshPlace,
  file: ArchiveFile,
  source: DataPlace,
): Promise<Contents> {
  const { engine } = partsOf({ parts, spec });
  if (engine.restore === 'volume') return (await engine.data()).archive.load(fresh, file, source);
  const { archive } = await engine.data();
  await untilServing(engine, fresh);
  const names = namesOf(spec);
  const loaded = await archive.load(fresh, file, names);
  const contents = await loaded.contents();
  await loaded.swap();
  await archive.removeOld(fresh, names);
  return contents;
}

function refuseDifference(loaded: Contents, saved: Contents): void {
  if (loaded.tables === saved.tables && loaded.rows === saved.rows) return;
  throw new EngineError(
    'unavailable',
    `The dump has ${saved.rows} rows in ${saved.tables} tables, but ${loaded.rows} rows in ${loaded.tables} tables were loaded.`,
  );
}

/** The service's live container. @throws DockerError with status 404 if there is none */
export const liveOf = ({ parts, spec }: Pick<Upgrade, 'parts' | 'spec'>): Promise<ContainerFacts> =>
  inspectContainer(parts.docker, stableContainerName(spec.serviceId));
