/**
 * A restore drill of a volume: verifies a backup's file, unpacks it into a temporary volume and compares every entry with it. The service
 * and its volumes are not changed. No part of the drill is left, however it ends.
 */
import { labels, restoreContainerName, restoredVolumeName } from '../../../../protocol/names.ts';
import type { VolumeDrillSpec } from '../../../../protocol/volumes/volume-job-spec.ts';
import { crashPoint } from '../../../base/crash-point.ts';
import { removeContainer } from '../../../docker/containers.ts';
import { withHelper } from '../../../docker/helper/with-helper.ts';
import { createVolume, removeVolume } from '../../../docker/volumes.ts';
import type { ArchiveFile, WorkPlace } from '../../../engines/archive/archive.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import type { Job } from '../../job.ts';
import { type DataJobParts, reporting, restoreNames } from '../data-attempt.ts';
import { drillJob, orFail } from '../drill-job.ts';
import { refuseTooLittleRoom } from '../room-for-copy.ts';
import { watchingDisk } from '../watch-disk.ts';
import { readVolumeArchive, unpackVolume, volumePath } from './volume-archive.ts';
import { noTools } from './volume-attempt.ts';

export const createVolumeDrillJob = (parts: DataJobParts): Job<VolumeDrillSpec> =>
  drillJob(parts, {
    async attempt(_, context) {
      const { enter, progress, say } = reporting(context);
      return { parts, context, enter, place: { tools: noTools, signal: context.signal, progress, say } };
    },
    async load({ enter, place }, spec, file) {
      enter('load');
      await orFail(load(parts, spec, place, file), 'restored');
      enter('prove');
    },
    async discard(spec) {
      const { volume, container } = namesOf(spec);
      await removeContainer(parts.docker, container);
      await removeVolume(parts.docker, volume);
    },
  });

/** Unpacks the file, and compares the result with the file. */
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

/** The drill's own names, so that no other job of the service has the same names. */
function namesOf({ serviceId, drillId }: VolumeDrillSpec) {
  const { suffix } = restoreNames(drillId);
  return {
    volume: restoredVolumeName(serviceId, suffix),
    container: restoreContainerName(serviceId, 'loading', suffix),
  };
}
