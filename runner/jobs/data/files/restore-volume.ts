/**
 * Restores a backup into a service's volume. The backup's file is verified, unpacked into a new volume and compared with it, all beside the
 * running service. Then the service stops, its files are saved as a backup, and the new files replace them. The old files stay in the volume
 * until the service is up again; if it does not start, they are restored.
 */
import type { JobResult } from '../../../../protocol/job-report.ts';
import type { DeploySecrets } from '../../../../protocol/job-spec.ts';
import { restoreContainerName, restoredVolumeName } from '../../../../protocol/names.ts';
import type { VolumeRestoreSpec } from '../../../../protocol/volumes/volume-job-spec.ts';
import { crashPoint } from '../../../base/crash-point.ts';
import { JobFailure } from '../../../base/job-failure.ts';
import { removeContainer } from '../../../docker/containers.ts';
import { createVolume, removeVolume } from '../../../docker/volumes.ts';
import type { ArchiveFile } from '../../../engines/archive/archive.ts';
import { EngineError } from '../../../engines/engine-error.ts';
import type { Job, JobContext } from '../../job.ts';
import { nothingChanged, restoreNames } from '../data-attempt.ts';
import { refuseTooLittleRoom } from '../room-for-copy.ts';
import { removeFetched, verifiedFile } from '../verified-file.ts';
import { watchingDisk } from '../watch-disk.ts';
import { fileAt, removeUnreportedCopy, writeSafetyCopy } from '../write-backup.ts';
import { persist } from './persist.ts';
import { quiescedIn, sayTo, startService, stopLive, wake } from './quiesce.ts';
import { filesSwap, newFilesPath } from './swap-files.ts';
import { untilUp } from './until-up.ts';
import { readVolumeArchive, unpackVolume, volumeArchive, volumePath } from './volume-archive.ts';
import {
  inHelper,
  noTools,
  ownerOf,
  sourceOf,
  type VolumeAttempt,
  type VolumeJobParts,
  volumeAttempt,
} from './volume-attempt.ts';

export function createVolumeRestoreJob(parts: VolumeJobParts): Job<VolumeRestoreSpec> {
  return {
    run: (spec, secrets, context) => run(parts, spec, secrets, context),
    recover: (spec, checkpoint, context) => recover(parts, spec, checkpoint, context),
  };
}

async function run(
  parts: VolumeJobParts,
  spec: VolumeRestoreSpec,
  secrets: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  const attempt = await volumeAttempt(parts, spec, context);
  const { progress, say } = attempt;
  attempt.enter('fetch');
  const place = { tools: noTools, signal: context.signal, progress, say };
  const file = await verifiedFile({ parts, context, place }, spec.backup, secrets);
  try {
    await orRefuse(load(attempt, spec, fileAt(file.path, spec.backup.sizeBytes, file.cipher)));
    crashPoint('load:done');
    await whileStopped(attempt, spec, () => exchange(attempt, spec));
    return { outcome: 'succeeded', facts: attempt.facts };
  } finally {
    await file.release();
    await removeNewFiles(parts, spec);
  }
}

/** Unpacks the file into a new volume, and compares it, while the service runs. */
async function load(attempt: VolumeAttempt, spec: VolumeRestoreSpec, file: ArchiveFile): Promise<void> {
  const { parts, context, progress, say } = attempt;
  attempt.enter('load');
  const room = spec.volume.sizeMb === null ? undefined : spec.volume.sizeMb * 2 ** 20;
  const contents = await readVolumeArchive(file, context.signal, room);
  const { rows } = contents;
  if (rows !== spec.backup.rows) {
    throw new EngineError(
      'invalid_request',
      `The backup has ${spec.backup.rows} files and directories, but its archive ${rows}.`,
    );
  }
  // The new files exist twice until the old ones are removed: in the new volume, and in the service's.
  await refuseTooLittleRoom(parts, { bytes: 2 * contents.bytes, rows: 2 * rows });
  await removeNewFiles(parts, spec);
  const name = newVolumeOf(spec);
  await createVolume(parts.docker, name, ownerOf(parts, spec));
  const place = { tools: noTools, signal: context.signal, progress, say };
  await watchingDisk(parts, place, ({ signal }) =>
    inHelper(parts, spec, (tools) => unpackVolume(tools, file, { signal, progress, say }, contents), [
      { name, path: volumePath },
    ]),
  );
  attempt.enter('prove');
}

const stopped = { type: 'stop' } as const;
interface StoppedService {
  parts: VolumeJobParts;
  serviceId: string;
  context: JobContext;
}

/** Stops the service for the work. Unless it succeeds, the service runs again with the old files. */
async function whileStopped(
  attempt: VolumeAttempt,
  spec: VolumeRestoreSpec,
  work: () => Promise<void>,
): Promise<void> {
  const { parts, context } = attempt;
  const service = { parts, serviceId: spec.serviceId, context };
  context.signal.throwIfAborted();
  context.checkpoint({ quiesced: stopped });
  try {
    context.log.line('system', 'The service is stopped while its files are replaced.');
    await stopLive(service);
    crashPoint('switch:stopped');
    await work();
  } catch (error) {
    await backToOldFiles(service, spec);
    throw error;
  }
}

/** Makes the safety copy, asks for the permission, and swaps. The service is stopped before, and up afterwards. */
async function exchange(attempt: VolumeAttempt, spec: VolumeRestoreSpec): Promise<void> {
  const { parts, context, progress, say } = attempt;
  attempt.enter('safeguard');
  await inHelper(parts, spec, async (tools) => {
    const place = { tools, signal: context.signal, progress, say };
    const archive = volumeArchive();
    await writeSafetyCopy({ ...attempt, place, engine: { data: async () => ({ archive }) } }, spec);
  });
  if (!(await context.requestSwitch())) {
    context.signal.throwIfAborted();
    throw new JobFailure(
      'switch_denied',
      'The control plane gave no permission to replace the files; nothing was changed.',
    );
  }
  attempt.enter('switch');
  crashPoint('switch:permitted');
  await orRefuse(
    inSwap(parts, spec, async (swap) => {
      await swap.undo();
      await swap.setAside();
      crashPoint('switch:aside');
      await swap.fill();
    }),
  );
  crashPoint('switch:filled');
  await complete(attempt, spec);
}

/** Starts the service with the new files, and removes the old ones once it is up. @throws JobFailure `restore_failed` if it does not start */
async function complete(
  { parts, context }: Pick<VolumeAttempt, 'parts' | 'context'>,
  spec: VolumeRestoreSpec,
): Promise<void> {
  parts.exchangedVolumes.add(sourceOf(spec));
  try {
    await startService({ parts, serviceId: spec.serviceId, context });
    crashPoint('switch:started');
    await orRefuse(untilUp(parts, spec));
    context.checkpoint({ isSwapped: true });
    crashPoint('switch:served');
    await removeOldFiles({ parts, context }, spec);
  } finally {
    parts.exchangedVolumes.delete(sourceOf(spec));
  }
}

async function removeOldFiles(
  { parts, context }: Pick<VolumeAttempt, 'parts' | 'context'>,
  spec: VolumeRestoreSpec,
): Promise<void> {
  await inSwap(parts, spec, (swap) => swap.finish(), { hasNewFiles: false }).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    context.log.line('system', `The old files are still in the volume, in a directory of their own: ${why}`);
  });
}

/** Puts the old files back, and starts the service with them. The job waits for that. */
const backToOldFiles = (service: StoppedService, spec: VolumeRestoreSpec) =>
  persist(async () => {
    await stopLive(service);
    await inSwap(service.parts, spec, (swap) => swap.undo(), { hasNewFiles: false });
    await wake(service, stopped);
  }, sayTo(service));

function inSwap<T>(
  parts: Pick<VolumeJobParts, 'docker'>,
  spec: VolumeRestoreSpec,
  work: (swap: ReturnType<typeof filesSwap>) => Promise<T>,
  { hasNewFiles = true } = {},
): Promise<T> {
  const mounts = [
    { name: sourceOf(spec), path: volumePath },
    ...(hasNewFiles ? [{ name: newVolumeOf(spec), path: newFilesPath, readOnly: true }] : []),
  ];
  return inHelper(parts, spec, (tools) => work(filesSwap(tools, suffixOf(spec))), mounts);
}

async function recover(
  parts: VolumeJobParts,
  spec: VolumeRestoreSpec,
  checkpoint: Record<string, unknown>,
  context: JobContext,
): Promise<JobResult> {
  await removeContainer(parts.docker, restoreContainerName(spec.serviceId, 'loading', spec.volume.id));
  await removeFetched(parts, spec.backup);
  await removeUnreportedCopy(parts, spec, context);
  const service = { parts, serviceId: spec.serviceId, context };
  if (checkpoint.isSwapped === true) {
    await removeOldFiles(service, spec);
    await removeNewFiles(parts, spec);
    return { outcome: 'succeeded', facts: {} };
  }
  if (quiescedIn(checkpoint)) {
    if (await inSwap(parts, spec, (swap) => swap.isFilled(), { hasNewFiles: false })) {
      await complete({ parts, context }, spec).catch(async (error: unknown) => {
        await backToOldFiles(service, spec);
        throw error;
      });
      await removeNewFiles(parts, spec);
      return { outcome: 'succeeded', facts: {} };
    }
    await backToOldFiles(service, spec);
  }
  await removeNewFiles(parts, spec);
  throw new JobFailure(
    'runner_restarted',
    'The runner was restarted during the restore, and nothing was changed: restore again.',
  );
}

const suffixOf = ({ restoreId }: VolumeRestoreSpec) => restoreNames(restoreId).suffix;
const newVolumeOf = (spec: VolumeRestoreSpec) => restoredVolumeName(spec.serviceId, suffixOf(spec));
const removeNewFiles = ({ docker }: Pick<VolumeJobParts, 'docker'>, spec: VolumeRestoreSpec) =>
  removeVolume(docker, newVolumeOf(spec));

async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new JobFailure('restore_failed', nothingChanged(error.message), { cause: error });
  }
}
