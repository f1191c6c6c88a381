/**
 * A restore drill: verifies a backup's file, loads it into an engine like the service's on a separate volume, and counts the rows. The live
 * database is only read. Nothing of the drill is left, however it ends.
 */
import type { JobResult } from '../../../protocol/job-report.ts';
import type { DeploySecrets, DrillSpec } from '../../../protocol/job-spec.ts';
import { restoredVolumeName, stableContainerName } from '../../../protocol/names.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import { inspectContainer } from '../../docker/containers.ts';
import type { ReadFreeMemory } from '../../docker/memory.ts';
import { createVolume, removeVolume } from '../../docker/volumes.ts';
import type { ArchiveFile, Contents, FreshPlace } from '../../engines/archive/archive.ts';
import { EngineError } from '../../engines/engine-error.ts';
import type { Job, JobContext } from '../job.ts';
import { Undo } from '../undo.ts';
import { type DataAttempt, type DataJobParts, dataAttempt } from './data-attempt.ts';
import { restoreNames } from './restore-names.ts';
import { refuseTooLittleDisk, refuseTooLittleMemory } from './room-for-copy.ts';
import { fileToTest, removeFetched } from './verified-file.ts';
import { ownerOf, removeIsolatedEngine, withIsolatedEngine } from './volume/isolated-engine.ts';
import { untilServing } from './volume/until-serving.ts';
import { watchingDisk } from './watch-disk.ts';
import { fileAt } from './write-backup.ts';

export type DrillJobParts = DataJobParts & {
  readFreeMemory: ReadFreeMemory;
};

export function createDrillJob(parts: DrillJobParts): Job<DrillSpec> {
  return {
    run: (spec, secrets, context) => run(parts, spec, secrets, context),
    async recover(spec) {
      await discard(parts, spec);
      await removeFetched(parts, spec.backup);
      throw new JobFailure(
        'runner_restarted',
        'The runner was restarted during the drill, so the drill has no result: start another.',
      );
    },
  };
}

async function run(
  parts: DrillJobParts,
  spec: DrillSpec,
  secrets: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  const attempt = await dataAttempt(parts, spec, context);
  attempt.enter('fetch');
  const file = await fileToTest(attempt, spec.backup, secrets);
  const undo = new Undo();
  undo.register('remove the fetched file', file.release);
  try {
    await refuseTooLittleDisk(parts, spec.backup.sizeBytes, attempt.engine);
    attempt.enter('load');
    undo.register('remove the temporary database', () => discard(parts, spec));
    const contents = await watchingDisk(parts, attempt.place, (place) =>
      loaded(parts, { ...attempt, place }, spec, fileAt(file.path, spec.backup.sizeBytes, file.cipher)),
    );
    refuseDifference(contents, spec);
  } finally {
    await undo.run(context.log);
  }
  return { outcome: 'succeeded', facts: {} };
}

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
  );
}

/** How the file is loaded into a new engine of this kind. */
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
      // The server is new, so the users who own the data in the dump do not exist there.
      const data = await archive.load(fresh, file, { ...namesOf(spec), isOther: true });
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

/** Removes everything that a drill creates. Also succeeds when it is already removed. @throws DockerError */
async function discard({ docker }: DrillJobParts, spec: DrillSpec): Promise<void> {
  const { serviceId } = spec;
  const names = namesOf(spec);
  await removeIsolatedEngine({ docker, serviceId }, names);
  await removeVolume(docker, restoredVolumeName(serviceId, names.suffix));
}

const namesOf = ({ drillId }: DrillSpec) => restoreNames(drillId);

async function orFail<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new JobFailure('drill_failed', `The backup could not be loaded: ${error.message}`, {
      cause: error,
    });
  }
}
