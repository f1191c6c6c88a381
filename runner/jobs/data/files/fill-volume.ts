/**
 * Fills a volume of a service that moves to this host with a backup from its old host. The next deployment mounts it. After any failure, no
 * volume is left here: the service starts again on its old host, which has all data.
 */
import type { JobResult } from '../../../../protocol/job-report.ts';
import type { DeploySecrets } from '../../../../protocol/job-spec.ts';
import { labels, restoreContainerName } from '../../../../protocol/names.ts';
import type { VolumeFillSpec } from '../../../../protocol/volumes/volume-job-spec.ts';
import { crashPoint } from '../../../base/crash-point.ts';
import { JobFailure } from '../../../base/job-failure.ts';
import { removeContainer } from '../../../docker/containers.ts';
import { createVolume, removeVolume, volumeLabels } from '../../../docker/volumes.ts';
import type { ArchiveFile, WorkPlace } from '../../../engines/archive/archive.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import type { Job, JobContext } from '../../job.ts';
import { Undo } from '../../undo.ts';
import { reporting } from '../data-attempt.ts';
import { refuseTooLittleRoom } from '../room-for-copy.ts';
import { removeFetched, verifiedFile } from '../verified-file.ts';
import { watchingDisk } from '../watch-disk.ts';
import { fileAt } from '../write-backup.ts';
import { readVolumeArchive, unpackVolume, volumePath } from './volume-archive.ts';
import { inHelper, noTools, ownerOf, sourceOf, type VolumeJobParts } from './volume-attempt.ts';

export function createVolumeFillJob(parts: VolumeJobParts): Job<VolumeFillSpec> {
  return {
    run: (spec, secrets, context) => run(parts, spec, secrets, context),
    async recover(spec) {
      await removeFetched(parts, spec.backup);
      await discard(parts, spec);
      throw new JobFailure(
        'runner_restarted',
        'The runner was restarted while the volume was filled, and what was there was removed: move the service again.',
      );
    },
  };
}

async function run(
  parts: VolumeJobParts,
  spec: VolumeFillSpec,
  secrets: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  const { enter, progress, say } = reporting(context);
  const place = { tools: noTools, signal: context.signal, progress, say };
  await refuseForeign(parts, spec);
  enter('fetch');
  const file = await verifiedFile({ parts, context, place }, spec.backup, secrets);
  const undo = new Undo();
  try {
    enter('load');
    undo.register('remove the new volume', () => discard(parts, spec));
    await orFail(fill(parts, spec, place, fileAt(file.path, spec.backup.sizeBytes, file.cipher)));
    enter('prove');
  } catch (error) {
    await undo.run(context.log);
    throw error;
  } finally {
    await file.release();
  }
  return { outcome: 'succeeded', facts: {} };
}

/** Docker refuses to remove a volume that a container uses, so the data of a version that runs here is safe. */
async function fill(
  parts: VolumeJobParts,
  spec: VolumeFillSpec,
  place: WorkPlace,
  file: ArchiveFile,
): Promise<void> {
  const room = spec.volume.sizeMb === null ? undefined : spec.volume.sizeMb * 2 ** 20;
  const contents = await readVolumeArchive(file, place.signal, room);
  if (contents.rows !== spec.backup.rows) {
    throw new EngineError(
      'invalid_request',
      `the backup has ${spec.backup.rows} files and directories, but its archive ${contents.rows}`,
    );
  }
  await refuseTooLittleRoom(parts, contents);
  await removeVolume(parts.docker, sourceOf(spec));
  await createVolume(parts.docker, sourceOf(spec), ownerOf(parts, spec));
  crashPoint('load:made');
  await watchingDisk(parts, place, (watched) =>
    inHelper(parts, spec, (tools) => unpackVolume(tools, file, watched, contents), [
      { name: sourceOf(spec), path: volumePath },
    ]),
  );
  crashPoint('load:done');
}

/** @throws JobFailure `start_failed` for a volume of another service or instance */
async function refuseForeign({ docker }: VolumeJobParts, spec: VolumeFillSpec): Promise<void> {
  const found = await volumeLabels(docker, sourceOf(spec));
  if (!found) return;
  if (found[labels.instance] === docker.instance && found[labels.service] === spec.serviceId) return;
  throw new JobFailure(
    'start_failed',
    `The volume ${sourceOf(spec)} on this host belongs to another runner of the same Docker, or to another service: nothing was done with it. Move the service to a host with a Docker of its own.`,
  );
}

/** Also succeeds if there is no volume. @throws DockerError */
async function discard({ docker }: VolumeJobParts, spec: VolumeFillSpec): Promise<void> {
  await removeContainer(docker, restoreContainerName(spec.serviceId, 'loading', spec.volume.id));
  await removeVolume(docker, sourceOf(spec));
}

async function orFail<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new JobFailure('restore_failed', `The volume could not be filled: ${error.message}`, {
      cause: error,
    });
  }
}
