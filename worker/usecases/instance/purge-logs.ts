import { listLogPurges, removeLogPurges } from '../../store/log-purge-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';

type Needs = Pick<Dependencies, 'db' | 'logs' | 'now'>;

/** 800 log objects in a run: it may make 1,000 calls on the free plan. */
const purgesPerPass = 20;
const passesMax = 40;

/**
 * Empties the log objects of deleted deployments, oldest first. A failed one is retried in the next run.
 * @returns how many were emptied
 */
export async function purgeLogs(deps: Needs): Promise<number> {
  let emptied = 0;
  await repeatPass(deps, passesMax, async () => {
    const inPass = await purgeSome(deps);
    emptied += inPass;
    // One that failed would be found again at once.
    return inPass === purgesPerPass;
  });
  return emptied;
}

async function purgeSome({ db, logs }: Needs): Promise<number> {
  const names = await listLogPurges(db, purgesPerPass);
  const outcomes = await Promise.allSettled(names.map((name) => logs.purge(name)));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected')
      console.error('The log of a deleted deployment could not be emptied:', outcome.reason);
  }
  const emptied = names.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  await removeLogPurges(db, emptied);
  return emptied.length;
}
