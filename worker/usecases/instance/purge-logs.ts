import { listLogPurges, removeLogPurges } from '../../store/log-purge-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Objects emptied a run: the free plan allows 50 subrequests, which the other work of the minute shares. */
const purgesPerRun = 20;

/**
 * Empties the log objects of deleted deployments, the longest waiting first. Runs every minute; one that fails stays for the next run.
 * @returns how many were emptied.
 */
export async function purgeLogs({ db, logs }: Pick<Dependencies, 'db' | 'logs'>): Promise<number> {
  const names = await listLogPurges(db, purgesPerRun);
  const outcomes = await Promise.allSettled(names.map((name) => logs.purge(name)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') console.error('a log could not be emptied', outcome.reason);
  }
  const emptied = names.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  await removeLogPurges(db, emptied);
  return emptied.length;
}
