/**
 * The minute's sweep: from rows alone it ends what is overdue and wakes the hubs that have work, so that no lost wake-up, alarm or
 * socket ever loses a job. Everything here is safe to run twice and at the same time.
 */
import { listOverdueJobs, listRunnersWithWork } from '../store/overdue-job-store.ts';
import type { Dependencies } from './dependencies.ts';
import { endJobByPlatform, type PlatformEnd } from './end-job.ts';

/** A host that was away longer has most likely lost the work; one that returns earlier goes on with it. */
export const awayLimitMs = 10 * 60_000;
/** Nobody waits longer for a deployment. */
export const queueLimitMs = 24 * 60 * 60_000;
/** Of each kind and run, so that a run ends in seconds; the rest follows a minute later. */
const endsPerRun = 10;
const wakesPerRun = 50;

const failures = {
  'queue-timed-out': {
    code: 'queue_timeout',
    message: 'The deployment waited 24 h for its host and was given up.',
  },
  'deadline-passed': {
    code: 'deadline',
    message: 'The deployment took longer than 30 min and was stopped.',
  },
  'runner-lost': {
    code: 'runner_lost',
    message: 'The host was away for more than 10 min while it worked on this deployment.',
  },
  'runner-revoked': {
    code: 'runner_lost',
    message: 'The host of this deployment was revoked.',
  },
} as const;

/** @returns how many jobs were ended and how many hubs were woken. */
export async function sweepJobs(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'logs' | 'now'>,
): Promise<{ ended: number; woken: number }> {
  const now = deps.now();
  const overdue = await listOverdueJobs(deps.db, {
    now,
    queuedBefore: now - queueLimitMs,
    awayBefore: now - awayLimitMs,
    limit: endsPerRun,
  });
  const end = async (found: { job: { id: string } }[], event: Exclude<PlatformEnd, 'undispatchable'>) => {
    const ends = found.map(({ job }) => endJobByPlatform(deps, job.id, event, failures[event]));
    return (await Promise.all(ends)).filter(Boolean).length;
  };
  const ended =
    (await end(overdue.runnerRevoked, 'runner-revoked')) +
    (await end(overdue.queueTimedOut, 'queue-timed-out')) +
    (await end(overdue.runnerLost, 'runner-lost')) +
    (await end(overdue.pastDeadline, 'deadline-passed'));
  // The host still works on what passed its deadline; its late report changes nothing.
  await Promise.all(overdue.pastDeadline.map(({ job }) => deps.hubs.abortJob(job.runnerId, job.id)));
  const woken = await listRunnersWithWork(deps.db, now, wakesPerRun);
  await Promise.all(woken.map((runnerId) => deps.hubs.wake(runnerId)));
  return { ended, woken: woken.length };
}
