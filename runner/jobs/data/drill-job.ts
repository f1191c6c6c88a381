/**
 * The frame of restore drills, of databases and of volumes: the file is fetched, verified and loaded. No part of the drill is left, however
 * it ends.
 */
import type { DrillSpec } from '../../../protocol/job-spec.ts';
import type { VolumeDrillSpec } from '../../../protocol/volumes/volume-job-spec.ts';
import { JobFailure } from '../../base/job-failure.ts';
import type { ArchiveFile, WorkPlace } from '../../engines/archive/archive.ts';
import { EngineError } from '../../engines/engine-error.ts';
import type { Job, JobContext } from '../job.ts';
import { Undo } from '../undo.ts';
import type { DataAttempt, DataJobParts } from './data-attempt.ts';
import { fileToTest, removeFetched } from './verified-file.ts';
import { fileAt } from './write-backup.ts';

type DrillAttempt = Pick<DataAttempt, 'parts' | 'context' | 'enter'> & { place: WorkPlace };

export interface Drill<Spec, Attempt extends DrillAttempt> {
  attempt(spec: Spec, context: JobContext): Promise<Attempt>;
  /** Loads the file and compares it with the backup's row. @throws JobFailure */
  load(attempt: Attempt, spec: Spec, file: ArchiveFile): Promise<void>;
  /** Removes everything that `load` creates. Also succeeds when it is already removed. @throws DockerError */
  discard(spec: Spec): Promise<void>;
}

export const drillJob = <Spec extends DrillSpec | VolumeDrillSpec, Attempt extends DrillAttempt>(
  parts: DataJobParts,
  drill: Drill<Spec, Attempt>,
): Job<Spec> => ({
  async run(spec, secrets, context) {
    const attempt = await drill.attempt(spec, context);
    attempt.enter('fetch');
    const file = await fileToTest(attempt, spec.backup, secrets);
    const undo = new Undo();
    undo.register('remove the fetched file', file.release);
    undo.register('remove the loaded data', () => drill.discard(spec));
    try {
      await drill.load(attempt, spec, fileAt(file.path, spec.backup.sizeBytes, file.cipher));
    } finally {
      await undo.run(context.log);
    }
    return { outcome: 'succeeded', facts: {} };
  },
  async recover(spec) {
    await drill.discard(spec);
    await removeFetched(parts, spec.backup);
    throw new JobFailure(
      'runner_restarted',
      'The runner was restarted during the drill, so the drill has no result: start another.',
    );
  },
});

/**
 * Waits for work that decides whether the backup is good.
 * @param what the failed step, for the error
 * @throws JobFailure `drill_failed` in place of an EngineError
 */
export async function orFail<T>(work: Promise<T>, what: 'loaded' | 'restored'): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new JobFailure('drill_failed', `The backup could not be ${what}: ${error.message}`, {
      cause: error,
    });
  }
}
