/**
 * Restores a backup: verifies its file, keeps the existing data as a backup, loads the file beside the live data and counts it. Only then
 * does it replace the live data. Until the swap is permitted, every failure leaves everything unchanged.
 */
import type { JobResult } from '../../../protocol/job-report.ts';
import type { DeploySecrets, RestoreSpec } from '../../../protocol/job-spec.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { ArchiveFile, LoadedData } from '../../engines/archive/archive.ts';
import { EngineError } from '../../engines/engine-error.ts';
import type { Job, JobContext } from '../job.ts';
import {
  type DataAttempt,
  type DataJobParts,
  dataAttempt,
  nothingChanged,
  removeLoadedLater,
  restoreNames,
} from './data-attempt.ts';
import { refuseTooLittleDisk } from './room-for-copy.ts';
import { recoverSwap, swapData } from './swap-data.ts';
import { removeFetched, verifiedFile } from './verified-file.ts';
import { loadVolume } from './volume/load-volume.ts';
import { watchingDisk } from './watch-disk.ts';
import { fileAt, ofDatabase, removeUnreportedCopy, writeSafetyCopy } from './write-backup.ts';

export function createRestoreJob(parts: DataJobParts): Job<RestoreSpec> {
  return {
    run: (spec, secrets, context) => run(parts, spec, secrets, context),
    recover: (spec, _checkpoint, context) => recover(parts, spec, context),
  };
}

async function run(
  parts: DataJobParts,
  spec: RestoreSpec,
  secrets: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  const attempt = await dataAttempt(parts, spec, context);
  attempt.enter('fetch');
  const file = await verifiedFile(attempt, spec.backup, secrets);
  try {
    return await restoreFrom(attempt, spec, fileAt(file.path, spec.backup.sizeBytes, file.cipher));
  } finally {
    await file.release();
  }
}

async function restoreFrom(attempt: DataAttempt, spec: RestoreSpec, file: ArchiveFile): Promise<JobResult> {
  const { parts } = attempt;
  attempt.enter('safeguard');
  await writeSafetyCopy(ofDatabase(attempt), spec);
  try {
    await loadAndSwap(attempt, spec, file);
  } catch (error) {
    removeLoadedLater(attempt, spec.serviceId, namesOf(spec));
    throw error;
  }
  return finish(parts, spec, attempt);
}

async function loadAndSwap(attempt: DataAttempt, spec: RestoreSpec, file: ArchiveFile): Promise<void> {
  const { parts } = attempt;
  attempt.enter('load');
  const loaded = await orRefuse(load(attempt, spec, file));
  try {
    crashPoint('load:done');
    attempt.enter('prove');
    await refuseDifference(loaded, spec);
    await orRefuse(swapData(attempt, loaded, () => recoverSwap(parts, spec, namesOf(spec), attempt.context)));
  } catch (error) {
    await loaded.discard().catch(() => {});
    throw error;
  }
}

/** Loads the file beside the live data. */
async function load(
  { parts, engine, place }: DataAttempt,
  spec: RestoreSpec,
  file: ArchiveFile,
): Promise<LoadedData> {
  const { serviceId } = spec;
  await refuseTooLittleDisk(parts, file.sizeBytes, engine);
  return await watchingDisk(parts, place, async (watched) => {
    if (engine.restore === 'in-place') {
      const { archive } = await engine.data();
      return archive.load(watched, file, namesOf(spec));
    }
    const { archive } = await engine.data();
    return loadVolume({ ...parts, serviceId, engine }, watched, namesOf(spec), (fresh) =>
      archive.load(fresh, file, place),
    );
  });
}

async function refuseDifference(loaded: LoadedData, { backup }: RestoreSpec): Promise<void> {
  const { tables, rows } = await orRefuse(loaded.contents());
  if (tables === backup.tables && rows === backup.rows) return;
  throw new JobFailure(
    'restore_failed',
    `The backup has ${backup.rows} rows in ${backup.tables} tables, but ${rows} rows in ${tables} tables were loaded. Nothing was changed.`,
  );
}

function finish(parts: DataJobParts, spec: RestoreSpec, attempt: Pick<DataAttempt, 'facts'>): JobResult {
  parts.removeOldDataLater({ serviceId: spec.serviceId, engine: spec.engine, ...namesOf(spec) });
  return { outcome: 'succeeded', facts: attempt.facts };
}

async function recover(parts: DataJobParts, spec: RestoreSpec, context: JobContext): Promise<JobResult> {
  await removeFetched(parts, spec.backup);
  await removeUnreportedCopy(parts, spec, context);
  if ((await recoverSwap(parts, spec, namesOf(spec), context)) === 'swapped')
    return finish(parts, spec, { facts: {} });
  throw new JobFailure(
    'runner_restarted',
    'The runner was restarted during the restore, and nothing was changed: restore again.',
  );
}

const namesOf = ({ restoreId }: RestoreSpec) => restoreNames(restoreId);

async function orRefuse<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new JobFailure('restore_failed', nothingChanged(error.message), { cause: error });
  }
}
