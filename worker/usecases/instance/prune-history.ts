import {
  lastServiceRow,
  pruneDataJobs,
  pruneDeployments,
  pruneRuns,
} from '../../store/instance/history-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';
import { readSettings } from './change-settings.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Services per pass. For each, about as many index entries are read as deployments are kept. */
const servicesPerPass = 100;
/** Rows of each kind that a pass deletes: far below the number that D1 can delete in the 30 s of a query. */
const rowsPerPass = 1_000;
/** Allows 5,000 services and 50,000 deployments in a run. */
const passesMax = 50;

/**
 * Deletes deployments, commands and jobs whose time is over (setting `retention`), for 20 s at most. Runs every hour. If a run can't handle all
 * services, the next one continues. @returns number of deleted rows of jobs
 */
export async function pruneHistory({ db, now }: Pick<Dependencies, 'db' | 'now'>): Promise<number> {
  const { retention } = await readSettings({ db });
  const windows = Math.ceil((await lastServiceRow(db)) / servicesPerPass);
  if (windows === 0) return 0;
  const at = now();
  const first = Math.floor(at / hourMs) * passesMax;
  let seen = 0;
  let deleted = 0;
  await repeatPass({ now }, passesMax, async () => {
    const after = ((first + seen) % windows) * servicesPerPass;
    const window = { after, until: after + servicesPerPass };
    const rules = {
      before: at - retention.deploymentDays * dayMs,
      kept: retention.deploymentsPerService,
      limit: rowsPerPass,
      at,
    };
    const old = await pruneDeployments(db, window, rules);
    const runs = await pruneRuns(db, window, rules);
    const before = at - retention.jobDays * dayMs;
    const jobs = await pruneDataJobs(db, window, { before, limit: rowsPerPass });
    deleted += old + runs + jobs;
    if (Math.max(old, runs, jobs) < rowsPerPass) seen += 1;
    return seen < windows;
  });
  return deleted;
}
