/** The parts of jobs on a service's volume: the volume, tools beside it, and progress reports. */

import { labels, restoreContainerName, serviceVolumeName } from '../../../../protocol/names.ts';
import type { VolumeBackupSpec } from '../../../../protocol/volumes/volume-job-spec.ts';
import { JobFailure } from '../../../base/job-failure.ts';
import { type HelperMount, withHelper } from '../../../docker/helper/with-helper.ts';
import { volumeLabels } from '../../../docker/volumes.ts';
import type { ContainerTools } from '../../../engines/container-tools.ts';
import type { Traffic } from '../../../proxy/traffic.ts';
import { backupBytes } from '../../../storage/backup-files.ts';
import type { JobContext } from '../../job.ts';
import { type DataAttempt, type DataJobParts, reporting } from '../data-attempt.ts';
import { volumePath } from './volume-archive.ts';

export interface VolumeJobParts extends DataJobParts {
  traffic: Pick<Traffic, 'current' | 'setHeld' | 'drained'>;
  /** Names of volumes that currently hold old and new files: the disk watch does not check them. */
  exchangedVolumes: Set<string>;
}

export type VolumeSpec = Pick<VolumeBackupSpec, 'projectId' | 'serviceId' | 'volume' | 'encryption'>;

export interface VolumeAttempt
  extends Pick<DataAttempt, 'context' | 'encryption' | 'enter' | 'facts' | 'lastBackupBytes'> {
  readonly parts: VolumeJobParts;
  readonly spec: VolumeSpec;
  readonly progress: ReturnType<typeof reporting>['progress'];
  readonly say: (sentence: string) => void;
}

/** @throws JobFailure `start_failed` when the volume is not on this host, or belongs to another service */
export async function volumeAttempt(
  parts: VolumeJobParts,
  spec: VolumeSpec,
  context: JobContext,
): Promise<VolumeAttempt> {
  const { docker, dataDirectory } = parts;
  const found = await volumeLabels(docker, sourceOf(spec));
  if (!found) {
    throw new JobFailure(
      'start_failed',
      `The volume "${spec.volume.name}" is not on this host yet: deploy the service, which creates it.`,
    );
  }
  if (found[labels.instance] !== docker.instance || found[labels.service] !== spec.serviceId) {
    throw new JobFailure(
      'start_failed',
      `The volume ${sourceOf(spec)} on this host does not belong to this service: nothing was done with it.`,
    );
  }
  const { encryption } = spec;
  const lastBackupBytes = await backupBytes(dataDirectory, spec.serviceId);
  return { ...reporting(context), parts, spec, context, encryption, lastBackupBytes };
}

export const sourceOf = ({ serviceId, volume }: VolumeSpec) => serviceVolumeName(serviceId, volume.id);

/** The labels that mark the job's objects as the service's. */
export const ownerOf = ({ docker }: Pick<VolumeJobParts, 'docker'>, spec: VolumeSpec) => ({
  [labels.instance]: docker.instance,
  [labels.project]: spec.projectId,
  [labels.service]: spec.serviceId,
});

/**
 * Works on volumes in a container of the platform's own image.
 * @param mounts by default the service's volume, read-only
 */
export function inHelper<T>(
  parts: Pick<VolumeJobParts, 'docker'>,
  spec: VolumeSpec,
  work: (tools: ContainerTools) => Promise<T>,
  mounts: readonly HelperMount[] = [{ name: sourceOf(spec), path: volumePath, readOnly: true }],
): Promise<T> {
  const name = restoreContainerName(spec.serviceId, 'loading', spec.volume.id);
  return withHelper(
    parts.docker,
    { name, labels: { ...ownerOf(parts, spec), [labels.role]: 'load' }, mounts },
    work,
  );
}

/** Tools for steps that run no program in a container, such as fetching a file. */
export const noTools = {
  run: () => Promise.reject(new Error('There is no container to run a program in.')),
};
