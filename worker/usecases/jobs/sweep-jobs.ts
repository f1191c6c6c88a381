/**
 * The sweep that runs every minute. Based only on rows, it ends overdue jobs and wakes up the hubs that have work, so that a lost
 * wake-up, alarm or socket loses no job. It is safe to repeat, and to run concurrently.
 */
import type { JobRow } from '../../store/jobs/job-store.ts';
import { listOverdueJobs, listRunnersWithWork } from '../../store/jobs/overdue-job-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { repeatPass } from '../repeat-pass.ts';
import { endJobByPlatform, type PlatformEnd } from './end-job.ts';

/** A host that was offline longer has most likely lost the work; one that reconnects earlier continues it. */
const awayLimitMs = 10 * 60_000;
/** Maximum time in the queue. */
const queueLimitMs = 24 * 60 * 60_000;
/** Jobs of each kind per pass; a run ends up to 50 of each, and the rest follows a minute later. */
const endsPerPass = 10;
const passesMax = 5;
const wakesPerRun = 50;

type SweepEnd = Exclude<PlatformEnd, 'undispatchable' | 'database-restored'>;

/** The word for a job in messages to users. */
const nouns = {
  deploy: 'deployment',
  backup: 'backup',
  restore: 'restore',
  import: 'import',
  drill: 'restore drill',
  upgrade: 'upgrade',
  run: 'command',
} as const satisfies Record<JobRow['kind'], string>;

function failureOf(event: SweepEnd, { kind }: Pick<JobRow, 'kind'>) {
  const noun = nouns[kind];
  switch (event) {
    case 'queue-timed-out':
      return {
        code: 'queue_timeout',
        message: `The ${noun} waited 24 h for its host and was cancelled.`,
      } as const;
    case 'deadline-passed':
      return {
        code: 'deadline',
        message: `The ${noun} exceeded its limit of ${kind === 'deploy' ? '30 min' : '6 h'} and was stopped.`,
      } as const;
    case 'runner-lost':
      return {
        code: 'runner_lost',
        message: `The host was offline for more than 10 min during this ${noun}.`,
      } as const;
    case 'runner-revoked':
      return { code: 'runner_lost', message: `The host of this ${noun} was revoked.` } as const;
  }
}

/** @returns the numbers of ended jobs and of woken hubs. */
export async function sweepJobs(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'logs' | 'now'>,
): Promise<{ ended: number; woken: number }> {
  let ended = 0;
  await repeatPass(deps, passesMax, async () => {
    const pass = await endOverdueJobs(deps);
    ended += pass.ended;
    return pass.wasFull;
  });
  const woken = await listRunnersWithWork(deps.db, deps.now(), wakesPerRun);
  await Promise.all(woken.map((runnerId) => deps.hubs.wake(runnerId)));
  return { ended, woken: woken.length };
}

async function endOverdueJobs(
  deps: Pick<Dependencies, 'db' | 'hubs' | 'logs' | 'now'>,
): Promise<{ ended: number; wasFull: boolean }> {
  const now = deps.now();
  const overdue = await listOverdueJobs(deps.db, {
    now,
    queuedBefore: now - queueLimitMs,
    awayBefore: now - awayLimitMs,
    limit: endsPerPass,
  });
  const end = async (found: { job: { id: string; kind: JobRow['kind'] } }[], event: SweepEnd) => {
    const ends = found.map(({ job }) => endJobByPlatform(deps, job.id, event, failureOf(event, job)));
    return (await Promise.all(ends)).filter(Boolean).length;
  };
  const ended =
    (await end(overdue.runnerRevoked, 'runner-revoked')) +
    (await end(overdue.queueTimedOut, 'queue-timed-out')) +
    (await end(overdue.runnerLost, 'runner-lost')) +
    (await end(overdue.pastDeadline, 'deadline-passed'));
  // The host may still work on jobs past their deadline; its late report changes nothing.
  await Promise.all(overdue.pastDeadline.map(({ job }) => deps.hubs.abortJob(job.runnerId, job.id)));
  const found = Object.values(overdue).map((jobs) => jobs.length);
  // Jobs that could not be ended would be found again at once, so a pass that ended none is not full.
  return { ended, wasFull: ended > 0 && found.some((count) => count === endsPerPass) };
}
