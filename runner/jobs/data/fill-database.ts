/**
 * Fills a database from any origin. Existing data is kept as a backup, if it may be replaced. The origin is loaded beside the live data,
 * counted, and only then replaces the live data. Until the swap is permitted, every failure leaves everything unchanged.
 */
import { notKeptMax } from '../../../protocol/job-report.ts';
import type { ImportSpec } from '../../../protocol/job-spec.ts';
import { crashPoint } from '../../base/crash-point.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { Contents, DataPlace, LoadedData, RestoreNames } from '../../engines/archive/archive.ts';
import { type DataAttempt, removeLoadedLater, restoreNames } from './data-attempt.ts';
import { recoverSwap, swapData } from './swap-data.ts';
import { watchingDisk } from './watch-disk.ts';
import { ofDatabase, writeSafetyCopy } from './write-backup.ts';

/** An origin from which an import reads. */
export interface ImportOrigin {
  /** The start of the error sentence for an origin without any table or key. */
  ifEmpty: string;
  /** Counts the live data. */
  contents(place: DataPlace): Promise<Contents>;
  /** Loads the origin beside the live data. */
  load(place: DataPlace, names: RestoreNames): Promise<OriginData>;
  /** Awaits the work, and converts its failures to messages that may be shown to users. */
  orFail<T>(place: DataPlace, work: Promise<T>): Promise<T>;
}

/** The loaded data, with the contents of its origin; `null` if they are unknown. */
export interface OriginData extends LoadedData {
  source: Contents | null;
  /**
   * Sentences about objects that could not be loaded and were left out, if the user allowed that. Absent if all objects had to be loaded.
   */
  skipped?: readonly string[];
}

/** @throws JobFailure; DockerError; the signal's reason */
export async function fillDatabase(
  attempt: DataAttempt,
  spec: ImportSpec,
  origin: ImportOrigin,
): Promise<void> {
  attempt.enter('safeguard');
  await safeguard(attempt, spec, origin);
  try {
    await loadAndSwap(attempt, spec, origin);
  } catch (error) {
    removeLoadedLater(attempt, spec.serviceId, importNames(spec));
    throw error;
  }
}

async function loadAndSwap(attempt: DataAttempt, spec: ImportSpec, origin: ImportOrigin): Promise<void> {
  const { parts, place, context } = attempt;
  attempt.enter('load');
  const loaded = await origin.orFail(
    place,
    watchingDisk(parts, place, (watched) => origin.load(watched, importNames(spec))),
  );
  try {
    crashPoint('load:done');
    attempt.enter('prove');
    const different = await origin.orFail(place, refuseDifference(loaded, origin));
    tellSkipped(attempt, [...(loaded.skipped ?? []), ...different]);
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
  if (safetyBackupId !== null) {
    await writeSafetyCopy(ofDatabase(attempt), { serviceId, safetyBackupId });
    return;
  }
  const { tables, rows } = await origin.contents(attempt.place);
  if (tables === 0) return;
  throw new JobFailure(
    'import_refused',
    `The database is not empty: it has ${rows} rows in ${tables} tables. Send "replace": true to replace its data, which is backed up first. Nothing was changed.`,
  );
}

/** @throws JobFailure when there are more sentences than fit into the report */
function tellSkipped({ facts, place }: DataAttempt, skipped: readonly string[]): void {
  if (skipped.length === 0) return;
  if (skipped.length > notKeptMax)
    throw new JobFailure(
      'import_failed',
      `The database refuses more than ${notKeptMax - 1} objects of the file, more than an import can list and leave out: ${skipped[0]} Nothing was changed.`,
    );
  facts.skipped = [...skipped];
  for (const sentence of skipped) place.say?.(`Left out, because it can't be loaded: ${sentence}`);
}

/**
 * Refuses empty data, because the name was probably mistyped.
 * @returns the difference, if objects were left out on purpose
 */
async function refuseDifference(
  { source, contents, skipped = [] }: OriginData,
  { ifEmpty }: Pick<ImportOrigin, 'ifEmpty'>,
): Promise<string[]> {
  const { tables, rows } = await contents();
  if ((source?.tables ?? tables) === 0)
    throw new JobFailure('import_refused', `${ifEmpty}. Nothing was imported, and nothing was changed.`);
  if (source === null || (tables === source.tables && rows === source.rows)) return [];
  const difference = `The source has ${source.rows} rows in ${source.tables} tables, but ${rows} rows in ${tables} tables were loaded.`;
  if (skipped.length > 0) return [difference];
  throw new JobFailure('import_failed', `${difference} Nothing was changed.`);
}
