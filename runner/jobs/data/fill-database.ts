/**
 * Fills a database from any origin. Existing data is kept as a backup, if it may be replaced. The origin is loaded beside the live data,
 * counted, and only then replaces the live data. Until the swap is permitted, every failure leaves everything unchanged.
 */
import type { ImportSpec } from '../../../protocol/job-spec.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { Contents, DataPlace, LoadedData, RestoreNames } from '../../engines/archive/archive.ts';
import type { DataAttempt } from './data-attempt.ts';
import { recoverSwap } from './recover-swap.ts';
import { restoreNames } from './restore-names.ts';
import { swapData } from './swap-data.ts';
import { watchingDisk } from './watch-disk.ts';
import { writeSafetyCopy } from './write-backup.ts';

/** An origin from which an import reads. */
export interface ImportOrigin {
  /** Half a sentence, for an origin without a single table or key. */
  ifEmpty: string;
  /** What the live data holds. */
  contents(place: DataPlace): Promise<Contents>;
  /** Loads the origin beside the live data. */
  load(place: DataPlace, names: RestoreNames): Promise<OriginData>;
  /** Turns failures of the work into sentences that may be shown. */
  orFail<T>(place: DataPlace, work: Promise<T>): Promise<T>;
}

/** The loaded data, with the contents of its origin; null when they are unknown. */
export interface OriginData extends LoadedData {
  source: Contents | null;
}

/** @throws JobFailure; DockerError; the signal's reason */
export async function fillDatabase(
  attempt: DataAttempt,
  spec: ImportSpec,
  origin: ImportOrigin,
): Promise<void> {
  const { parts, place, context } = attempt;
  attempt.enter('safeguard');
  await safeguard(attempt, spec, origin);
  attempt.enter('load');
  const loaded = await origin.orFail(
    place,
    watchingDisk(parts, place, (watched) => origin.load(watched, importNames(spec))),
  );
  try {
    crashPoint('load:done');
    attempt.enter('prove');
    await origin.orFail(place, refuseDifference(loaded, origin));
    const end = () => recoverSwap(parts, spec, importNames(spec), context);
    await origin.orFail(place, swapData(attempt, loaded, end));
  } catch (error) {
    await loaded.discard().catch(() => {});
    throw error;
  }
}

export const importNames = ({ importId }: ImportSpec): RestoreNames => restoreNames(importId);

/** The existing data will be replaced. That needs permission, and a backup of the data first. */
async function safeguard(attempt: DataAttempt, spec: ImportSpec, origin: ImportOrigin): Promise<void> {
  const { serviceId, safetyBackupId } = spec;
  if (safetyBackupId !== null) return await writeSafetyCopy(attempt, { serviceId, safetyBackupId });
  const { tables, rows } = await origin.contents(attempt.place);
  if (tables === 0) return;
  throw new JobFailure(
    'import_refused',
    `The database is not empty: it has ${rows} rows in ${tables} tables. Send "replace": true to replace its data, which is backed up first. Nothing was changed.`,
  );
}

/** Empty data replaces nothing: the name was probably mistyped. */
async function refuseDifference(
  { source, contents }: OriginData,
  { ifEmpty }: Pick<ImportOrigin, 'ifEmpty'>,
): Promise<void> {
  const { tables, rows } = await contents();
  if ((source?.tables ?? tables) === 0)
    throw new JobFailure('import_refused', `${ifEmpty}. Nothing was imported, and nothing was changed.`);
  if (source === null || (tables === source.tables && rows === source.rows)) return;
  throw new JobFailure(
    'import_failed',
    `The source has ${source.rows} rows in ${source.tables} tables, but ${rows} rows in ${tables} tables were loaded. Nothing was changed.`,
  );
}
