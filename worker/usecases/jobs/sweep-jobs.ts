/**
 * The minute's sweep: from rows alone it ends what is overdue and wakes the hubs that have work, so that no lost wake-up, alarm or
 * socket ever loses a job. Everything here is safe to run twice and at the same time.
 */
import type { JobKind } from '../../../protocol/job-spec.ts';
import { listOverdueJobs, listRunnersWithWork } from '../../store/overdue-job-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endJobByPlatform, type PlatformEnd } from './end-job.ts';

/** A host that was away longer has most likely lost the work; one that returns earlier goes on with it. */
const awayLimitMs = 10 * 60_000;
/** Nobody waits longer for a deployment. */
const queueLimitMs = 24 * 60 * 60_000;
/** Of each kind and run, so that a run ends in seconds; the rest follows a minute later. */
const endsPerRun = 10;
const wakesPerRun = 50;

/** What a job is to the person who reads why it ended. */
const nouns = {
  deploy: 'deployment',
  backup: 'backup',
  restore: 'restore',
  import: 'import',
  drill: 'restore drill',
} as const satisfies Record<JobKind, string>;

function failureOf(event: Exclude<PlatformEnd, 'undispatchable'>, { kind }: { kind: JobKind }) {
  const noun = nouns[kind];
  switch (event) {
    case 'queue-timed-out':
      return {
        code: 'queue_timeout',
        message: `The ${noun} waited 24 h for its host and was given up.`,
      } as const;
    case 'deadline-passed':
      return {
        code: 'deadline',
        message: `The ${noun} took longer than ${kind === 'deploy' ? '30 min' : '6 h'} and was stopped.`,
      } as const;
    case 'runner-lost':
      return {
        code: 'runner_lost',
        message: `The host was away for more than 10 min while it worked on this ${noun}.`,
      } as const;
    case 'runner-revoked':
      return { code: 'runner_lost', message: `The host of this ${noun} was revoked.` } as const;
  }
}

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
  const end = async (
    found: { job: { id: string; kind: JobKind } }[],
    event: Exclude<PlatformEnd, 'undispatchable'>,
  ) => {
    const ends = found.map(({ job }) => endJobByPlatform(deps, job.id, event, failureOf(event, job)));
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
