import { type LogPurge, listLogPurges, removeLogPurges } from '../../store/logs/log-retention-store.ts';
import { archivedAmong } from '../../store/logs/stored-log-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';
import { removeArchived } from './log-archive.ts';

type Needs = Pick<Dependencies, 'db' | 'logs' | 'blobs' | 'now'>;

/** Limits a run to 800 log objects: it may make 1,000 calls on the free plan. */
const purgesPerPass = 20;
const passesMax = 40;

/**
 * Empties the log objects of deleted deployments, oldest first, and removes their copies in the archive. A failed one is retried in the next
 * run and delays no other. @returns number of emptied objects
 */
export async function purgeLogs(deps: Needs): Promise<number> {
  let emptied = 0;
  let last: LogPurge | undefined;
  await repeatPass(deps, passesMax, async () => {
    const listed = await listLogPurges(deps.db, purgesPerPass, last);
    last = listed.at(-1);
    emptied += await purge(
      deps,
      listed.map(({ streamName }) => streamName),
    );
    return listed.length === purgesPerPass;
  });
  return emptied;
}

async function purge({ db, logs, blobs }: Needs, listed: string[]): Promise<number> {
  const archived = await archivedAmong(db, listed);
  const isArchiveGone = await removeArchived({ db, blobs }, archived).then(() => true, reported);
  const names = isArchiveGone ? listed : listed.filter((name) => !archived.includes(name));
  const outcomes = await Promise.allSettled(names.map((name) => logs.purge(name)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      console.error('The log of a deleted deployment could not be emptied:', outcome.reason);
  }
  const emptied = names.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  await removeLogPurges(db, emptied);
  return emptied.length;
}

function reported(error: unknown): false {
  console.error('The archive of deleted logs could not be emptied:', error);
  return false;
}
