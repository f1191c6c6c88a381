/**
 * Fills a database from a server elsewhere: what is there is kept as a backup if it may go, the source is read into a place beside the live
 * data, counted on both ends, and only then takes the place of the live data. Until the permission for that, every failure leaves all
 * as it was.
 */
import { SourceUrlError, secretsOfSource } from '../../../protocol/import-source.ts';
import type { JobResult } from '../../../protocol/job-report.ts';
import type { ImportSpec } from '../../../protocol/job-spec.ts';
import { crashPoint } from '../../crash-point.ts';
import type { Contents, RestoreNames } from '../../engines/archive/archive.ts';
import {
  type ImportedData,
  type ImportingEngine,
  ImportRefusal,
  type ImportSource,
} from '../../engines/archive/import.ts';
import { importers, volumeImporters } from '../../engines/archive/importers.ts';
import { EngineError } from '../../engines/engine-error.ts';
import { guardedAddress } from '../../source/address-guard.ts';
import { backupPath } from '../../storage/backup-files.ts';
import { type Job, type JobContext, JobFailure } from '../job.ts';
import { type DataAttempt, type DataJobParts, dataAttempt } from './data-attempt.ts';
import { exchangeData } from './exchange-data.ts';
import { archiveFacts, takeBackup } from './take-backup.ts';
import { loadVolume } from './volume/volume-switch.ts';
import { whatIsLive } from './what-is-live.ts';

export type ImportJobParts = DataJobParts & {
  /** RunnerConfig.allowPrivate holds `import`: sources at private addresses. */
  allowPrivateImports: boolean;
};

export function createImportJob(parts: ImportJobParts): Job<ImportSpec> {
  return {
    run: (spec, { sourceUrl }, context) => run(parts, spec, sourceUrl, context),
    recover: (spec, _checkpoint, context) => recover(parts, spec, context),
  };
}

async function run(
  parts: ImportJobParts,
  spec: ImportSpec,
  url: string | undefined,
  context: JobContext,
): Promise<JobResult> {
  const importer = importerOf(parts, spec);
  if (!importer || url === undefined)
    throw new JobFailure('import_refused', `This host cannot import into ${spec.engine}: update its runner.`);
  const attempt = await dataAttempt(parts, spec, context);
  attempt.enter('safeguard');
  await safeguard(attempt, spec, importer);
  attempt.enter('load');
  const source = {
    url,
    addressOf: (host: string) => guardedAddress(host, parts.allowPrivateImports, undefined, 'import'),
  };
  const loaded = await orFail(attempt, source, importer.load(attempt.place, source, namesOf(spec)));
  try {
    crashPoint('load:done');
    attempt.enter('prove');
    await refuseDifference(attempt, source, loaded);
    const end = () => whatIsLive(parts, spec, namesOf(spec), context);
    await orFail(attempt, source, exchangeData(attempt, loaded, end));
  } catch (error) {
    await loaded.discard().catch(() => {});
    throw error;
  }
  return finish(parts, spec, attempt);
}

function importerOf(
  { docker, networkRange }: ImportJobParts,
  { serviceId, engine }: ImportSpec,
): ImportingEngine | undefined {
  const byVolume = volumeImporters[engine];
  if (!byVolume) return importers[engine];
  return {
    contents: (place) => byVolume.contents(place),
    async load(place, source, names) {
      let held: Contents = { tables: 0, rows: 0 };
      const parts = { docker, networkRange, serviceId, engine };
      const loaded = await loadVolume(parts, place, names, async (fresh) => {
        const filled = await byVolume.fill(fresh, source, place);
        held = filled.source;
        return filled.loaded;
      });
      return { ...loaded, source: held };
    },
  };
}

/** What is there goes: with permission, and after a backup of it. */
async function safeguard(attempt: DataAttempt, spec: ImportSpec, importer: ImportingEngine): Promise<void> {
  const { parts, place } = attempt;
  if (spec.safetyBackupId === null) {
    const { tables, rows } = await importer.contents(place);
    if (tables === 0) return;
    throw new JobFailure(
      'import_refused',
      `The database holds ${rows} rows in ${tables} tables: an import needs an empty one, or "replace": true, which backs up what is there. Nothing was changed.`,
    );
  }
  const path = backupPath(parts.dataDirectory, spec.serviceId, spec.safetyBackupId);
  const taken = await takeBackup(attempt, path);
  attempt.facts.archive = archiveFacts(taken, { localPath: path, remoteKey: null });
}

async function refuseDifference(
  attempt: DataAttempt,
  source: ImportSource,
  loaded: ImportedData,
): Promise<void> {
  const { tables, rows } = await orFail(attempt, source, loaded.contents());
  if (tables === loaded.source.tables && rows === loaded.source.rows) return;
  throw new JobFailure(
    'import_failed',
    `The source holds ${loaded.source.rows} rows in ${loaded.source.tables} tables, and ${rows} in ${tables} were loaded. Nothing was changed.`,
  );
}

function finish(parts: DataJobParts, spec: ImportSpec, { facts }: Pick<DataAttempt, 'facts'>): JobResult {
  parts.removeOldDataLater({ serviceId: spec.serviceId, engine: spec.engine, ...namesOf(spec) });
  return { outcome: 'succeeded', facts };
}

async function recover(parts: DataJobParts, spec: ImportSpec, context: JobContext): Promise<JobResult> {
  if ((await whatIsLive(parts, spec, namesOf(spec), context)) === 'swapped')
    return finish(parts, spec, { facts: {} });
  throw new JobFailure(
    'runner_restarted',
    'The runner was restarted during the import: nothing was changed; import again.',
  );
}

/** Ids are lower-case letters and digits behind their prefix. */
const namesOf = ({ importId }: ImportSpec): RestoreNames => ({ suffix: importId.replace(/^.*_/, '') });

/** Whatever a server or a tool has said is told without the URL and its password. */
async function orFail<T>({ place }: DataAttempt, { url }: ImportSource, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    place.signal.throwIfAborted();
    if (error instanceof ImportRefusal || error instanceof SourceUrlError)
      throw new JobFailure('import_refused', `${withoutSecrets(error.message, url)} Nothing was changed.`);
    if (error instanceof JobFailure && error.code.startsWith('source_'))
      throw new JobFailure('import_refused', error.message, { cause: error });
    if (error instanceof EngineError)
      throw new JobFailure('import_failed', `${withoutSecrets(error.message, url)} Nothing was changed.`);
    throw error;
  }
}

/** Shorter ones would blacken the sentence, and guess themselves. */
const secretCharsMin = 4;

const withoutSecrets = (words: string, url: string) =>
  secretsOfSource(url)
    .filter(({ length }) => length >= secretCharsMin)
    .sort((one, other) => other.length - one.length)
    .reduce((text, secret) => text.replaceAll(secret, '***'), words);
