import { transition } from '../../domain/jobs/job-state.ts';
import { type FoundJob, writePhase } from '../../store/jobs/job-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { rowRaceRounds } from './end-job.ts';
import { KnownJobs } from './known-jobs.ts';

/**
 * Grants or denies the switch of traffic, the commit point of a deployment: after that it can't be aborted, and no timer ends it.
 * The grant is written before it is sent; a repeated request is granted again.
 * @param known rows that were read before: with the job's row, the grant needs a single round trip
 * @returns false if the attempt has ended, is not the current one, or its abort was requested
 */
export async function grantSwitch(
  { db }: Pick<Dependencies, 'db'>,
  { runnerId, job, epoch }: { runnerId: string; job: string; epoch: number },
  known = new KnownJobs(),
): Promise<boolean> {
  const grant = async (found: FoundJob | undefined) => {
    if (!found || found.job.runnerId !== runnerId) return 'denied';
    const to = transition(found.job, { type: 'switch-requested', epoch });
    if (!to) return 'denied';
    if (!(await writePhase(db, found.job, to))) return 'changed meanwhile';
    known.remember({ ...found, job: { ...found.job, phase: to.phase } });
    return 'granted';
  };
  const recalled = known.recall(job);
  if (recalled && (await grant(recalled)) === 'granted') return true;
  for (let round = 0; round < rowRaceRounds; round++) {
    const answer = await grant(await known.read(db, job));
    if (answer !== 'changed meanwhile') return answer === 'granted';
  }
  return false;
}
