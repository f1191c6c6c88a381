/**
 * Copies the final data of the old version into a volume of the new one. The database is stopped and renamed, so that it is not started
 * again. For the final dump, a container that only the host can reach runs the old version on the same volume.
 */
import { restoreContainerName } from '../../../../protocol/names.ts';
import { crashPoint } from '../../../base/crash-point.ts';
import { JobFailure } from '../../../base/job-failure.ts';
import { inspectContainer, renameContainer, stopContainer } from '../../../docker/containers.ts';
import { dataVolumeOf } from '../../../docker/copy-container.ts';
import type { DataAttempt } from '../data-attempt.ts';
import { withIsolatedEngine } from '../volume/isolated-engine.ts';
import { keepVersion } from '../volume/kept-version.ts';
import { stopGraceSeconds, swapContainers } from '../volume/swap-containers.ts';
import { untilServing } from '../volume/until-serving.ts';
import { ofDatabase, writeBackup } from '../write-backup.ts';
import { fillNewVersion, liveOf } from './fill-new-version.ts';
import { lastDumpPath, lastNamesOf, namesOf, partsOf, type Upgrade } from './upgrade-parts.ts';

export interface StoppedCopy {
  oldVolume: string;
  swap(): Promise<void>;
}

/** @throws EngineError, DockerError, JobFailure; the signal's reason. `recoverUpgrade` then restores the old version */
export async function stoppedCopy(
  upgrade: Upgrade,
  attempt: DataAttempt,
  image: string,
): Promise<StoppedCopy> {
  const parts = partsOf(upgrade);
  const { docker, serviceId, engine } = parts;
  const names = namesOf(upgrade.spec);
  const running = await liveOf(upgrade);
  const oldVolume = await dataVolumeOf(docker, running.id);
  if (oldVolume === undefined)
    throw new JobFailure('upgrade_failed', 'The container of the database has no volume.');
  await stopContainer(docker, running.id, stopGraceSeconds);
  crashPoint('dump:stopped');
  await renameContainer(docker, running, restoreContainerName(serviceId, 'before', names.suffix));
  crashPoint('dump:renamed');
  const live = await inspectContainer(docker, running.id);
  const last = { live, volume: oldVolume, ...lastNamesOf(upgrade.spec), arguments: [] };
  await withIsolatedEngine(parts, attempt.place, last, async (source) => {
    await untilServing(engine, source);
    const { archive, contents } = await writeBackup(
      ofDatabase({ ...attempt, place: source }),
      lastDumpPath(upgrade),
    );
    crashPoint('dump:taken');
    await fillNewVersion(upgrade, source, { live, image, file: archive, counts: contents });
    crashPoint('dump:loaded');
  });
  await keepVersion(parts, live, { ...names, volume: oldVolume });
  crashPoint('dump:kept');
  return { oldVolume, swap: () => swapContainers(parts, live, { ...names, image }) };
}
