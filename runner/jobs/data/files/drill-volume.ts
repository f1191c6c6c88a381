/**
 * A restore drill of a volume: verifies a backup's file, unpacks it into a temporary volume and compares every entry with it. The service
 * and its volumes are not touched. Nothing of the drill is left, however it ends.
 */
import type { JobResult } from '../../../../protocol/job-report.ts';
import type { DeploySecrets } from '../../../../protocol/job-spec.ts';
import { labels, restoreContainerName, restoredVolumeName } from '../../../../protocol/names.ts';
import type { VolumeDrillSpec } from '../../../../protocol/volumes/volume-job-spec.ts';
import { crashPoint } from '../../../base/crash-point.ts';
import { JobFailure } from '../../../base/job-failure.ts';
import { removeContainer } from '../../../docker/containers.ts';
import { withHelper } from '../../../docker/helper/with-helper.ts';
import { createVolume, removeVolume } from '../../../docker/volumes.ts';
import type { ArchiveFile, WorkPlace } from '../../../engines/archive/archive.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import type { Job, JobContext } from '../../job.ts';
import { Undo } from '../../undo.ts';
import { type DataJobParts, reporting } from '../data-attempt.ts';
import { restoreNames } from '../restore-names.ts';
import { refuseTooLittleRoom } from '../room-for-copy.ts';
import { fileToTest, removeFetched } from '../verified-file.ts';
import { watchingDisk } from '../watch-disk.ts';
import { fileAt } from '../write-backup.ts';
import { noTools } from './no-tools.ts';
import { readVolumeArchive, unpackVolume, volumePath } from './volume-archive.ts';

export function createVolumeDrillJob(parts: DataJobParts): Job<VolumeDrillSpec> {
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
  parts: DataJobParts,
  spec: VolumeDrillSpec,
  secrets: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  const { enter, progress, say } = reporting(context);
  const place = { tools: noTools, signal: context.signal, progress, say };
  enter('fetch');
  const file = await fileToTest({ parts, context, place }, spec.backup, secrets);
  const undo = new Undo();
  undo.register('remove the fetched file', file.release);
  try {
    enter('load');
    undo.register('remove the temporary volume', () => discard(parts, spec));
    await orFail(load(parts, spec, place, fileAt(file.path, spec.backup.sizeBytes, file.cipher)));
    enter('prove');
  } finally {
    await undo.run(context.log);
  }
  return { outcome: 'succeeded', facts: {} };
}

/** Unpacks the file, and compares what it has become with the file. */
async function load(
  parts: DataJobParts,
  spec: VolumeDrillSpec,
  place: WorkPlace,
  file: ArchiveFile,
): Promise<void> {
  const contents = await readVolumeArchive(file, place.signal);
  if (contents.rows !== spec.backup.rows) {
    throw new EngineError(
      'invalid_request',
      `it has ${spec.backup.rows} files and directories, but its archive ${contents.rows}`,
    );
  }
  await refuseTooLittleRoom(parts, contents);
  const { volume, container } = namesOf(spec);
  const owner = {
    [labels.instance]: parts.docker.instance,
    [labels.project]: spec.projectId,
    [labels.service]: spec.serviceId,
  };
  await createVolume(parts.docker, volume, owner);
  crashPoint('load:made');
  const helper = {
    name: container,
    labels: { ...owner, [labels.role]: 'load' },
    mounts: [{ name: volume, path: volumePath }],
  };
  await watchingDisk(parts, place, (watched) =>
    withHelper(parts.docker, helper, async (tools) => {
      await unpackVolume(tools, file, watched, contents);
      crashPoint('load:done');
    }),
  );
}

/** Removes everything that a drill creates. Also succeeds when it is already removed. @throws DockerError */
async function discard({ docker }: Pick<DataJobParts, 'docker'>, spec: VolumeDrillSpec): Promise<void> {
  const { volume, container } = namesOf(spec);
  await removeContainer(docker, container);
  await removeVolume(docker, volume);
}

/** Of the drill, so that no other job of the service has the same names. */
function namesOf({ serviceId, drillId }: VolumeDrillSpec) {
  const { suffix } = restoreNames(drillId);
  return {
    volume: restoredVolumeName(serviceId, suffix),
    container: restoreContainerName(serviceId, 'loading', suffix),
  };
}

async function orFail<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new JobFailure('drill_failed', `The backup could not be restored: ${error.message}`, {
      cause: error,
    });
  }
}
