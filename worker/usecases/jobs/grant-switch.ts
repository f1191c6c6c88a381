import { transition } from '../../domain/job-state.ts';
import { findJob, writePhase } from '../../store/job-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { rowRaceRounds } from './end-job.ts';

/**
 * May the traffic move to the new version? The commit point of a deployment: once granted, it can't be aborted and no timer ends it.
 * Written before it is answered; a repeat of a granted request is granted again.
 * @returns false when the attempt is over, is another one, or its abort was asked for.
 */
export async function grantSwitch(
  { db }: Pick<Dependencies, 'db'>,
  request: { runnerId: string; job: string; epoch: number },
): Promise<boolean> {
  for (let round = 0; round < rowRaceRounds; round++) {
    const found = await findJob(db, request.job);
    if (!found || found.job.runnerId !== request.runnerId) return false;
    const to = transition(found.job, { type: 'switch-requested', epoch: request.epoch });
    if (!to) return false;
    if (await writePhase(db, found.job, to)) return true;
  }
  return false;
}
