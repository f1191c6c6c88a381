/** Fills a database from another server, or from a user's uploaded dump file. */
import type { JobFacts, JobResult } from '../../../protocol/job-report.ts';
import type { DeploySecrets, ImportSpec } from '../../../protocol/job-spec.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { Job, JobContext } from '../job.ts';
import { type DataAttempt, type DataJobParts, dataAttempt } from './data-attempt.ts';
import { fileOrigin } from './file-origin.ts';
import { fillDatabase, importNames } from './fill-database.ts';
import { recoverSwap } from './swap-data.ts';
import { removeUploaded, uploadedFile } from './uploaded-file.ts';
import { type UrlOriginParts, urlOrigin } from './url-origin.ts';
import { fileAt, removeUnreportedCopy } from './write-backup.ts';

export type ImportJobParts = UrlOriginParts;

export function createImportJob(parts: ImportJobParts): Job<ImportSpec> {
  return {
    run: (spec, secrets, context) => run(parts, spec, secrets, context),
    recover: (spec, _checkpoint, context) => recover(parts, spec, context),
  };
}

async function run(
  parts: ImportJobParts,
  spec: ImportSpec,
  { sourceUrl, transferToken }: DeploySecrets,
  context: JobContext,
): Promise<JobResult> {
  if (spec.source === 'file') {
    const attempt = await dataAttempt(parts, spec, context);
    return fillFromFile(attempt, spec, transferToken);
  }
  const origin = urlOrigin(parts, spec, sourceUrl);
  const attempt = await dataAttempt(parts, spec, context);
  await fillDatabase(attempt, spec, origin);
  return finish(parts, spec, attempt);
}

async function fillFromFile(
  attempt: DataAttempt,
  spec: ImportSpec,
  token: string | undefined,
): Promise<JobResult> {
  attempt.enter('fetch');
  const file = await uploadedFile(attempt, spec, token);
  try {
    const origin = await fileOrigin(attempt, spec, fileAt(file.path, file.sizeBytes));
    await fillDatabase(attempt, spec, origin);
    return finish(attempt.parts, spec, attempt);
  } finally {
    await file.release();
  }
}

/** Skipped objects that the crashed runner reported before the swap. */
function skippedOf({ reportedFacts }: JobContext): JobFacts {
  const { skipped } = reportedFacts();
  return skipped ? { skipped } : {};
}

function finish(parts: DataJobParts, spec: ImportSpec, { facts }: Pick<DataAttempt, 'facts'>): JobResult {
  parts.removeOldDataLater({ serviceId: spec.serviceId, engine: spec.engine, ...importNames(spec) });
  return { outcome: 'succeeded', facts };
}

async function recover(parts: DataJobParts, spec: ImportSpec, context: JobContext): Promise<JobResult> {
  await removeUploaded(parts, spec);
  await removeUnreportedCopy(parts, spec, context);
  if ((await recoverSwap(parts, spec, importNames(spec), context)) === 'swapped')
    return finish(parts, spec, { facts: skippedOf(context) });
  throw new JobFailure(
    'runner_restarted',
    'The runner was restarted during the import, and nothing was changed: import again.',
  );
}
