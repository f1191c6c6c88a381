/**
 * Reads the output of a `pg_restore` that does not end at the first error. Source:
 * https://github.com/postgres/postgres/blob/REL_17_STABLE/src/bin/pg_dump/pg_backup_archiver.c, `warn_or_exit_horribly`.
 */
import { notKeptCharsMax } from '../../../../protocol/job-report.ts';
import { EngineError } from '../../engine-error.ts';

/** Errors of the server or its host, not of an object: after such an error, nothing more is loaded. */
const serverFailed =
  /no connection to the server|server closed the connection|terminating connection|SSL connection has been closed|No space left|out of (shared )?memory|could not (extend|write|read|open|fsync) file|could not write block/i;

/**
 * @param stderr of a `pg_restore` that has ended with an error
 * @returns one sentence for each object that was not loaded
 * @throws EngineError if the tool did not continue to the end, or left out more than can be listed
 */
export function skippedObjects(stderr: string): string[] {
  const ignored = Number(/^pg_restore: warning: errors ignored on restore: (\d+)$/m.exec(stderr)?.[1] ?? 0);
  if (ignored === 0 || serverFailed.test(stderr))
    throw new EngineError('unavailable', `pg_restore could not load the dump: ${stderr}`);
  const skipped = sentences(stderr);
  if (skipped.length < ignored)
    throw new EngineError(
      'unavailable',
      `The database refuses ${ignored} objects of the file, more than an import can list and leave out. The last ones: ${skipped.slice(-3).join(' ')}`,
    );
  return skipped;
}

/** An entry of the table of contents is printed once, before its first refused statement. A failed COPY mentions only its table. */
function sentences(stderr: string): string[] {
  let entry = '';
  const found: string[] = [];
  for (const message of stderr.split(/^pg_restore: /m)) {
    const named = /^from TOC entry \d+; \d+ \d+ ([^\n]+)/.exec(message)?.[1];
    if (named !== undefined) entry = named;
    const [, query, error] = /^error: (could not execute query: )?([^\n]+)/.exec(message) ?? [];
    if (error !== undefined) found.push(shortened(`${query === undefined ? '' : `${entry}: `}${error}.`));
  }
  return found;
}

const shortened = (text: string) =>
  text.length > notKeptCharsMax ? `${text.slice(0, notKeptCharsMax - 1)}…` : text;
