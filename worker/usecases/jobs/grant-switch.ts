import { transition } from '../../domain/job-state.ts';
import { findJob, writePhase } from '../../store/job-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { rowRaceRounds } from './end-job.ts';

/**
 * Grants or denies the switch of traffic, the commit point of a deployment: once granted, it can't be aborted and no timer ends it.
 * The grant is written before it is sent; a repeated request is granted again.
 * @returns false if the attempt has ended, is not the current one, or its abort was requested
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
