/** `POST /api/system/restored`: ensures, after D1 was restored to an earlier time, that hosts accept its messages. */
import { ApiError } from '../../domain/errors.ts';
import { putBackReason } from '../../domain/jobs/job-state.ts';
import { liftRestored, listOpenJobs } from '../../store/instance/restored-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from '../instance/change-settings.ts';
import { endJobByPlatform } from '../jobs/end-job.ts';

type Needs = Pick<Dependencies, 'db' | 'logs' | 'newId' | 'now' | 'isPaused'>;

/** Ending a job takes about five calls of the 1,000 that a request may make. */
const jobsPerCall = 100;
const atOnce = 10;
/** Deleted rows must be stored at least as long as the comparison may take. */
const keptDaysMin = 7;
const dayMs = 86_400_000;
const hourMs = 3_600_000;

export interface RestoredOutcome {
  /** Services whose names are sent to their hosts again. */
  services: number;
  /** Stored deletions whose purge was postponed. */
  deletions: number;
  /** Removals on hosts that were cancelled. */
  removals: number;
  /** Jobs that were open at that time and have ended now. */
  jobs: number;
  /** Whether there are more open jobs: call again. */
  moreJobs: boolean;
}

/**
 * Raises the numbers of which hosts keep the highest, ends the jobs that were open at that time, cancels pending removals, and postpones
 * the purge of stored deletions. It may be repeated at any time while the control plane is paused.
 * @throws ApiError `conflict` unless the control plane is paused: a running one would start the open jobs again, including restores
 */
export async function settleRestored(deps: Needs): Promise<RestoredOutcome> {
  if (!deps.isPaused) {
    throw new ApiError(
      'conflict',
      'Pause the control plane first: set the variable PAUSED of the Worker, or start with "npm start -- --paused" (docs/operate/recovery.md).',
    );
  }
  const now = deps.now();
  const { keepDeletedHours } = await readSettings(deps);
  const lifted = await liftRestored(deps.db, {
    lifted: Math.ceil(now / 1000),
    keepUntil: now + Math.max(keepDeletedHours * hourMs, keptDaysMin * dayMs),
    taskId: deps.newId('hostTask'),
    now,
  });
  const open = await listOpenJobs(deps.db, jobsPerCall);
  let jobs = 0;
  for (let first = 0; first < open.length; first += atOnce) {
    const ends = open.slice(first, first + atOnce).map(({ id, kind }) => endOpen(deps, id, kind));
    jobs += (await Promise.all(ends)).filter(Boolean).length;
  }
  return { ...lifted, jobs, moreJobs: open.length === jobsPerCall };
}

const endOpen = (deps: Needs, jobId: string, kind: string) =>
  endJobByPlatform(deps, jobId, 'database-restored', {
    code: 'runner_lost',
    message: `${putBackReason} to a time when this ${kind} was open. Whether it ended is not known: look at the service, and start it again if it is still needed.`,
  });
