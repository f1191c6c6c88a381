import { listLogPurges, removeLogPurges } from '../../store/log-purge-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Log objects emptied per run: the free plan allows 50 subrequests, shared with the minute's other work. */
const purgesPerRun = 20;

/**
 * Empties the log objects of deleted deployments, oldest first. Runs every minute; a failed one is retried in the next run.
 * @returns how many were emptied
 */
export async function purgeLogs({ db, logs }: Pick<Dependencies, 'db' | 'logs'>): Promise<number> {
  const names = await listLogPurges(db, purgesPerRun);
  const outcomes = await Promise.allSettled(names.map((name) => logs.purge(name)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      console.error('The log of a deleted deployment could not be emptied:', outcome.reason);
  }
  const emptied = names.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  await removeLogPurges(db, emptied);
  return emptied.length;
}
