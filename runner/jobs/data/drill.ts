/**
 * A restore drill: verifies a backup's file, loads it into an engine like the service's on a separate volume, and counts the rows. The live
 * database is only read. No part of the drill is left, however it ends.
 */
import type { DrillSpec } from '../../../protocol/job-spec.ts';
import { restoredVolumeName, stableContainerName } from '../../../protocol/names.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { inspectContainer } from '../../docker/containers.ts';
import type { ReadFreeMemory } from '../../docker/memory.ts';
import { createVolume, removeVolume } from '../../docker/volumes.ts';
import type { ArchiveFile, Contents, FreshPlace } from '../../engines/archive/archive.ts';
import type { Job } from '../job.ts';
import { type DataAttempt, type DataJobParts, dataAttempt, restoreNames } from './data-attempt.ts';
import { drillJob, orFail } from './drill-job.ts';
import { refuseTooLittleDisk, refuseTooLittleMemory } from './room-for-copy.ts';
import { ownerOf, removeIsolatedEngine, withIsolatedEngine } from './volume/isolated-engine.ts';
import { untilServing } from './volume/until-serving.ts';
import { watchingDisk } from './watch-disk.ts';

export type DrillJobParts = DataJobParts & {
  readFreeMemory: ReadFreeMemory;
};

export const createDrillJob = (parts: DrillJobParts): Job<DrillSpec> =>
  drillJob(parts, {
    attempt: (spec, context) => dataAttempt(parts, spec, context),
    async load(attempt, spec, file) {
      await refuseTooLittleDisk(parts, spec.backup.sizeBytes, attempt.engine);
      attempt.enter('load');
      const contents = await watchingDisk(parts, attempt.place, (place) =>
        loaded(parts, { ...attempt, place }, spec, file),
      );
      refuseDifference(contents, spec);
    },
    async discard(spec) {
      const { serviceId } = spec;
      const names = namesOf(spec);
      await removeIsolatedEngine({ docker: parts.docker, serviceId }, names);
      await removeVolume(parts.docker, restoredVolumeName(serviceId, names.suffix));
    },
  });

async function loaded(
  parts: DrillJobParts,
  attempt: DataAttempt,
  spec: DrillSpec,
  file: ArchiveFile,
): Promise<Contents> {
  const { docker } = parts;
  const { engine, place } = attempt;
  const { serviceId } = spec;
  const { suffix } = namesOf(spec);
  const live = await inspectContainer(docker, stableContainerName(serviceId));
  await refuseTooLittleMemory(parts, live);
  const volume = restoredVolumeName(serviceId, suffix);
  await createVolume(docker, volume, ownerOf(live));
  const filling = await fillingOf(attempt, spec, file);
  const isolated = { live, volume, suffix, arguments: filling.engineArguments };
  return await orFail(
    withIsolatedEngine({ ...parts, serviceId, engine }, place, isolated, async (fresh) => {
      const contents = await filling.fill(fresh);
      crashPoint('load:done');
      return contents;
    }),
    'loaded',
  );
}

/** The way to load the file into a new engine of this kind. */
interface Filling {
  /** Extra arguments at the end of the engine's command. */
  engineArguments: readonly string[];
  fill(fresh: FreshPlace): Promise<Contents>;
}

async function fillingOf(
  { engine, enter }: DataAttempt,
  spec: DrillSpec,
  file: ArchiveFile,
): Promise<Filling> {
  if (engine.restore === 'volume') {
    const { archive } = await engine.data();
    return { engineArguments: archive.loadingArguments, fill: (fresh) => archive.load(fresh, file) };
  }
  const { archive } = await engine.data();
  return {
    engineArguments: [],
    async fill(fresh) {
      await untilServing(engine, fresh);
      const data = await archive.load(fresh, file, namesOf(spec));
      enter('prove');
      const contents = await data.contents();
      // Some engines create views and roles only in this step, and may refuse them: a drill is as strict as a restore.
      await data.swap();
      return contents;
    },
  };
}

function refuseDifference({ tables, rows }: Contents, { backup }: DrillSpec): void {
  if (tables === backup.tables && rows === backup.rows) return;
  throw new JobFailure(
    'drill_failed',
    `The backup has ${backup.rows} rows in ${backup.tables} tables, but ${rows} rows in ${tables} tables were loaded from it.`,
  );
}

const namesOf = ({ drillId }: DrillSpec) => restoreNames(drillId);
